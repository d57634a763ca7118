// The reader's language, and messages, numbers and dates in it.
import { computed, signal } from '@preact/signals';
import { josa } from 'es-hangul';
import { isDay } from '../days';
import { saved, save } from '../settings';
import { messages } from './messages';

export type Lang = 'en' | 'ko';
export type Key = keyof typeof messages;

type Names<S extends string> = S extends `${string}{${infer Inner}}${infer Rest}`
  ? (Inner extends `${infer Name}:${string}` ? Name : Inner) | Names<Rest>
  : never;
/** Messages by key: English, then Korean. */
export type Messages = Readonly<Record<string, readonly [string, string]>>;
type Rest<M extends Messages, K extends keyof M> = [Names<M[K][0]>] extends [never] ? [] : [Record<Names<M[K][0]>, string | number>];

/** Keys of messages without placeholders. */
export type PlainKey = { [K in Key]: Rest<typeof messages, K> extends [] ? K : never }[Key];

export const lang = signal<Lang>(saved.lang ?? (/^ko\b/i.test(navigator.language) ? 'ko' : 'en'));
export const locale = computed(() => (lang.value === 'ko' ? 'ko-KR' : 'en-GB'));

export function speak(next: Lang): void {
  lang.value = next;
  save({ lang: next });
}

/** Creates a lookup function for messages in the reader's language. */
export function catalogue<M extends Messages>(of: M) {
  return <K extends keyof M & string>(key: K, ...rest: Rest<M, K>): string =>
    fill((reworded[key] ?? of[key]!)[lang.value === 'ko' ? 1 : 0], (rest[0] ?? {}) as Record<string, string | number>);
}

const reworded: Record<string, readonly [string, string]> = {};

/** Overrides messages for another page that uses the same components. */
export const reword = (words: Partial<Record<Key, readonly [string, string]>>): void => void Object.assign(reworded, words);

/** The message of a key in the reader's language. */
export const t = catalogue(messages);

/** The message of a computed key; undefined if unknown. */
export function known(key: string, values: Record<string, string | number> = {}): string | undefined {
  if (!Object.hasOwn(messages, key)) return undefined;
  return fill((reworded[key] ?? messages[key as Key])[lang.value === 'ko' ? 1 : 0], values);
}

function fill(template: string, values: Record<string, string | number>): string {
  const filled = template.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (one !== undefined) return (value === 1 ? one : many) ?? '';
    return typeof value === 'number' ? count(value) : String(value ?? '');
  });
  return lang.value === 'ko' ? withParticles(filled) : filled;
}

type Particle = Parameters<typeof josa.pick>[1];
/** Digits and Latin letters that end in a consonant when read in Korean. */
const CLOSED = /[013678lmnrLMNR]$/;

/** Chooses between particles such as `(이/가)` by the sound of the word before. */
export function withParticles(text: string): string {
  return text.replace(/([\p{L}\p{N}])([^\p{L}\p{N}\s]*)\(([가-힣]+\/[가-힣]+)\)/gu, (_, end: string, marks: string, pair: string) => {
    const heard = /[가-힣]/.test(end) ? end : CLOSED.test(end) ? (/[1lLrR78]/.test(end) ? '일' : '영') : '나';
    return `${end}${marks}${josa.pick(heard, pair as Particle)}`;
  });
}

const cached = <T>(make: (locale: string) => T) => {
  const made = new Map<string, T>();
  return () => {
    const key = locale.value;
    let value = made.get(key);
    if (value === undefined) made.set(key, (value = make(key)));
    return value;
  };
};

const integers = cached((l) => new Intl.NumberFormat(l, { maximumFractionDigits: 1 }));
const scores = cached((l) => new Intl.NumberFormat(l, { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
const percents = cached((l) => new Intl.NumberFormat(l, { style: 'percent', maximumFractionDigits: 0 }));
const days = cached((l) => new Intl.DateTimeFormat(l, { year: 'numeric', month: 'short', day: 'numeric' }));
const moments = cached(
  (l) => new Intl.DateTimeFormat(l, { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
);

const noon = (day: string): string => `${day}T12:00:00`;
const dated = (format: Intl.DateTimeFormat, iso: string | undefined) => {
  const time = iso === undefined ? NaN : Date.parse(isDay(iso) ? noon(iso) : iso);
  return Number.isNaN(time) ? '' : format.format(time);
};

export const count = (n: number): string => integers().format(n);
export const score = (n: number): string => scores().format(n);
export const percent = (n: number): string => percents().format(n);
export const day = (iso: string | undefined): string => dated(days(), iso);
/** Date and time; only the date for a day. */
export const moment = (iso: string | undefined): string => dated(iso !== undefined && isDay(iso) ? days() : moments(), iso);

const form = (options: Intl.DateTimeFormatOptions) => {
  const made = cached((l) => new Intl.DateTimeFormat(l, options));
  return (iso: string | undefined): string => dated(made(), iso);
};
/** A day without its year. */
export const monthDay = form({ month: 'short', day: 'numeric' });
export const longDay = form({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' });
export const timeOf = form({ hour: 'numeric', minute: '2-digit', hourCycle: 'h23' });
const weekdays = form({ weekday: 'short' });
/** The weekday of a day such as `2026-05-14`. */
export const weekday = (day: string): string => weekdays(day);
export const dayNumber = (day: string): string => count(Number(day.slice(8)));

const unit = (name: 'second' | 'minute' | 'millisecond' | 'byte' | 'kilobyte' | 'megabyte', maximumFractionDigits = 0) => {
  const made = cached((l) => new Intl.NumberFormat(l, { style: 'unit', unit: name, unitDisplay: 'narrow', maximumFractionDigits }));
  // A non-breaking space between number and unit.
  return (n: number): string => made().format(n).replace(/ /g, '\u00a0');
};
export const seconds = unit('second', 1);
export const minutes = unit('minute');
const milliseconds = unit('millisecond');
const fine = unit('millisecond', 2);
const kilobytes = unit('kilobyte');
const megabytes = unit('megabyte', 1);
const bytes = unit('byte');
export const millis = (ms: number): string => (ms >= 1000 ? seconds(ms / 1000) : ms >= 10 ? milliseconds(ms) : fine(ms));
export const size = (n: number): string => (n >= 1e6 ? megabytes(n / 1e6) : n >= 1e3 ? kilobytes(n / 1e3) : bytes(n));

/** The language of a text for screen readers: `ko` if it contains Hangul, else `en`. */
export const langOf = (text: string): Lang => (/[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]/.test(text) ? 'ko' : 'en');
