// `Sync`: exchanges changes between stores.
import { check, invalid, refuseUnknown, object, split, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { MemfoldError, guarded } from './error.js';
import type { Fetch, Signal } from './host.js';
import { exchanges } from './exchange.js';
import { hub as hubOf, type Sealed } from './holding.js';
import type { Feed, Refused } from './types.js';

/** Options of a sync. */
export interface SyncCall {
  /** A key of 32 random bytes for end-to-end encryption. */
  key?: Uint8Array;
  /** Restarts from the hub's state. */
  again?: boolean;
  /** Stops between two steps; the next sync continues there. */
  signal?: Signal;
  /** A replacement for the host's `fetch`. */
  fetch?: Fetch;
}

/** The numbers of log entries sent and received. */
export interface Exchanged {
  sent: number;
  received: number;
  /** Unencrypted memories that were not accepted. */
  refused?: Refused[];
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
   *
   * With a `key` of 32 random bytes, shared by all clients of this owner but not the hub, all data is encrypted and
   * verified; see "Sealed" in docs/sync.md for what the hub can still see and do. Errors: `wrong_key`; `tampered` if
   * data was added, changed or removed; `rolled_back` if the hub has lost data, until `again: true` restarts from its
   * state. `refused` lists unencrypted memories that were not accepted.
   */
  run(url: string, token: string, options?: SyncCall): Promise<Exchanged> {
    return guarded(async () => {
      const { signal, key, again = false, fetch = globalThis.fetch, ...unknown } = object(options, 'options');
      refuseUnknown(unknown, ['key', 'again', 'signal', 'fetch']);
      const [, watch] = split(signal && { signal });
      const how = { url: text(url, 'url'), token: text(token, 'token'), fetch, key, again, signal, watched: watch, check: () => check(signal) };
      return exchanges(this.#engine, (...what: ConstructorParameters<typeof MemfoldError>) => new MemfoldError(...what), how)() as Promise<Exchanged>;
    });
  }

  /** The changes that the named hub has not received yet, one page. For custom transports; see `run`. */
  changes(hub: string): Promise<Feed> {
    return guarded(() => this.#engine.changes(text(hub, 'hub')));
  }

  /** As a hub: merges a client's changes, resolves conflicts and returns the answer. */
  apply(feed: Feed): Promise<Feed>;
  /** As a hub: stores a client's sealed data and returns that of other clients. */
  apply(feed: Sealed): Promise<Sealed>;
  apply(feed: Feed | Sealed): Promise<Feed | Sealed> {
    return guarded((): Promise<Feed | Sealed> => {
      const told = object(feed ?? null, 'feed');
      const { hold, sameKey } = hubOf(this.#engine, (...what) => new MemfoldError(...what));
      return 'steps' in told ? hold(told) : sameKey(told.key).then(() => this.#engine.apply(told));
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
