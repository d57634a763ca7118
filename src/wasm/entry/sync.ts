// How stores tell each other what has changed.
import { check, invalid, known, object, split, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { MemfoldError, guarded } from './error.js';
import type { Fetch, Signal } from './host.js';
import { exchanges } from './exchange.js';
import { hub as hubOf, type Sealed } from './holding.js';
import type { Feed, Refused } from './types.js';

/** How a client exchanges what has changed. */
export interface SyncCall {
  /** 32 random bytes, by which everything is sealed. */
  key?: Uint8Array;
  /** Begins anew with what the hub has. */
  again?: boolean;
  /** Stops between two steps; the next exchange goes on there. */
  signal?: Signal;
  /** Instead of the host's. */
  fetch?: Fetch;
}

/** What an exchange has sent and received, in entries of the log. */
export interface Exchanged {
  sent: number;
  received: number;
  /** Memories in the clear that were not taken in. */
  refused?: Refused[];
}

/** How stores tell each other what has changed. */
export class Sync {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /**
   * As a client: tells the hub at this address (`POST`, with a bearer token) what has changed here, and takes over what came of
   * both, until neither has more to say. Broken off, it goes on where it was. Gives the entries sent and received. A token that is not
   * taken is `unauthorized`; a hub that is busy or down is `rate_limited` or `connection_lost`, and may be asked again later. The address
   * is https, or http on this machine (`localhost`, `127.0.0.0/8`, `[::1]`); of an answer 64 MiB are read, else it is `too_large`.
   *
   * With a `key` of 32 random bytes, which all clients of this owner share and the hub never sees, everything goes out sealed
   * and is verified when it comes back; see "Sealed" in docs/sync.md for what the hub still sees and can do. Rejects with
   * `wrong_key`; with `tampered` where anything was put in, changed or taken out; with `rolled_back` where the hub has less than
   * it had, until `again: true` begins anew with what it has. `refused` are memories in the clear that were not taken in.
   */
  run(url: string, token: string, options?: SyncCall): Promise<Exchanged> {
    return guarded(async () => {
      const { signal, key, again = false, fetch = globalThis.fetch, ...unknown } = object(options, 'options');
      known(unknown, ['key', 'again', 'signal', 'fetch']);
      const [, watch] = split(signal && { signal });
      const how = { url: text(url, 'url'), token: text(token, 'token'), fetch, key, again, signal, watched: watch, check: () => check(signal) };
      return exchanges(this.#engine, (...what: ConstructorParameters<typeof MemfoldError>) => new MemfoldError(...what), how)() as Promise<Exchanged>;
    });
  }

  /** What the hub of this name has not been told yet: one page of it. For transports of one's own; see `run`. */
  changes(hub: string): Promise<Feed> {
    return guarded(() => this.#engine.changes(text(hub, 'hub')));
  }

  /** As a hub: takes in what a client tells, decides where both have changed the same, and answers. */
  apply(feed: Feed): Promise<Feed>;
  /** As a hub: keeps what a client has sealed, and answers with what others have. */
  apply(feed: Sealed): Promise<Sealed>;
  apply(feed: Feed | Sealed): Promise<Feed | Sealed> {
    return guarded((): Promise<Feed | Sealed> => {
      const told = object(feed ?? null, 'feed');
      const { hold, sameKey } = hubOf(this.#engine, (...what) => new MemfoldError(...what));
      return 'steps' in told ? hold(told) : sameKey(told.key).then(() => this.#engine.apply(told));
    });
  }

  /** Takes over what a hub has answered to changes up to `upto`. True where there is more to tell or to be told. */
  settle(hub: string, upto: number, answer: Feed): Promise<boolean> {
    return guarded(() => {
      if (!Number.isSafeInteger(upto) || upto < 0) throw invalid('upto', 'is not the number of an entry');
      return this.#engine.settle(text(hub, 'hub'), upto, object(answer ?? null, 'answer'));
    });
  }
}
