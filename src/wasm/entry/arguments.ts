// What callers hand in, checked as far as JavaScript has to: the rest is the engine's to check.
import { MemfoldError } from './error.js';
import { hinted } from './hints.js';
import type { Signal } from './host.js';

/** The error of a bad option. */
export function invalid(field: string, rule: string): MemfoldError {
  return new MemfoldError('invalid_field', `\`${field}\` ${rule}`, { field });
}

/** Refuses a field that nobody knows; `names` are those that there are, `within` is what they lie in. */
export function known(unknown: object, names: readonly string[], within = ''): void {
  const [extra] = Object.keys(unknown);
  if (extra === undefined) return;
  const expected = names.map((name) => `\`${name}\``).join(', ');
  throw new MemfoldError('unknown_field', hinted(`unknown field \`${extra}\`, expected ${expected}`), { field: `${within}${extra}` });
}

/** At most so many, where a number is named. */
export function first<T>(list: T[], limit: number | undefined): T[] {
  if (limit === undefined) return list;
  if (!Number.isInteger(limit) || limit < 0) throw invalid('limit', 'is not a whole number from 0 up');
  return list.slice(0, limit);
}

export function text<T extends string>(value: T, field: string): T {
  if (typeof value !== 'string') throw invalid(field, 'is not a string');
  return value;
}

export function object<T extends object>(value: T | null | undefined, field: string): T {
  if (value === undefined) return {} as T;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(field, 'is not an object');
  return value;
}

/** How deep what callers hand in may lie in each other: as deep as the engine reads. */
const DEEP = 96;

/**
 * Refuses numbers and times that are none: crossing as JSON they would pass for what was not given. And what holds itself, or lies
 * too deep, which would not cross at all.
 */
export function finite<T>(value: T, field = 'value', around: object[] = []): T {
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid(field, 'is not a finite number');
  if (value instanceof Date && Number.isNaN(value.getTime())) throw invalid(field, 'is not a time');
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return value;
  if (around.includes(value)) throw new MemfoldError('invalid_input', `\`${field}\` holds itself`, { field });
  if (around.length >= DEEP) throw new MemfoldError('invalid_input', `\`${field}\` is nested too deeply`, { field });
  around.push(value);
  if (isList) for (const one of value) finite(one, field, around);
  else for (const [name, one] of Object.entries(value)) finite(one, name, around);
  around.pop();
  return value;
}

/** One id or several. */
export function list(ids: string | string[]): string[] {
  return (Array.isArray(ids) ? ids : [ids]).map((id) => text(id, 'ids'));
}

/** A session by its name. */
export function named(session: string | undefined): { session?: string } {
  return session === undefined ? {} : { session: text(session, 'session') };
}

/** The signals behind those that the engine looks at. */
const behind = new WeakMap<object, Signal>();

/** The signal behind one that `watched` gave, or whatever else it is. */
export const unwatched = (value: unknown): unknown => (typeof value === 'object' && value !== null ? (behind.get(value) ?? value) : value);

/** What the engine looks at of a signal, which is an `AbortSignal` to it. */
export function watched(signal: Signal): AbortSignal {
  const seen = {
    get aborted() {
      return signal.aborted;
    },
    get reason(): unknown {
      return signal.reason;
    },
    gone: () => new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }))),
  };
  behind.set(seen, signal);
  return seen as unknown as AbortSignal;
}

/** `signal` apart from what crosses as JSON. */
export function split<T extends { signal?: Signal | undefined }>(options: T | undefined): [Omit<T, 'signal'>, AbortSignal | undefined] {
  const { signal, ...rest } = object(options, 'options');
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') throw invalid('signal', 'is not an AbortSignal');
  return [rest, signal && watched(signal)];
}

export function check(signal: Signal | undefined): void {
  if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
}
