// Takes in the first of two writings, and asks what the second would do: in a memory of its own, which is gone when it is done.
import type { Comparison, Decision, Draft, Failure, Memories, MailReceipt, Memory, OpenOptions, Receipt, Score } from 'memfold';
import { OWNER, answerable, mailOf, writtenAt, type Scene, type Written } from './scene';

/** What is used of the package. */
export type Package = {
  open(options: OpenOptions): Promise<Memories>;
  compare(existing: Draft, next: Draft, options: { mode: Scene['mode'] }): Promise<Comparison>;
};

/** A stored memory that something new was held against. */
export type Pair = {
  memory: Memory;
  /** How alike, as the decision saw it; the pair alone may be weighed a little otherwise. */
  score: Score;
  /** What this memory alone would have led to. */
  decision: Decision;
  probability?: number;
  /** Whether the decision is about it. */
  chosen: boolean;
  existing: Draft;
  alone: Comparison;
};

/** What would become of one thing that was read. */
export type Outcome = { read: Draft; receipt: Receipt; before?: Memory; linked: readonly Memory[]; pairs: readonly Pair[] };

export type Tried = { known: readonly Memory[]; outcomes: readonly Outcome[]; failed?: Failure };

/** A memory as whoever wrote it would have drafted it. */
export function draftOf(m: Memory): Draft {
  const { content, category, subject, threadId, people, entities, keywords, properties, occurredAt, statedAt, validFrom, validUntil, sourceType, sourceId } = m;
  const author = m.statements?.[0]?.author;
  const told = { subject, threadId, statedAt, validFrom, validUntil, sourceId, author };
  const { importance, importanceFactors } = m;
  return { content, category, people, entities, keywords, properties, importance, importanceFactors, occurredAt, sourceType, ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) };
}

async function taken(memories: Memories, which: 'first' | 'next', what: Written, dryRun: boolean, answered?: string): Promise<MailReceipt> {
  if (what.kind === 'note') return memories.add([{ role: 'user', content: what.text.trim(), at: writtenAt(what.day).toISOString() }], { dryRun, sourceId: which });
  let got: MailReceipt | undefined;
  await memories.ingest(mailOf(which, what, answered), { dryRun, onReceipt: (receipt) => (got ??= receipt) });
  if (!got) throw Object.assign(new Error('there is no mail in it'), { code: 'invalid_input' });
  return got;
}

/** What would become of the second writing, with every step that led there. */
export async function tryOut({ open, compare }: Package, { first, next, mode }: Scene, zone: string): Promise<Tried> {
  const memories = await open({ store: 'memory', owner: [OWNER], policy: mode, zone });
  try {
    const before = await taken(memories, 'first', first, false);
    const known = await memories.list();
    const after = await taken(memories, 'next', next, true, answerable(first));
    const seen = new Map(known.map((m) => [m.id, m]));
    const outcomes: Outcome[] = [];
    for (const receipt of after.receipts) {
      const { entry } = receipt;
      const read = entry.draft ?? (receipt.memory && receipt.memory.id === entry.memoryId ? draftOf(receipt.memory) : { content: entry.input, category: entry.category });
      const pairs: Pair[] = [];
      const pair = async (id: string, rest: (alone: Comparison) => Omit<Pair, 'memory' | 'existing' | 'alone'>) => {
        const memory = seen.get(id);
        if (!memory) return;
        const existing = draftOf(memory);
        const alone = await compare(existing, read, { mode });
        pairs.push({ memory, existing, alone, ...rest(alone) });
      };
      if (entry.targetId) {
        const { targetId, similarity, decision } = entry;
        await pair(targetId, (alone) => ({ score: similarity ?? alone, decision, chosen: true }));
      }
      for (const { id, score, decision, probability } of entry.alternatives ?? []) {
        await pair(id, ({ factors }) => ({ score: { score, factors }, decision, chosen: false, ...(probability === undefined ? {} : { probability }) }));
      }
      const target = seen.get(entry.targetId ?? '');
      const linked = (entry.linkedIds ?? []).flatMap((id) => seen.get(id) ?? []);
      outcomes.push({ read, receipt, pairs, linked, ...(target ? { before: target } : {}) });
      // The next thing of the same mail would find it.
      if (receipt.memory) seen.set(receipt.memory.id, receipt.memory);
    }
    const failed = before.failed ?? after.failed;
    return { known, outcomes, ...(failed ? { failed } : {}) };
  } finally {
    await memories.close();
  }
}
