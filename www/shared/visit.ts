// Changes since the last visit. A visit ends after the page was closed for a while; a reload
// continues it.
import { computed, signal } from '@preact/signals';
import type { LogEntry, Memory } from 'memfold';
import { headlineOf } from './headline';
import { entries, headOf, memories, takenBack } from './state';
import { revised } from './statements';

const AWAY_MS = 30 * 60_000;
/**
 * Stored apart from the settings, so that a closing tab does not overwrite another tab's changes.
 */
const KEY = 'memfold-visit';

/**
 * `base`: last entry seen in the previous visit. `last`: last entry seen in this one. Both with
 * times.
 */
type Visit = { base: number; baseAt?: number | undefined; last: number; at: number };

function stored(): Visit | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    const { base, baseAt = 0, last, at } = (value ?? {}) as Record<string, unknown>;
    return [base, baseAt, last, at].every((n) => Number.isSafeInteger(n) && (n as number) >= 0) ? (value as Visit) : undefined;
  } catch {
    return undefined;
  }
}

/** The last entry that the previous visit has seen, with its time. */
const base = signal<{ seq: number; at: number | undefined }>({ seq: 0, at: undefined });

function leave(): void {
  const { seq, at } = base.peek();
  const visit: Visit = { base: seq, baseAt: at, last: entries.peek()[0]?.seq ?? seq, at: Date.now() };
  try {
    localStorage.setItem(KEY, JSON.stringify(visit));
  } catch {
    // Blocked storage: every visit is the first.
  }
}

/** Starts a visit, or continues a recent one. */
export function beginVisit(): void {
  const visit = stored();
  if (visit) base.value = Date.now() - visit.at < AWAY_MS ? { seq: visit.base, at: visit.baseAt } : { seq: visit.last, at: visit.at };
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave());
}

/** The end of the previous visit; undefined on the first. */
export const lastVisit = computed(() => base.value.at);

/** Updates by mail since the last visit, newest first. */
export function updatesIn(log: readonly LogEntry[]): LogEntry[] {
  // An emptied store starts from zero.
  const after = (log[0]?.seq ?? 0) < base.value.seq ? 0 : base.value.seq;
  return log.filter((e) => e.seq > after && e.decision === 'UPDATE' && e.status === 'success' && e.memoryId && e.sourceId);
}

/** The last update of each memory since the last visit, newest first. */
export const changed = computed<readonly LogEntry[]>(() => {
  const seen = new Set<string>();
  return updatesIn(entries.value).filter((e) => {
    if (!e.memoryId || takenBack.value.has(e.id)) return false;
    const head = headOf(e.memoryId);
    if (!head || head.deletedAt || seen.has(head.id)) return false;
    seen.add(head.id);
    return true;
  });
});

/** What an update replaced; `old` is empty if it only added something. */
export type Replaced = { memory: Memory; old: string; now: string };

const joined = (texts: readonly string[]): string => texts.map((text) => text.replace(/^[\s,;·.]+|[\s,;·]+$/g, '')).filter(Boolean).join(' · ');

export function replacedBy(entry: LogEntry): Replaced | undefined {
  const memory = headOf(entry.memoryId ?? '');
  const after = memories.value.get(entry.memoryId ?? '');
  if (!memory || !after) return undefined;
  const values = (entry.propertyChanges ?? []).filter((c) => c.oldValue !== null && c.newValue !== null);
  if (values.length > 0) return { memory, old: joined(values.map((c) => c.oldValue ?? '')), now: joined(values.map((c) => c.newValue ?? '')) };
  const before = memories.value.get(after.previousVersionId ?? '');
  if (!before) return { memory, old: '', now: headlineOf(after).text };
  const all = revised(before, after);
  const old = joined(all.flatMap(({ parts }) => parts.flatMap((p) => (p.struck && p.now ? [p.text] : []))));
  const now = joined(all.flatMap(({ fate, statement }) => (fate === 'new' ? [statement.text] : [])));
  return { memory, old, now: now || headlineOf(after).text };
}
