// Errors of the engine, as they are sent between threads.

/** An error as sent. */
export type Fault = { code: string; message: string; retryable: boolean; field?: string; refusal?: string };

/** An error with the engine's stable code; the message catalogue has its text. */
export class EngineError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly field: string | undefined;
  /** For a model request: why it failed. */
  readonly refusal: string | undefined;
  constructor({ code, message, retryable, field, refusal }: Fault) {
    super(message);
    this.name = 'EngineError';
    this.code = code;
    this.retryable = retryable;
    this.field = field;
    this.refusal = refusal;
  }
}

/** Imports a part of the page. A failure is the network's, not the engine's. */
export const loaded = <T>(part: Promise<T>): Promise<T> =>
  part.catch((reason) => {
    throw new EngineError({ code: 'not_loaded', message: String(reason?.message ?? reason), retryable: true });
  });

/** The value; undefined if nothing has this id any more. */
export const unlessMissing = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((reason: unknown) => {
    if ((reason as { code?: string } | undefined)?.code === 'not_found') return undefined;
    throw reason;
  });

/** Codes for the browser's own errors. */
const BROWSER: Readonly<Record<string, string>> = {
  AbortError: 'aborted',
  QuotaExceededError: 'quota_exceeded',
  NotFoundError: 'unreadable',
  NotReadableError: 'unreadable',
  SecurityError: 'unsupported',
  InvalidStateError: 'storage',
  UnknownError: 'storage',
};

/** Converts a thrown value to an error that can be sent. */
export function faultOf(reason: unknown): Fault {
  const { code, name, message, retryable, field, refusal } = (reason ?? {}) as Record<string, unknown>;
  return {
    code: typeof code === 'string' ? code : (typeof name === 'string' && BROWSER[name]) || 'internal',
    message: String(message ?? reason),
    retryable: retryable === true,
    ...(typeof field === 'string' ? { field } : {}),
    ...(typeof refusal === 'string' ? { refusal } : {}),
  };
}
