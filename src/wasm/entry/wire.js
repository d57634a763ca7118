// How a question leaves the device, whatever it asks: one checked address, the key in its header, bounded replies, time
// limits, retries, and a rest after failures. It knows no dialect and judges no reply.

/** Bytes of a response that are read, unless told otherwise. */
const MOST = 1024 * 1024;
/** Tries of one question, all within its time limit. */
const TRIES = 3;
/** Milliseconds before the second try; the third waits twice as long. */
const PAUSE = 400;
/** Milliseconds that nobody waits for a next try, whoever asks for them. */
const LONG = 10_000;
/** Milliseconds for which nothing is sent after a failure; doubled with each further one, up to the second figure. */
const REST = [30_000, 600_000];
/** The longest time limit that a timer takes. */
const LONGEST = 2 ** 31 - 1;

/** What went wrong, as the log names it. */
export class Refusal extends Error {
  constructor(refusal, { again = false, after } = {}) {
    super(refusal);
    Object.assign(this, { refusal, again, after });
  }
}

/** An endpoint's address, checked; `path` makes the whole of its path. `invalid(field, rule)` makes the error of a bad option. */
export function address(url, path, field, invalid) {
  let at;
  try {
    at = new URL(url);
  } catch {
    throw invalid(field, 'is not a URL');
  }
  const here = at.hostname === 'localhost' || at.hostname === '[::1]' || /^127(\.\d+){3}$/.test(at.hostname);
  if (at.protocol !== 'https:' && !(at.protocol === 'http:' && here)) throw invalid(field, 'is not https');
  if (at.username || at.password) throw invalid(field, 'holds a user or password');
  at.hash = '';
  at.pathname = path(at.pathname.replace(/\/+$/, ''));
  return at;
}

/** What every endpoint is named by, checked. Returns the dialect and its address. */
export function endpointOf(options, dialects, field, invalid, known = []) {
  if (typeof options !== 'object' || options === null) throw invalid(field, 'is not an object');
  const { dialect: named, url, model, key } = options;
  const extra = Object.keys(options).find((name) => !['dialect', 'url', 'model', 'key', ...known].includes(name));
  if (extra !== undefined) throw invalid(`${field}.${extra}`, 'is not known');
  const names = Object.keys(dialects);
  if (!names.includes(named)) throw invalid(`${field}.dialect`, `is not ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
  if (typeof model !== 'string' || model === '') throw invalid(`${field}.model`, 'is not a name');
  if (key !== undefined && !(typeof key === 'string' && /^[\x21-\x7e]+$/.test(key))) throw invalid(`${field}.key`, 'is not a key');
  const dialect = dialects[named];
  const at = address(url, (path) => dialect.path(path, model), `${field}.url`, invalid);
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : dialect.headers(key, at.hostname)) };
  return { dialect, at, headers };
}

/** Milliseconds that a response asks to wait. */
function wanted(response) {
  const value = response.headers.get('retry-after');
  const ms = value === null ? NaN : /^\d+$/.test(value) ? value * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}

/** The text of a response that is not larger than that; else it is not read to its end. */
export async function bounded(response, most) {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) {
      await reader.cancel().catch(() => {});
      throw new Refusal('too_large');
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}

/** What a status says; none of a good one. */
function refused({ status, type }, after) {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) return new Refusal('redirected');
  if (status === 401 || status === 403) return new Refusal('unauthorized');
  if (status === 404) return new Refusal('not_found');
  if (status === 429) return new Refusal('rate_limited', { again: true, after });
  if (status === 408 || status >= 500) return new Refusal('server_error', { again: true, after });
  return status >= 400 ? new Refusal('rejected') : undefined;
}

/** How a response begins, for a person to read. */
async function beginning(response) {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read().catch(() => {})) ?? {};
  await reader?.cancel().catch(() => {});
  return new TextDecoder().decode(value?.subarray(0, 2_000));
}

/** Posts a value and gives the value that comes back. What a refusal says is put into `heard`, where somebody listens. */
export async function post(at, headers, value, signal, { most = MOST, heard } = {}) {
  let text;
  try {
    // Followed by hand, that is never: a redirect would carry mail, and perhaps the key, elsewhere.
    const response = await fetch(at, { method: 'POST', headers, body: JSON.stringify(value), signal, redirect: 'manual' });
    const why = refused(response, wanted(response));
    if (why && heard) heard.said = await beginning(response);
    else if (why) await response.body?.cancel().catch(() => {});
    if (why) throw Object.assign(why, { status: response.status });
    text = await bounded(response, most);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(signal.aborted ? 'timeout' : 'unreachable', { again: !signal.aborted });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('not_json');
  }
}

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(new Refusal('timeout'))), { once: true });
  });

/** Tries again what may pass by itself. `other(error)` says whether it is to be tried at once in another form. */
export async function tried(once, signal, other = () => false, most = TRIES) {
  for (let tries = 1; ; ) {
    try {
      return await once();
    } catch (error) {
      if (other(error)) continue;
      if (!error.again || tries >= most || error.after > LONG) throw error;
      await pause(error.after ?? PAUSE * 2 ** (tries - 1) * (0.5 + Math.random()), signal);
      tries += 1;
    }
  }
}

/** Rejects when time is up, or nobody waits any more: not everybody who is given a signal looks at it. */
const late = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason ?? new Refusal('timeout')), { once: true }));

/** The same work, but nothing is begun for a while after a failure: one dead endpoint costs one time limit, not one for each memory. */
export function rested(work, spares = () => false) {
  let [failures, until] = [0, 0];
  return async (given, call) => {
    if (Date.now() < until) throw new Refusal('resting');
    try {
      const done = await Promise.race([work(given, call), late(call.signal)]);
      failures = 0;
      return done;
    } catch (error) {
      if (spares(error, given, call)) throw error;
      until = Date.now() + Math.max(Math.min(REST[0] * 2 ** failures, REST[1]), Math.min(error?.after ?? 0, REST[1]));
      failures += 1;
      throw error;
    }
  };
}

/** What `work` gives within its time, else `{ refusal }`; it never rejects. `stop` fires when nobody waits any more. */
export async function timely(work, patience, stop) {
  const late = new AbortController();
  let timer;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(() => {
      resolve({ refusal: 'timeout' });
      late.abort(new Refusal('timeout'));
    }, Math.min(patience, LONGEST));
  });
  stop?.addEventListener('abort', () => late.abort(new Refusal('given_up')), { once: true });
  try {
    return await Promise.race([work(late.signal).catch((error) => ({ refusal: String(error?.refusal) })), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
