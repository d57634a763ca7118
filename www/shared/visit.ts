// Changes since the last visit. A visit ends after the page was closed for a while; a reload
// continues it.
import { computed, signal } from '@preact/signals';
import type { LogEntry, Memory } from 'memfold';
import { headlineOf, saidIn, topicOf, withoutTopic } from './headline';
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

/** The values that an update replaced; `old` is empty where it only added something. */
export type Replaced = { memory: Memory; values: readonly { old: string; now: string }[] };

/** Replaced values of one update that are shown; an update with more is shown in its own words. */
const MOST_VALUES = 3;
/** A value that says something without its sentence: a number with a unit, a currency or a month. */
const ALONE = /\d.*[\p{L}\p{Sc}%:/]|[\p{L}\p{Sc}].*\d/u;

/** A struck part that says something alone. */
const tells = (text: string): boolean => ALONE.test(text) || text.split(/\s+/).length > 2;

const joined = (texts: readonly string[]): string =>
  texts
    .map((text) => text.replace(/^[\s,;·.]+|[\s,;·]+$/g, ''))
    .filter(Boolean)
    .join(' · ');

export function replacedBy(entry: LogEntry): Replaced | undefined {
  const memory = headOf(entry.memoryId ?? '');
  const after = memories.value.get(entry.memoryId ?? '');
  if (!memory || !after) return undefined;
  const values = (entry.propertyChanges ?? []).flatMap(({ oldValue: old, newValue: now }) =>
    old !== null && now !== null && [old, now].some((value) => ALONE.test(value)) ? [{ old, now }] : [],
  );
  if (values.length > 0 && values.length <= MOST_VALUES) return { memory, values };
  const topic = topicOf(memory);
  const before = memories.value.get(after.previousVersionId ?? '');
  const all = before ? revised(before, after) : [];
  const gone = all
    .flatMap(({ parts }) => parts.filter((p) => p.struck && p.now))
    .map(({ text }) => withoutTopic(joined([text]), topic))
    .filter(Boolean);
  // Several struck pieces are no sentence.
  const old = gone.length === 1 && tells(gone[0]!) ? gone[0]! : '';
  const now = joined(all.flatMap(({ fate, statement }) => (fate === 'new' ? [withoutTopic(saidIn(statement), topic)] : [])));
  return { memory, values: [{ old, now: now || headlineOf(after).text }] };
}
