// Error codes of mails, and whether the mail is the cause.

export const codeOf = (reason: unknown): string => {
  const { code } = (reason ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'internal';
};

/** Tries before a mail is set aside; each is counted before it starts. */
export const TRIES = 3;

/** Codes that any mail would cause; retryable errors are not the mail's fault either. */
const NOT_THE_MAIL = new Set(['closed', 'quota_exceeded', 'aborted', 'version_too_new', 'unsupported']);
export const isTheMails = (reason: unknown): boolean => (reason as { retryable?: unknown } | null)?.retryable !== true && !NOT_THE_MAIL.has(codeOf(reason));

/** Milliseconds without progress after which an engine is given up, with time for model calls. */
const PATIENCE = 180_000;

/** Waits for `work` as long as it calls `alive` now and then. */
export async function withPatience<T>(work: (alive: () => void) => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let late = (_: Error): void => undefined;
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => late(Object.assign(new Error('the engine does not answer'), { code: 'timeout' })), PATIENCE);
  };
  const silence = new Promise<never>((_, reject) => (late = reject));
  alive();
  try {
    return await Promise.race([work(alive), silence]);
  } finally {
    clearTimeout(timer);
  }
}
