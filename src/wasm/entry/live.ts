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

/**
 * A live query without a callback. It is a Svelte store (`$query`), an async iterable (`for await`), and a source for Vue's
 * `shallowRef`. Each subscription runs the query on its own.
 */
export interface LiveQuery<T> extends AsyncIterable<T> {
  /** Calls back at once with `undefined`, then with each result. Errors go to `onError` or, by default, to the console. */
  subscribe(callback: (value: T | undefined) => void, onError?: (error: MemfoldError) => void): Stop;
  /** The results from now on; those that arrive while one is processed are replaced by the newest. Throws if the query fails. */
  [Symbol.asyncIterator](): AsyncIterator<T, void>;
}

type Begin<T> = (callback: (value: T) => void, onError?: (error: MemfoldError) => void) => Stop;

function queryOf<T>(begin: Begin<T>): LiveQuery<T> {
  return {
    subscribe(callback, onError) {
      const stop = begin(callback, onError);
      callSafely(() => callback(undefined));
      return stop;
    },
    async *[Symbol.asyncIterator]() {
      let [next, failed]: [{ value: T } | undefined, MemfoldError | undefined] = [undefined, undefined];
      let wake = () => {};
      const stop = begin(
        (value) => ((next = { value }), wake()),
        (error) => ((failed = error), wake()),
      );
      try {
        for (;;) {
          if (!next && !failed) await new Promise<void>((resolve) => (wake = resolve));
          if (failed) throw failed;
          const { value } = next!;
          next = undefined;
          yield value;
        }
      } finally {
        stop();
      }
    },
  };
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
   * go to `onError` or, by default, to the console. Without a callback, it returns the query to subscribe to.
   */
  search(query: string, options?: SearchOptions): LiveQuery<Hit[]>;
  search(query: string, options: SearchOptions | undefined, callback: (hits: Hit[]) => void, onError?: (error: MemfoldError) => void): Stop;
  search(query: string, options?: SearchOptions, callback?: (hits: Hit[]) => void, onError?: (error: MemfoldError) => void): Stop | LiveQuery<Hit[]> {
    if (callback === undefined) return queryOf((hears, fails) => this.search(query, options, hears, fails));
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

  /** Calls back with a page of memories, now and whenever it changes. Without a callback, it returns the query to subscribe to. */
  list(options?: ListOptions): LiveQuery<Memory[]>;
  list(options: ListOptions | undefined, callback: (memories: Memory[]) => void, onError?: (error: MemfoldError) => void): Stop;
  list(options?: ListOptions, callback?: (memories: Memory[]) => void, onError?: (error: MemfoldError) => void): Stop | LiveQuery<Memory[]> {
    if (callback === undefined) return queryOf((hears, fails) => this.list(options, hears, fails));
    const given = object(options, 'options');
    return this.#watch(
      () => this.#source.list(given),
      (memories) => memories.map(versionOf).join(),
      callback,
      onError,
    );
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
