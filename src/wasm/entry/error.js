// Errors as applications see them. They know nothing of where they come from.

/** An error with a stable `code`. Branch on the code, never on the message. */
export class MemfoldError extends Error {
  constructor(code, message, { retryable = false, field, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MemfoldError';
    this.code = code;
    this.retryable = retryable;
    if (field !== undefined) this.field = field;
  }
}

/** What was thrown, as a `MemfoldError`. */
export function typed(error) {
  if (error instanceof MemfoldError) return error;
  if (typeof error?.code === 'string' && typeof error.retryable === 'boolean') {
    const { code, message, retryable, field, cause } = error;
    return new MemfoldError(code, message, { retryable, field, cause });
  }
  // A host that lacks something: a fault, whatever its shape.
  return new MemfoldError('internal', `memfold failed: ${error?.message ?? error}`, { cause: error });
}
