// Whether a model was shown the memories that a mail is about. Pure: what it heard and what is stored at the end in, figures out.
import { fold } from './oracle.mjs';

const bare = (id) => (id ?? '').replace(/^<|>$/g, '');

/**
 * Of all facts that a mail changes or repeats (`of`) or links to (`links`) and that had a memory then, those whose memory was a
 * candidate. A memory counts while it was current: written for an earlier mail, and not followed by a version for an earlier one.
 */
export function rightMemoryShown(model, versions) {
  const order = new Map();
  for (const { source } of model.heard) if (!order.has(bare(source))) order.set(bare(source), order.size);
  const byId = new Map(versions.map((v) => [v.id, v]));
  // A version of nobody's telling ends what stood before it at once.
  const writtenAt = (v, otherwise) => order.get(bare(v.sourceId)) ?? otherwise;
  const stood = (fact, at) => {
    const texts = new Set(model.textsOf(fact).map(fold));
    return versions.findLast((v) => {
      const next = byId.get(v.supersededBy);
      return texts.has(fold(v.content)) && writtenAt(v, Infinity) < at && (next === undefined || writtenAt(next, -1) >= at);
    });
  };
  const figures = { of: 0, ofShown: 0, links: 0, linksShown: 0 };
  const missed = [];
  for (const { source, meant } of model.heard) {
    for (const { fact, as, handle } of meant) {
      const memory = stood(fact, order.get(bare(source)));
      if (memory === undefined) continue;
      const whole = as === 'of' ? 'of' : 'links';
      figures[whole] += 1;
      if (handle !== null) figures[`${whole}Shown`] += 1;
      else missed.push({ message: source, fact, as, memory: memory.content });
    }
  }
  const sum = (key) => model.heard.reduce((n, h) => n + h[key], 0);
  return { ...figures, mails: model.heard.length, candidates: sum('candidates'), irrelevant: sum('irrelevant'), missed };
}
