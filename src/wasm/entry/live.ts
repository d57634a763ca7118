// What is asked once and answered again whenever something has changed; also `memfold/live`, for a page whose engine runs elsewhere.
import { invalid, object, text } from './arguments.js';
import { apart, type Hears, type Stop } from './changes.js';
import { typed, type MemfoldError } from './error.js';
import type { Hit, ListOptions, Memory, SearchOptions } from './types.js';

/** Milliseconds for which changes are gathered before it is asked again. */
const GATHERED = 25;

/** What is asked again and again: a memory, or whatever passes on what one answers and tells. */
export interface LiveSource {
  search(query: string, options?: SearchOptions): Promise<Hit[]>;
  list(options?: ListOptions): Promise<Memory[]>;
  subscribe(hears: Hears): Stop;
}

/** By what an answer is told from the one before it. */
const sight = (m: Memory): string => `${m.id} ${m.revision}`;

/**
 * Answers that follow what is written, here or in another tab or worker, until they are stopped: `memories.live`. Where a memory is
 * asked by messages, as a service worker's by the pages of its extension, `new Live` of `memfold/live` is the same over those.
 */
export class Live {
  readonly #asked: LiveSource;

  constructor(asked: LiveSource) {
    this.#asked = asked;
  }

  /**
   * The memories that answer a question, now and whenever they are others. A `session` hears of the question once. Where it cannot be
   * answered `onError` hears why; without one the console does.
   */
  search(query: string, options: SearchOptions | undefined, callback: (hits: Hit[]) => void, onError?: (error: MemfoldError) => void): Stop {
    let { session, ...rest } = object(options, 'options');
    text(query, 'query');
    const run = () => {
      const asked = session === undefined ? rest : { ...rest, session };
      session = undefined;
      return this.#asked.search(query, asked);
    };
    const differs = (hits: Hit[]) => hits.map((h) => `${sight(h.memory)} ${h.score.toFixed(3)} ${h.mayBeOutdatedBy?.join(' ') ?? ''}`).join();
    return this.#watch(run, differs, callback, onError);
  }

  /** A page of memories, now and whenever it is another. */
  list(options: ListOptions | undefined, callback: (memories: Memory[]) => void, onError?: (error: MemfoldError) => void): Stop {
    const given = object(options, 'options');
    return this.#watch(() => this.#asked.list(given), (memories) => memories.map(sight).join(), callback, onError);
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
      apart(() => callback(value));
    };
    const fail = (error: unknown): void => {
      shown = undefined;
      const told = typed(error);
      if (stopped) return;
      if (onError) apart(() => onError(told));
      // What passes by itself is asked again with the next change.
      else if (!told.retryable && told.code !== 'closed') console.error('memfold: a live answer failed, and nobody hears of it (onError)', told);
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
    const stop = this.#asked.subscribe(() => void (timer ??= setTimeout(() => void ask(), GATHERED)));
    void ask();
    return () => {
      stopped = true;
      clearTimeout(timer);
      stop();
    };
  }
}
