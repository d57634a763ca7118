// memfold as a system of the benchmark, through its package. The engine's calls are in this file only.
import { readFile } from 'node:fs/promises';
import { open } from '../../pkg/node.js';
import { encoderOf } from '../../tests/eval/encoder.mjs';
import { assess, snapshot, zoneOf } from '../../tests/eval/inbox.mjs';
import { known } from '../../tests/eval/ledger.mjs';
import { settled, toldBy } from '../../tests/eval/owner.mjs';
import { overruled } from '../../tests/eval/written.mjs';
import { ledgerReader } from './reader.mjs';

/** Longest time for one reply of the reader, in milliseconds. */
const REPLY_LIMIT = 600_000;
const RESULTS = 20;
const TODAY = /\b(?:today|tonight|this (?:morning|afternoon|evening)|just now)\b|오늘|방금|아까|조금 전/i;

const bracketed = (id) => (id.startsWith('<') ? id : `<${id}>`);

/** A memory in the scorer's format. A day that nobody named is the mail's own and is left out. */
function exported(memory, zone) {
  const { content, occurredAt, statedAt, validUntil, statements = [], properties = [] } = memory;
  const today = statements.filter((s) => s.at !== undefined && TODAY.test(s.text)).map((s) => s.at);
  const days = [occurredAt === statedAt ? undefined : occurredAt, validUntil, ...today].filter((iso) => iso !== undefined);
  const dayOf = (at) => (at.length === 10 ? at : new Date(Date.parse(at) + zone * 60_000).toISOString().slice(0, 10));
  return { text: content, properties: properties.map((p) => p.value), days: days.map(dayOf) };
}

/** What the open memory holds and answers. `checks`: the figures of `make eval` for the same memories. */
async function resultOf(memories, expected, book) {
  const zone = zoneOf(expected.asOf);
  const snap = await snapshot(memories, []);
  const currentIds = new Set(snap.current.map((m) => m.id));
  const sources = (m) => [m.sourceId, ...(m.statements ?? []).map((s) => s.sourceId)].filter((id) => id !== undefined).map(bracketed);
  const isDoubtful = (m) => m.confirmation === 'provisional' || snap.related.get(m.id).some(({ edge }) => edge.kind === 'may_replace' && edge.from === m.id);
  const listed = snap.all.map((m) =>
    currentIds.has(m.id)
      ? {
          id: m.id,
          ...exported(m, zone),
          sources: [...new Set(sources(m))],
          doubtful: isDoubtful(m),
          versions: snap.chains.get(m.id).map((v) => exported(v, zone)),
        }
      : { id: m.id, ...exported(m, zone), current: false },
  );
  const links = snap.current.flatMap((m) => snap.related.get(m.id).map(({ edge, memory }) => ({ from: m.id, to: memory.id, type: edge.relation })));
  const found = new Map();
  for (const query of expected.queries) {
    const hits = await memories.search(query.q, { limit: RESULTS, now: query.at ?? expected.asOf });
    found.set(
      query,
      hits.map((hit) => hit.memory),
    );
  }
  const answers = [...found].map(([{ q }, hits]) => ({ q, memories: hits.map((m) => m.id) }));
  const { missed, ...checks } = await assess(
    snap,
    { ...expected, injections: [], noNewMemory: [] },
    async (query) => found.get(query),
    undefined,
    known(book, expected),
  );
  return { memories: listed, links, answers, checks };
}

/** Reads one mailbox; with a reader also the result after the owner has accepted the right ones among the waiting changes. */
async function readMailbox({ mbox, expect, ledger }, { reader, embedder }) {
  const expected = JSON.parse(await readFile(expect, 'utf8'));
  const { book, model } = await ledgerReader(ledger, mbox);
  const analyst = async (question) => ({ text: model.answer(question) });
  const memories = await open({
    storage: 'memory',
    policy: 'balanced',
    zone: zoneOf(expected.asOf),
    owner: [expected.me],
    ...(reader ? { model: { analyst, timeout: REPLY_LIMIT } } : {}),
    ...(embedder ? { embedder } : {}),
  });
  try {
    await memories.importMail(await readFile(mbox));
    const before = await resultOf(memories, expected, book);
    if (!reader) return { before };
    const { asked } = await settled(memories, overruled(model.told, await memories.log.list({})), toldBy(book));
    return { before, after: { ...(await resultOf(memories, expected, book)), asked } };
  } finally {
    await memories.close();
  }
}

/** Results of memfold: without a model, or with the ledger as the reader, then before and after the owner's review. */
export async function memfold(mailboxes, { system, reader = false, encoder = false }) {
  const embedder = encoder ? await encoderOf() : undefined;
  const [before, after] = [{}, {}];
  for (const mailbox of mailboxes) {
    const results = await readMailbox(mailbox, { reader, embedder });
    before[mailbox.name] = results.before;
    if (reader) after[mailbox.name] = results.after;
  }
  return [{ system, mailboxes: before }, ...(reader ? [{ system: `${system}, after the review`, mailboxes: after }] : [])];
}
