// Errors of the command line, with a code like those of memfold.
export const failure = (code, message, more = {}) => Object.assign(new Error(message), { code, retryable: false, ...more });

/** Turns an error of the file system or the network into a failure. */
export const failed = (code, what) => (cause) => {
  throw failure(code, `${what}: ${cause.message}`, { cause });
};
