// Due memories: the days on which something ends or takes place, in the reader's zone.
import { computed } from '@preact/signals';
import type { Memory } from 'memfold';
import { dateOf, dayAt, dayOf, daysAfter, inOrder, isDay } from './days';
import { current } from './state';
import { mailedAt, statementsOf, stretches } from './statements';

export type Due = { memory: Memory; at: string; day: string; kind: 'until' | 'on'; hasTime: boolean };

export { dateOf, dayOf, daysAfter };

const STALE_MS = 14 * 86_400_000;

const mailedLast = (memories: Iterable<Memory>): number => {
  let last = 0;
  for (const m of memories) last = Math.max(last, Date.parse(mailedAt(m) ?? '') || 0);
  return last;
};
const lastMailed = computed(() => mailedLast(current.value));

/**
 * The reference day for an old archive: the day of its last mail. The owner's own texts do not
 * count. Empty if the last mail is recent.
 */
export function lastDay(last = lastMailed.value): string {
  return last === 0 || Date.now() - last < STALE_MS ? '' : dayOf(new Date(last));
}

/** The day that counts as today. */
export const today = (): string => lastDay() || dayOf(new Date());

/** The same for these memories. */
export const todayOf = (memories: Iterable<Memory>): string => lastDay(mailedLast(memories)) || dayOf(new Date());

/** The Monday of a day's week. */
export const weekOf = (day: string): string => daysAfter(day, -((dateOf(day).getDay() + 6) % 7));

const MONTHS = [
  'jan(?:uary)?',
  'feb(?:ruary)?',
  'mar(?:ch)?',
  'apr(?:il)?',
  'may',
  'june?',
  'july?',
  'aug(?:ust)?',
  'sept?(?:ember)?',
  'oct(?:ober)?',
  'nov(?:ember)?',
  'dec(?:ember)?',
];

/** Whether a text names a day in any notation; "the 13th" counts too. */
function mentionsDay(text: string, day: string): boolean {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const [m, d] = [`0?${month}`, `0?${date}`];
  const nth = `${d}(?:st|nd|rd|th)?`;
  const name = `${MONTHS[month - 1]}\\.?`;
  const forms = [
    `\\b${nth}(?: of)? ${name}(?![a-z])`,
    `\\b${name} (?:the )?${nth}\\b`,
    `\\bthe ${d}(?:st|nd|rd|th)\\b(?! of)`,
    `(?<!\\d)${m}월 ?${d}일`,
    `(?<![\\d월] ?)${d}일(?![\\d간])`,
    `\\b${year}[-./] ?${m}[-./] ?${d}\\b`,
    `\\b${d}[./]${m}[./](?:20)?${year % 100}\\b`,
  ];
  return new RegExp(forms.join('|'), 'i').test(text.replace(/\s+/g, ' '));
}

const CALLED_OFF = /(?<![\w-])(?:cancell?ed|called off|scrap(?:ped)?)\b|취소(?:되었|됐|됩|했|하였|합니다|입니다|함|됨|$)|없던 일로/i;
const NOT_SO = /\b(?:not|never|unless|if|until|n['’]t)\b|않|아니|면 /i;

/**
 * Whether the latest statement cancels an event on `day`: a sentence names the day, or none has a
 * figure.
 */
function isCalledOff(memory: Memory, day: string): boolean {
  const [last] = statementsOf(memory);
  if (!last) return false;
  const held = stretches(last)
    .flatMap((part) => (part.struck ? [] : part.text))
    .join('');
  const sentences = held.split(/(?<=[.!?。;])\s+/);
  return sentences.some((s) => CALLED_OFF.test(s) && !NOT_SO.test(s) && (mentionsDay(s, day) || !/\d/.test(held)));
}

/** Whether a day occurs only in the struck-out part of a memory. */
function isStruck(memory: Memory, day: string): boolean {
  const struck = statementsOf(memory).flatMap((s) => stretches(s).flatMap((part) => (part.struck ? part.text : [])));
  return struck.some((text) => mentionsDay(text, day)) && !mentionsDay(memory.content, day);
}

/** The due day of each memory, computed once. */
const dues = new WeakMap<Memory, Due | null>();

function dueOf(memory: Memory): Due | null {
  const known = dues.get(memory);
  if (known !== undefined) return known;
  const found = dayFor(memory);
  const due = found && !isStruck(memory, found.day) && !isCalledOff(memory, found.day) ? found : null;
  dues.set(memory, due);
  return due;
}

function dayFor(memory: Memory): Due | null {
  if (memory.category === 'ads') return null;
  const end = memory.validUntil && memory.category !== 'meeting' ? memory.validUntil : undefined;
  const at = end ?? memory.occurredAt;
  const said = memory.statedAt ?? memory.createdAt;
  // The day of a statement is not the day of an event.
  if (!end && (isDay(at) ? at < dayAt(said) : Date.parse(at) <= Date.parse(said))) return null;
  const day = dayAt(at);
  return day === '' ? null : { memory, at, day, kind: end ? 'until' : 'on', hasTime: !isDay(at) };
}

/** A quick check without text analysis, to skip past memories. */
const mayBeDue = (memory: Memory, day: string): boolean => {
  const end = memory.validUntil && memory.validUntil > memory.occurredAt ? memory.validUntil : memory.occurredAt;
  // A time in UTC may be on the day before or after.
  return end.slice(0, 10) >= day;
};

/**
 * What is due from a day on, soonest first. Ads and events that were cancelled or moved are left
 * out.
 */
export function dueFrom(day: string, memories: readonly Memory[] = current.value): Due[] {
  const before = daysAfter(day, -1);
  return memories
    .flatMap((memory) => (mayBeDue(memory, before) ? (dueOf(memory) ?? []) : []))
    .filter((due) => due.day >= day)
    .sort((a, b) => inOrder(a.day, b.day) || Number(a.hasTime) - Number(b.hasTime) || Date.parse(a.at) - Date.parse(b.at));
}
