// What became of what a model said. Pure: its replies and the log in, those that were not written as they were told out.

const bare = (id) => (id ?? '').replace(/^<|>$/g, '');
const DECIDED = { new: ['CREATE', 'CREATE_AND_LINK'], update: ['UPDATE'], repeat: ['SKIP'] };
/** Reasons that say how an answer came about, not why it was not followed. */
const PLAIN = ['feature', 'model_read'];

const whyOf = (entry) => [...new Set(entry.reasons.map((r) => r.kind).filter((kind) => !PLAIN.includes(kind)))];

/** Whether a log entry does what was told; an update that is withheld does not. */
const follows = (entry, op) => DECIDED[op].includes(entry.decision) && (op === 'repeat' || entry.status === 'success');

/**
 * The entries of a model's replies (`source`, `fact`, `op`, `text`) that the log of their mails does not bear out, each with its
 * log entry, what was decided instead and why; nothing is decided of a refused one.
 */
export function overruled(told, log) {
  const ofMail = new Map();
  for (const entry of log) ofMail.set(bare(entry.sourceId), [...(ofMail.get(bare(entry.sourceId)) ?? []), entry]);
  return told.flatMap(({ source, fact, op, text }) => {
    const mine = ofMail.get(bare(source)) ?? [];
    // What is only repeated has no words of its own: any repeat of the mail may be meant.
    const at = mine.findIndex((e) => (op === 'repeat' ? follows(e, op) : e.input === text));
    const [found] = at < 0 ? [] : mine.splice(at, 1);
    if (found && follows(found, op)) return [];
    const refused = mine.flatMap((e) => e.reasons.filter((r) => r.kind === 'model_refused').map((r) => r.error));
    const why = found ? whyOf(found) : [...new Set(refused)].map((error) => `refused: ${error}`);
    return [{ message: source, fact, op, entry: found?.id ?? null, decided: found?.decision ?? null, why: why.join(' ') || 'no reason told', text }];
  });
}
