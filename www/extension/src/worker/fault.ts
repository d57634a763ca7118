// What went wrong with a mail, and whether the mail is to blame. It decides nothing about what follows.

export const codeOf = (reason: unknown): string => {
  const { code } = (reason ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'internal';
};

/** A mail is tried so often before it is set aside. A try is counted before it is made. */
export const TRIES = 3;

/** Codes that would come for any mail; what may succeed later is no mail's fault either. */
const NOT_THE_MAIL = new Set(['closed', 'quota_exceeded', 'aborted', 'version_too_new', 'unsupported']);
export const isTheMails = (reason: unknown): boolean =>
  (reason as { retryable?: unknown } | null)?.retryable !== true && !NOT_THE_MAIL.has(codeOf(reason));

/** Milliseconds without a sign of life after which an engine is given up; a model may take some of them. */
const PATIENCE = 180_000;

/** Waits for `work` as long as it says every now and then, by `alive`, that it goes on. */
export async function patiently<T>(work: (alive: () => void) => Promise<T>): Promise<T> {
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
