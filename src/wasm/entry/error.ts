// Errors as applications see them. They know nothing of where they come from.
import { hinted } from './hints.js';
import type { Code } from './types.js';

/** An error with a stable `code`. Branch on the code, never on the message. */
export class MemfoldError extends Error {
  override readonly name = 'MemfoldError';
  readonly code: Code;
  /** Whether the same call may succeed later without being changed. */
  readonly retryable: boolean;
  /** The field at fault, such as `people[3]`. */
  declare readonly field?: string;
  /** Of `has_dependents`: the entries of the log that build on this one. */
  declare readonly dependents?: string[];
  /** What the layer below said. */
  declare readonly cause?: unknown;

  /** @internal */
  constructor(code: Code, message: string, { retryable = false, field, cause, dependents }: { retryable?: boolean | undefined; field?: string | undefined; cause?: unknown; dependents?: string[] | undefined } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    if (field !== undefined) this.field = field;
    if (dependents !== undefined) this.dependents = dependents;
  }
}

/**
 * How an error is made, where its class is of no concern.
 * @internal
 */
export type Fail = (...what: ConstructorParameters<typeof MemfoldError>) => MemfoldError;

/**
 * What was thrown, as a `MemfoldError`.
 * @internal
 */
export function typed(error: unknown): MemfoldError {
  if (error instanceof MemfoldError) return error;
  const said = error as Partial<MemfoldError> | undefined | null;
  if (typeof said?.code === 'string' && typeof said.retryable === 'boolean') {
    const { code, message = '', retryable, field, cause, dependents } = said;
    return new MemfoldError(code, hinted(message), { retryable, field, cause, dependents });
  }
  // A host that lacks something: a fault, whatever its shape.
  return new MemfoldError('internal', `memfold failed: ${said?.message ?? error}`, { cause: error });
}

/**
 * Does `work`; whatever it throws is a `MemfoldError`.
 * @internal
 */
export async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw typed(error);
  }
}
