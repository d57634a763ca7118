// Days and times of memories, by the reader's clock. A day (`2026-05-15`) is the same day in every zone; all else is a point in time.

/** The reader's time zone, by its IANA name. */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const isDay = (at: string): boolean => /^\d{4}-\d\d-\d\d$/.test(at);

const two = (n: number): string => String(n).padStart(2, '0');

/** The day of the calendar that a date lies in. */
export const dayOf = (date: Date): string => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** Noon of a day of the calendar. */
export const dateOf = (day: string): Date => new Date(`${day}T12:00:00`);

export const daysAfter = (day: string, n: number): string => {
  const date = dateOf(day);
  date.setDate(date.getDate() + n);
  return dayOf(date);
};

/** The day on which a day or a time lies; empty for what is neither. */
export function dayAt(at: string): string {
  if (isDay(at)) return at;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : dayOf(date);
}

/** The order of two days, times or ids as they are stored: by their letters, which no language changes. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
