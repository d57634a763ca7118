// The most useful facts of an import: due soon first, then changed, then by importance. Long texts come later.
import type { Memory } from 'memfold';
import { daysAfter, dueFrom, today } from '../../shared/due';
import { stateOf } from '../../shared/facts';
import { headlineOf } from '../../shared/headline';
import { entries, headOf } from '../../shared/state';

const MOST = 3;
/** Characters that fit into two lines. */
const SHORT = 180;
/** Days in which something due is soon. */
const SOON = 14;

/** The current memories that these decisions made, the most useful first and one of each thread. */
export function findingsOf(entryIds: readonly string[]): Memory[] {
  const ids = new Set(entryIds);
  const heads = new Map<string, Memory>();
  const updated = new Set<string>();
  for (const e of entries.value) {
    if (!ids.has(e.id) || !e.memoryId) continue;
    const head = headOf(e.memoryId);
    if (!head || head.deletedAt || head.category === 'ads') continue;
    heads.set(head.id, head);
    if (e.decision === 'UPDATE') updated.add(head.id);
  }
  const all = [...heads.values()];
  const until = daysAfter(today(), SOON);
  const due = dueFrom(today(), all).filter((d) => d.day <= until);
  const soon = new Map(due.map((d, i) => [d.memory.id, due.length - i]));
  const isLong = (m: Memory): boolean => headlineOf(m).text.length > SHORT;
  const worth = (m: Memory): number =>
    (isLong(m) ? -1.5 : 0) + (soon.has(m.id) ? 2 + soon.get(m.id)! / (due.length + 1) : 0) + (updated.has(m.id) ? 1 : 0) + m.importance;
  const threads = new Set<string>();
  return all
    .filter((m) => stateOf(m) === 'current')
    .sort((a, b) => worth(b) - worth(a))
    .filter((m) => {
      const thread = m.threadId ?? m.id;
      return !threads.has(thread) && threads.add(thread);
    })
    .slice(0, MOST);
}
