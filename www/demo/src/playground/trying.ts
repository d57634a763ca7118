// Adds the first text to a temporary memory and previews the decision about the second.
import type { Comparison, Draft, Failure, Memories, MailReceipt, Memory, OpenOptions, Receipt, Receipts } from 'memfold';
import type { StoredDraft } from '../../../shared/types';
import { OWNER, answerable, mailOf, writtenAt, type Scene, type Written } from './scene';

/** The used part of the package. */
export type Package = {
  open(options: OpenOptions): Promise<Memories>;
  compare(existing: Draft, next: Draft, options: { mode: Scene['mode'] }): Promise<Comparison>;
};

/**
 * The result for one draft of the second text; `pair` is that draft and the memory that it
 * concerns, each alone.
 */
export type Outcome = { read: StoredDraft; receipt: Receipt; before?: Memory; linked: readonly Memory[]; pair?: { existing: StoredDraft; alone: Comparison } };

export type Tried = { known: readonly Memory[]; outcomes: readonly Outcome[]; failed?: Failure };

/** The draft that a memory may have come from. */
export function draftOf(m: Memory): StoredDraft {
  const { content, category, subject, threadId, people, entities, keywords, properties, occurredAt, statedAt, validFrom, validUntil, sourceType, sourceId } = m;
  const author = m.statements?.[0]?.author;
  const told = { subject, threadId, statedAt, validFrom, validUntil, sourceId, author };
  const { importance, importanceFactors } = m;
  return {
    content,
    category,
    people,
    entities,
    keywords,
    properties,
    importance,
    importanceFactors,
    occurredAt,
    sourceType,
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
  };
}

async function taken(memories: Memories, which: 'first' | 'next', what: Written, dryRun: boolean, answered?: string): Promise<Receipts> {
  if (what.kind === 'note') return memories.add([{ role: 'user', content: what.text.trim(), at: writtenAt(what.day).toISOString() }], { dryRun, key: which });
  let got: MailReceipt | undefined;
  await memories.importMail(mailOf(which, what, answered), { dryRun, onReceipt: (receipt) => (got ??= receipt) });
  if (!got) throw Object.assign(new Error('the text contains no mail'), { code: 'invalid_input' });
  return got;
}

/** The decisions about the second text. */
export async function tryOut({ open, compare }: Package, { first, next, mode }: Scene, zone: string): Promise<Tried> {
  const memories = await open({ storage: 'memory', owner: [OWNER], policy: mode, zone });
  try {
    const before = await taken(memories, 'first', first, false);
    const known = await memories.list();
    const after = await taken(memories, 'next', next, true, answerable(first));
    const seen = new Map(known.map((m) => [m.id, m]));
    const outcomes: Outcome[] = [];
    for (const receipt of after.receipts) {
      const { entry } = receipt;
      const read =
        entry.draft ?? (receipt.memory && receipt.memory.id === entry.memoryId ? draftOf(receipt.memory) : { content: entry.input, category: entry.category });
      const target = seen.get(entry.targetId ?? '');
      const linked = (entry.linkedIds ?? []).flatMap((id) => seen.get(id) ?? []);
      const existing = target && draftOf(target);
      const pair = existing && { existing, alone: await compare(existing, read, { mode }) };
      outcomes.push({ read, receipt, linked, ...(pair ? { pair } : {}), ...(target ? { before: target } : {}) });
      // Later drafts of the same mail would find it.
      if (receipt.memory) seen.set(receipt.memory.id, receipt.memory);
    }
    const failed = before.failed ?? after.failed;
    return { known, outcomes, ...(failed ? { failed } : {}) };
  } finally {
    await memories.close();
  }
}
