// `Sync`: exchanges changes between stores, over one validated URL and with bounded replies.
import { check, invalid, refuseUnknown, object, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { MemfoldError, guarded } from './error.js';
import type { Fetch, Signal } from './host.js';
import type { Code, Feed } from './types.js';

/** The most bytes of an answer. A regular one has up to 500 entries with their memories. */
const MOST = 64 * 1024 * 1024;
/** The most answers in one sync; a hub that always announces more is faulty. */
const ROUNDS = 10_000;

/**
 * All known error codes; a hub's answer may contain anything.
 * @internal
 */
export const CODES: ReadonlySet<unknown> = new Set<Code>([
  'invalid_field',
  'unknown_field',
  'invalid_input',
  'too_large',
  'invalid_mail',
  'not_found',
  'already_undone',
  'already_settled',
  'has_dependents',
  'forgotten',
  'conflict',
  'closed',
  'quota_exceeded',
  'blocked',
  'version_too_new',
  'connection_lost',
  'storage',
  'corrupt',
  'unauthorized',
  'rate_limited',
  'embedding',
  'model',
  'invalid_weights',
  'wrong_weights',
  'out_of_memory',
  'aborted',
  'unsupported',
  'trapped',
  'internal',
]);

/** Options of a sync. */
export interface SyncCall {
  /** Stops between two steps; the next sync continues there. */
  signal?: Signal;
  /** A replacement for the host's `fetch`. */
  fetch?: Fetch;
}

/** The numbers of log entries sent and received. */
export interface Exchanged {
  sent: number;
  received: number;
}

/** Sync between stores. */
export class Sync {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /**
   * Syncs as a client with the hub at this URL (`POST` with a bearer token) until both sides are up to date; returns
   * the numbers of entries sent and received. An interrupted sync continues where it stopped. Errors: `unauthorized`
   * for a rejected token; `rate_limited` or `connection_lost` for a busy or unreachable hub (try later); `too_large`
   * for an answer above 64 MiB. The URL must be https, or http on this machine (`localhost`, `127.0.0.0/8`, `[::1]`).
   */
  run(url: string, token: string, options?: SyncCall): Promise<Exchanged> {
    return guarded(async () => {
      const { signal, fetch = globalThis.fetch, key, ...unknown } = object<SyncCall & { key?: unknown }>(options, 'options');
      if (key !== undefined) throw sealedIsGone('key');
      refuseUnknown(unknown, ['signal', 'fetch']);
      text(url, 'url');
      if (/[^\t\x20-\x7e\x80-\xff]/.test(text(token, 'token'))) throw invalid('token', 'has a character that is invalid in a header, such as a line break');
      await this.#engine.checkAddress(url);
      const told = { sent: 0, received: 0 };
      for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
        const feed = await this.#engine.changes(url);
        const answer = await post({ url, token, fetch, signal }, feed);
        const more = await this.#engine.settle(url, feed.upto, answer);
        told.sent += feed.entries.length;
        told.received += answer.entries.length;
        if (!more) return told;
      }
      throw new MemfoldError('too_large', 'the hub keeps announcing more data');
    });
  }

  /** The changes that the named hub has not received yet, one page. For custom transports; see `run`. */
  changes(hub: string): Promise<Feed> {
    return guarded(() => this.#engine.changes(text(hub, 'hub')));
  }

  /** As a hub: merges a client's changes, resolves conflicts and returns the answer. */
  apply(feed: Feed): Promise<Feed> {
    return guarded(() => {
      const told = object(feed ?? null, 'feed');
      for (const field of ['key', 'steps']) if (field in told) throw sealedIsGone(field);
      return this.#engine.apply(told);
    });
  }

  /** Merges a hub's answer to changes up to `upto`. Returns true if there is more to send or receive. */
  settle(hub: string, upto: number, answer: Feed): Promise<boolean> {
    return guarded(() => {
      if (!Number.isSafeInteger(upto) || upto < 0) throw invalid('upto', 'is not an entry number');
      return this.#engine.settle(text(hub, 'hub'), upto, object(answer ?? null, 'answer'));
    });
  }
}

/** The error for a caller or client that still uses sealed sync. */
const sealedIsGone = (field: string) =>
  new MemfoldError('unsupported', `\`${field}\` is refused: sealed sync is gone; docs/upgrade.md says how to move`, { field });

interface Hub {
  url: string;
  token: string;
  fetch: Fetch;
  signal: Signal | undefined;
}

/** Sends a request and returns the hub's answer. */
async function post({ url, token, fetch: send, signal }: Hub, body: Feed): Promise<Feed> {
  check(signal);
  let response: Response;
  let said: string | undefined;
  try {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    response = await send(url, { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error', signal: (signal as AbortSignal | undefined) ?? null });
    said = await readBounded(response);
  } catch (error) {
    check(signal);
    throw new MemfoldError('connection_lost', 'the hub did not answer', { retryable: true, cause: error });
  }
  if (said === undefined) throw new MemfoldError('too_large', `the hub's answer is larger than ${MOST} bytes`);
  let answer: any;
  try {
    answer = JSON.parse(said);
  } catch (error) {
    if (!response.ok) throw refusal(response.status);
    // A syntax error may be a truncated or proxied answer; too deep nesting is the hub's fault.
    if (!(error instanceof SyntaxError)) throw new MemfoldError('invalid_input', "the hub's answer is nested too deeply", { cause: error });
    throw new MemfoldError('connection_lost', "the hub's answer is not JSON", { retryable: true, cause: error });
  }
  if (!response.ok) throw refusal(response.status, answer?.error);
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer;
  throw new MemfoldError('invalid_input', "the hub's answer is not a JSON object");
}

/** The text of a response; nothing for one of more than `MOST` bytes. */
async function readBounded(response: Response): Promise<string | undefined> {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [said, size] = ['', 0];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > MOST) {
      await reader.cancel().catch(() => {});
      return undefined;
    }
    said += decoder.decode(next.value, { stream: true });
  }
  return said + decoder.decode();
}

/** An error from the hub's answer, with its fields validated. */
function refusal(status: number, said?: { code?: unknown; message?: unknown; field?: unknown; retryable?: unknown } | null): MemfoldError {
  const { message: plain = `the hub answered ${status}`, code, ...by } = errorForStatus(status);
  const message = typeof said?.message === 'string' ? said.message.slice(0, 500) : plain;
  if (!CODES.has(said?.code)) return new MemfoldError(code, message, by);
  const field = typeof said!.field === 'string' ? said!.field.slice(0, 100) : undefined;
  return new MemfoldError(said!.code as Code, message, { retryable: said!.retryable === true, field });
}

/** The error for a status without a known code, which may come from a proxy. */
function errorForStatus(status: number): { code: Code; message?: string; field?: string; retryable?: boolean } {
  if (status === 401 || status === 403) return { code: 'unauthorized' };
  if (status === 404 || status === 405 || status === 410)
    return { code: 'invalid_field', field: 'url', message: `\`url\` is not where a hub answers: it says ${status}` };
  if (status === 413) return { code: 'too_large' };
  if (status === 429) return { code: 'rate_limited', retryable: true };
  if (status === 408 || status >= 500) return { code: 'connection_lost', retryable: true };
  return { code: 'internal' };
}
