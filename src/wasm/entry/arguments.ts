// Checks of arguments that only JavaScript can make; the engine checks the rest.
import { MemfoldError } from './error.js';
import { withSuggestion } from './hints.js';
import type { Signal } from './host.js';

/** An `invalid_field` error. */
export function invalid(field: string, rule: string): MemfoldError {
  return new MemfoldError('invalid_field', `\`${field}\` ${rule}`, { field });
}

/** Throws if `unknown` has a field. `names` are the known fields; `within` is the path prefix. */
export function refuseUnknown(unknown: object, names: readonly string[], within = ''): void {
  const [extra] = Object.keys(unknown);
  if (extra === undefined) return;
  const expected = names.map((name) => `\`${name}\``).join(', ');
  throw new MemfoldError('unknown_field', withSuggestion(`unknown field \`${extra}\`, expected ${expected}`), { field: `${within}${extra}` });
}

/** The first `limit` items; all without a limit. */
export function first<T>(list: T[], limit: number | undefined): T[] {
  if (limit === undefined) return list;
  if (!Number.isInteger(limit) || limit < 0) throw invalid('limit', 'must be a whole number from 0');
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

/** The deepest nesting that the engine's JSON parser accepts. */
const DEEP = 96;

/**
 * Throws for numbers and dates that are not finite, since JSON would turn them into null. Also throws for cyclic or too
 * deeply nested values.
 */
export function checkFinite<T>(value: T, path = '', around: object[] = []): T {
  const field = path || 'value';
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid(field, 'is not a finite number');
  if (value instanceof Date && Number.isNaN(value.getTime())) throw invalid(field, 'is not a time');
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return value;
  if (around.includes(value)) throw new MemfoldError('invalid_input', `\`${field}\` contains itself`, { field });
  if (around.length >= DEEP) throw new MemfoldError('invalid_input', `\`${field}\` is nested too deeply`, { field });
  around.push(value);
  // The fields of an argument are named without the argument.
  if (isList) for (const [n, one] of value.entries()) checkFinite(one, path && `${path}[${n}]`, around);
  else for (const [name, one] of Object.entries(value)) checkFinite(one, path === '' ? name : `${path}.${name}`, around);
  around.pop();
  return value;
}

/** Normalises one id or several to a list. */
export function list(ids: string | string[]): string[] {
  return (Array.isArray(ids) ? ids : [ids]).map((id) => text(id, 'ids'));
}

/** The session option of a session id. */
export function named(session: string | undefined): { session?: string } {
  return session === undefined ? {} : { session: text(session, 'session') };
}

/** The original signal of each wrapper from `wrapSignal`. */
const originals = new WeakMap<object, Signal>();

/** The original signal of a wrapper from `wrapSignal`; any other value unchanged. */
export const unwrapSignal = (value: unknown): unknown => (typeof value === 'object' && value !== null ? (originals.get(value) ?? value) : value);

/** Wraps a signal for the engine, which expects an `AbortSignal` with a `gone` promise. */
export function wrapSignal(signal: Signal): AbortSignal {
  const seen = {
    get aborted() {
      return signal.aborted;
    },
    get reason(): unknown {
      return signal.reason;
    },
    gone: () => new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }))),
  };
  originals.set(seen, signal);
  return seen as unknown as AbortSignal;
}

/** Separates `signal` from the options that cross as JSON. */
export function split<T extends { signal?: Signal | undefined }>(options: T | undefined): [Omit<T, 'signal'>, AbortSignal | undefined] {
  const { signal, ...rest } = object(options, 'options');
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') throw invalid('signal', 'is not an AbortSignal');
  return [rest, signal && wrapSignal(signal)];
}

export function check(signal: Signal | undefined): void {
  if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
}
