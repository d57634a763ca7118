// Time zones as given to the command line and the Worker: `Europe/London`, `+09:00`, or minutes
// east of UTC.

/** The zone in the form that `open` takes; undefined if unknown. */
export function zoneOf(given: string | number | boolean): string | number | undefined {
  const text = String(given).trim();
  if (/^-?\d+$/.test(text)) return Math.abs(Number(text)) <= 1_080 ? Number(text) : undefined;
  return minutesIn(text) !== undefined || isNamed(text) ? text : undefined;
}

/** The minutes east of UTC of an offset such as `+09:00`. */
function minutesIn(text: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const east = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return Math.abs(east) <= 1_080 ? east : undefined;
}

function isNamed(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).format(0) !== '';
  } catch {
    return false;
  }
}

/** The local time of a zone, as `2026-05-15 14:00`; by default that of the machine. */
export function clockIn(zone: string | number | undefined, time: number): string {
  const minutes = typeof zone === 'number' ? zone : minutesIn(zone ?? '');
  const [at, timeZone] = minutes === undefined ? [time, zone as string | undefined] : [time + minutes * 60_000, 'UTC'];
  const form = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const parts = new Map(new Intl.DateTimeFormat('en-GB', form).formatToParts(at).map(({ type, value }) => [type, value]));
  const [year, month, day, hour, minute] = ['year', 'month', 'day', 'hour', 'minute'].map((part) => parts.get(part as Intl.DateTimeFormatPartTypes) ?? '');
  return `${year}-${month}-${day} ${hour}:${minute}`;
}

/** The local day of a day or a time, as `2026-05-15`. */
export const dayIn = (zone: string | number | undefined, at: string | number): string =>
  typeof at === 'string' && /^\d{4}-\d\d-\d\d$/.test(at) ? at : clockIn(zone, typeof at === 'number' ? at : Date.parse(at)).slice(0, 10);
