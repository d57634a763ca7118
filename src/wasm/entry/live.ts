// Live queries: repeated after every change. Exported as `memfold/live` for pages whose engine runs elsewhere.
import { invalid, object, text } from './arguments.js';
import { callSafely, type Hears, type Stop } from './changes.js';
import { typed, type MemfoldError } from './error.js';
import type { Hit, ListOptions, Memory, SearchOptions } from './types.js';

/** Milliseconds to collect changes before a query is repeated. */
const GATHERED = 25;

/** The source of live queries: a memory, or a proxy that forwards its calls and changes. */
export interface LiveSource {
  search(query: string, options?: SearchOptions): Promise<Hit[]>;
  list(options?: ListOptions): Promise<Memory[]>;
  subscribe(hears: Hears): Stop;
}

/** Identifies a memory's state, to detect changed results. */
const versionOf = (m: Memory): string => `${m.id} ${m.revision}`;

/**
 * Live queries: results that follow changes in any tab or worker until they are stopped; `memories.live`. For a memory
 * behind messages, such as in an extension's service worker, create one with `new Live` from `memfold/live`.
 */
export class Live {
  readonly #source: LiveSource;

  constructor(asked: LiveSource) {
    this.#source = asked;
  }

  /**
   * Calls back with the search results, now and whenever they change. A `session` records the query only once. Errors
   * go to `onError` or, by default, to the console.
   */
  search(query: string, options: SearchOptions | undefined, callback: (hits: Hit[]) => void, onError?: (error: MemfoldError) => void): Stop {
    let { session, ...rest } = object(options, 'options');
    text(query, 'query');
    const run = () => {
      const asked = session === undefined ? rest : { ...rest, session };
      session = undefined;
      return this.#source.search(query, asked);
    };
    const differs = (hits: Hit[]) => hits.map((h) => `${versionOf(h.memory)} ${h.score.toFixed(3)} ${h.mayBeOutdatedBy?.join(' ') ?? ''}`).join();
    return this.#watch(run, differs, callback, onError);
  }

  /** Calls back with a page of memories, now and whenever it changes. */
  list(options: ListOptions | undefined, callback: (memories: Memory[]) => void, onError?: (error: MemfoldError) => void): Stop {
    const given = object(options, 'options');
    return this.#watch(() => this.#source.list(given), (memories) => memories.map(versionOf).join(), callback, onError);
  }

  #watch<T>(run: () => Promise<T>, differs: (value: T) => string, callback: (value: T) => void, onError: ((error: MemfoldError) => void) | undefined): Stop {
    if (typeof callback !== 'function') throw invalid('callback', 'is not a function');
    if (onError !== undefined && typeof onError !== 'function') throw invalid('onError', 'is not a function');
    let [stopped, asking, again] = [false, false, false];
    let shown: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (value: T): void => {
      const now = differs(value);
      if (stopped || now === shown) return;
      shown = now;
      callSafely(() => callback(value));
    };
    const fail = (error: unknown): void => {
      shown = undefined;
      const told = typed(error);
      if (stopped) return;
      if (onError) callSafely(() => onError(told));
      // Retryable errors are not logged, since the next change repeats the query.
      else if (!told.retryable && told.code !== 'closed') console.error('memfold: a live query failed without an `onError` callback', told);
    };
    const ask = async (): Promise<void> => {
      timer = undefined;
      if (asking) return void (again = true);
      asking = true;
      do {
        again = false;
        await run().then(show, fail);
      } while (again && !stopped);
      asking = false;
    };
    const stop = this.#source.subscribe(() => void (timer ??= setTimeout(() => void ask(), GATHERED)));
    void ask();
    return () => {
      stopped = true;
      clearTimeout(timer);
      stop();
    };
  }
}
