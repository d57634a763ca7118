// Days and times of memories in the reader's zone. A day (`2026-05-15`) is the same in every zone;
// a time is an instant.

/** The reader's IANA time zone. */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const isDay = (at: string): boolean => /^\d{4}-\d\d-\d\d$/.test(at);

const two = (n: number): string => String(n).padStart(2, '0');

/** The local day of a date. */
export const dayOf = (date: Date): string => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** Noon of a day. */
export const dateOf = (day: string): Date => new Date(`${day}T12:00:00`);

export const daysAfter = (day: string, n: number): string => {
  const date = dateOf(day);
  date.setDate(date.getDate() + n);
  return dayOf(date);
};

/** The local day of a day or a time; empty if invalid. */
export function dayAt(at: string): string {
  if (isDay(at)) return at;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : dayOf(date);
}

/** Compares stored days, times or ids by code unit, independent of the language. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
