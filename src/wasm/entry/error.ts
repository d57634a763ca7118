// The public error class.
import { withSuggestion } from './hints.js';
import type { Code } from './types.js';

/** An error with a stable `code`. Branch on the code, never on the message. */
export class MemfoldError extends Error {
  override readonly name = 'MemfoldError';
  readonly code: Code;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The invalid field, such as `people[3]`. */
  declare readonly field?: string;
  /** For `has_dependents`: the ids of the log entries that build on this one. */
  declare readonly dependents?: string[];
  /** The underlying error. */
  declare readonly cause?: unknown;

  /** @internal */
  constructor(
    code: Code,
    message: string,
    {
      retryable = false,
      field,
      cause,
      dependents,
    }: { retryable?: boolean | undefined; field?: string | undefined; cause?: unknown; dependents?: string[] | undefined } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    if (field !== undefined) this.field = field;
    if (dependents !== undefined) this.dependents = dependents;
  }
}

/**
 * Creates an error, for code that must not depend on the class.
 * @internal
 */
export type Fail = (...what: ConstructorParameters<typeof MemfoldError>) => MemfoldError;

/**
 * Converts a thrown value to a `MemfoldError`.
 * @internal
 */
export function typed(error: unknown): MemfoldError {
  if (error instanceof MemfoldError) return error;
  const said = error as Partial<MemfoldError> | undefined | null;
  if (typeof said?.code === 'string' && typeof said.retryable === 'boolean') {
    const { code, message = '', retryable, field, cause, dependents } = said;
    return new MemfoldError(code, withSuggestion(message), { retryable, field, cause, dependents });
  }
  // An exception of the host, whatever its type.
  return new MemfoldError('internal', `memfold failed: ${said?.message ?? error}`, { cause: error });
}

/**
 * Runs `work`; anything thrown becomes a `MemfoldError`.
 * @internal
 */
export async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw typed(error);
  }
}
