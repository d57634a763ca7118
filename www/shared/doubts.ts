// Doubts whether a memory is outdated by another, and the reviews that can settle them.
import type { ChangeToConfirm, Edge, LogEntry, Memory, ReviewItem } from 'memfold';
import { engine } from './engine';
import { entries, headOf } from './state';
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
  const { entry, memory, existing, other } = item;
  const [head, known] = [memory, existing].map((m) => m && headOf(m.id));
  if (!stillWaits(item)) return false;
  if (!memory || !head || other) return true;
  return isDoubt(entry) ? head.id !== known?.id : head.id === memory.id || !isByHand(head);
}

let asked: { at: readonly LogEntry[]; items: Promise<readonly ReviewItem[]> } | undefined;

/** The pending reviews, read once after each write. */
export function waitingItems(): Promise<readonly ReviewItem[]> {
  const at = entries.peek();
  if (asked?.at !== at) asked = { at, items: engine.review.list().then((all) => all.filter(isAsked)) };
  const { items } = asked;
  return items.catch((reason) => {
    asked = undefined;
    throw reason;
  });
}

let listed: { at: readonly LogEntry[]; changes: Promise<readonly ChangeToConfirm[]> } | undefined;

/** The changes to confirm, read once after each write. */
export function waitingChanges(): Promise<readonly ChangeToConfirm[]> {
  const at = entries.peek();
  if (listed?.at !== at) listed = { at, changes: engine.review.changes() };
  const { changes } = listed;
  return changes.catch((reason) => {
    listed = undefined;
    throw reason;
  });
}

/** Caches reviews and changes that were read with the log; returns their number. */
export function waitingFrom(items: readonly ReviewItem[], changes: readonly ChangeToConfirm[]): number {
  const found = items.filter(isAsked);
  asked = { at: entries.peek(), items: Promise.resolve(found) };
  listed = { at: entries.peek(), changes: Promise.resolve(changes) };
  return found.length + changes.length;
}

/** The doubts about a memory, between current versions. */
export async function doubtsAt(memory: Memory): Promise<Doubt[]> {
  const links = (await engine.related(memory.id)).filter(
    ({ edge, memory: other }) => edge.kind === 'may_replace' && [edge.from, edge.to].includes(memory.id) && [edge.from, edge.to].includes(other.id),
  );
  if (links.length === 0 || memory.supersededBy) return [];
  const items = await waitingItems();
  return links.map(({ edge, memory: other }) => {
    const [older, newer] = edge.from === memory.id ? [memory, other] : [other, memory];
    const item = items.find(({ entry }) => entry.memoryId === edge.to || entry.memoryId === edge.from);
    return { edge, older, newer, item };
  });
}
