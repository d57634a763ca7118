// Doubts whether a memory is outdated by another, and the reviews that can settle them.
import { batch, computed } from '@preact/signals';
import type { Edge, LogEntry, Memory, ReviewItem } from 'memfold';
import { readsImmediately } from './actions';
import { engine } from './engine';
import { entries, headOf, openChanges, openItems, phase } from './state';
import { isByHand } from './statements';
import { stillWaits } from './waits';
import { isDoubt } from './words';

/** `older` may be outdated by `newer`; `item` is the pending review that settles it. */
export type Doubt = { edge: Edge; older: Memory; newer: Memory; item: ReviewItem | undefined };

/** Whether the doubt is about the decision's own target, so that its review can replace it. */
export const isOwnTarget = ({ older, newer, item }: Doubt): boolean =>
  [older.id, newer.id].includes(item?.entry.targetId ?? '') && [older.id, newer.id].includes(item?.entry.memoryId ?? '');

/**
 * Whether a question is still open: the owner has changed neither side by hand, and both are not
 * yet merged.
 */
export function isAsked(item: ReviewItem): boolean {
  const { entry, memory, existing } = item;
  const [head, known] = [memory, existing].map((m) => m && headOf(m.id));
  if (!stillWaits(item)) return false;
  if (!memory || !head) return true;
  return isDoubt(entry) ? head.id !== known?.id : head.id === memory.id || !isByHand(head);
}

/** The open questions, or `null` until they are read. */
export const asked = computed(() => openItems.value?.filter(isAsked) ?? null);

/** The number of questions and of changes to confirm. */
export const waiting = computed(() => (asked.value?.length ?? 0) + openChanges.value.length);

let alone: { at: readonly LogEntry[]; read: Promise<void> } | undefined;

/**
 * Reads the questions alone, once after each write, on a page that has read no memories or defers
 * that. Other pages read them together with the log.
 */
export function readQuestions(): Promise<void> {
  if (phase.peek() === 'ready' && readsImmediately.peek()) return Promise.resolve();
  const at = entries.peek();
  if (alone?.at !== at) {
    const read = Promise.all([engine.review.list(), engine.review.changes()]).then(([items, changes]) =>
      batch(() => {
        openItems.value = items;
        openChanges.value = changes;
      }),
    );
    alone = { at, read };
    void read.catch(() => (alone = undefined));
  }
  return alone.read;
}

/** The doubts about a memory, between current versions. */
export async function doubtsAt(memory: Memory): Promise<Doubt[]> {
  const links = (await engine.related(memory.id)).filter(
    ({ edge, memory: other }) => edge.kind === 'may_replace' && [edge.from, edge.to].includes(memory.id) && [edge.from, edge.to].includes(other.id),
  );
  if (links.length === 0 || memory.supersededBy) return [];
  await readQuestions();
  return links.map(({ edge, memory: other }) => {
    const [older, newer] = edge.from === memory.id ? [memory, other] : [other, memory];
    const item = asked.value?.find(({ entry }) => entry.memoryId === edge.to || entry.memoryId === edge.from);
    return { edge, older, newer, item };
  });
}
