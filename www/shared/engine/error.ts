// How a failure of the engine crosses from where it runs to where it is shown.

/** What crosses of it. */
export type Fault = { code: string; message: string; retryable: boolean; field?: string; refusal?: string };

/** A failure with the engine's stable code; words for it are in the message catalogue. */
export class EngineError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly field: string | undefined;
  /** Of a model that was asked: why there is no answer. */
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

/** A part of the page itself that is fetched when it is first needed. That it did not come is no fault of the engine. */
export const loaded = <T>(part: Promise<T>): Promise<T> =>
  part.catch((reason) => {
    throw new EngineError({ code: 'not_loaded', message: String(reason?.message ?? reason), retryable: true });
  });

/** What the browser throws by itself, as one of our codes. */
const BROWSER: Readonly<Record<string, string>> = {
  AbortError: 'aborted',
  QuotaExceededError: 'quota_exceeded',
  NotFoundError: 'unreadable',
  NotReadableError: 'unreadable',
  SecurityError: 'unsupported',
  InvalidStateError: 'storage',
  UnknownError: 'storage',
};

/** What was thrown, as it crosses. */
export function faultOf(reason: unknown): Fault {
  const { code, name, message, retryable, field, refusal } = (reason ?? {}) as Record<string, unknown>;
  return {
    code: typeof code === 'string' ? code : ((typeof name === 'string' && BROWSER[name]) || 'internal'),
    message: String(message ?? reason),
    retryable: retryable === true,
    ...(typeof field === 'string' ? { field } : {}),
    ...(typeof refusal === 'string' ? { refusal } : {}),
  };
}
