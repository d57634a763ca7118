// What callers hand in, checked as far as JavaScript has to: the rest is the engine's to check.
import { MemfoldError } from './error.js';

/** The error of a bad option. */
export function invalid(field: string, rule: string): MemfoldError {
  return new MemfoldError('invalid_field', `\`${field}\` ${rule}`, { field });
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

/** One id or several. */
export function list(ids: string | string[]): string[] {
  return (Array.isArray(ids) ? ids : [ids]).map((id) => text(id, 'ids'));
}

/** A session by its name. */
export function named(session: string | undefined): { session?: string } {
  return session === undefined ? {} : { session: text(session, 'session') };
}

/** What the engine looks at of a signal, which is an `AbortSignal` to it. */
export function watched(signal: AbortSignal): AbortSignal {
  const seen = {
    get aborted() {
      return signal.aborted;
    },
    get reason(): unknown {
      return signal.reason;
    },
    gone: () => new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }))),
  };
  return seen as unknown as AbortSignal;
}

/** `signal` apart from what crosses as JSON. */
export function split<T extends { signal?: AbortSignal | undefined }>(options: T | undefined): [Omit<T, 'signal'>, AbortSignal | undefined] {
  const { signal, ...rest } = object(options, 'options');
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') throw invalid('signal', 'is not an AbortSignal');
  return [rest, signal && watched(signal)];
}

export function check(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
}
