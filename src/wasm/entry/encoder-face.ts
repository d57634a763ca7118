// The public API of `memfold/encoder`, independent of where the encoder runs.
import { invalid, refuseUnknown, object } from './arguments.js';
import type { Embedder } from './embeddings.js';
import type { Loaded, Loading } from './encoder-core.js';
import files from './encoder-files.js';
import { addressOf, remove, sizeOf, stored, type Pair, type StoredWeights, type WeightsSource } from './encoder-source.js';
import { MemfoldError, guarded, typed } from './error.js';
import type { Signal } from './host.js';

export type { Pair, StoredWeights, WeightsSource };

/** Options for loading an encoder. */
export interface EncoderOptions {
  /**
   * The weights: the default export of `memfold-encoder`, a URL of your site, bytes, a stream or a response. A URL must
   * lead to the file of this release. By default, the cached copy or, in Node, the installed package `memfold-encoder`.
   */
  source?: WeightsSource;
  /** The head that classifies pairs, such as the default export of `memfold-encoder/head`. */
  head?: WeightsSource;
  /** Whether a browser caches downloads; true by default. `encoder.remove()` deletes them. */
  store?: boolean;
  /** Called with the bytes loaded so far and in total. */
  onProgress?(progress: { loaded: number; total: number }): void;
  /** Aborts loading. */
  signal?: Signal;
  /** Creates the worker, if a bundler cannot find `memfold/encoder-host`. `false` runs the encoder in this thread. */
  worker?: (() => object) | false;
}

/** A loaded encoder; pass it to `open({ embedder })`. */
export interface LoadedEncoder extends Embedder {
  /** The tag of the weights; memories with vectors of other weights are re-embedded. */
  readonly model: string;
  readonly dimensions: 384;
  readonly local: true;
  /** The recommended number of texts in a call. */
  readonly batch: number;
  /** Returns unit vectors. Only the first 128 word pieces of a text count, about 60 to 90 words. */
  embed(texts: string[], call?: { kind?: 'query' | 'document'; signal?: Signal }): Promise<Float32Array[]>;
  /** Whether a head is loaded, as `judge` requires. */
  readonly judges: boolean;
  /**
   * Classifies pairs of a stored and a new text: the log probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE,
   * four for each pair. A text with a subject is `subject: text`.
   */
  judge(pairs: readonly Pair[], call?: { signal?: Signal }): Promise<Float32Array>;
  /** Whether this browser has cached the weights, or why not. */
  readonly storage: { stored: boolean; error?: MemfoldError };
  /** Stops the worker; running calls reject with `closed`. */
  close(): void;
}

/** Loads an encoder and manages its cached files. */
export interface EncoderFace {
  (options?: EncoderOptions): Promise<LoadedEncoder>;
  /** Lists the cached files of this release. */
  stored(): Promise<StoredWeights>;
  /** Deletes the cached files. */
  remove(): Promise<void>;
}

/**
 * A started encoder, in a worker or in this thread.
 * @internal
 */
export interface Running {
  load(loading: Loading, onBytes: (bytes: number) => void, signal: Signal | undefined): Promise<Loaded>;
  embed(texts: readonly string[], isQuery: boolean, signal: Signal | undefined): Promise<Float32Array>;
  judge(pairs: readonly Pair[], signal: Signal | undefined): Promise<Float32Array>;
  close(): void;
}

/**
 * Starts an encoder; `lost` is called if it ends unexpectedly.
 * @internal
 */
export type Start = (worker: EncoderOptions['worker'], lost: (error: MemfoldError) => void) => Promise<Running>;

const WIDTH = 384;
const closed = (): MemfoldError => new MemfoldError('closed', 'the encoder was closed');

const isPair = (p: Pair): boolean =>
  Array.isArray(p) && typeof p[0] === 'string' && typeof p[1] === 'string' && (p[2] === undefined || typeof p[2] === 'boolean');

function checked<T>(list: readonly T[], field: string, fits: (one: T) => boolean, rule: string): readonly T[] {
  if (!Array.isArray(list) || !list.every(fits)) throw invalid(field, rule);
  return list;
}

/** Restarts a lost encoder on the next call, if its files can be loaded again. */
class Loadable {
  readonly #begin: () => Promise<Running>;
  readonly #canRestart: boolean;
  #running: Promise<Running>;
  #lost: MemfoldError | undefined;

  constructor(begin: (lost: (error: MemfoldError) => void) => Promise<Running>, canRestart: boolean) {
    this.#begin = () => begin((error) => (this.#lost ??= error));
    this.#canRestart = canRestart;
    this.#running = this.#begin();
  }

  async ask<T>(work: (running: Running) => Promise<T>): Promise<T> {
    if (this.#lost?.code === 'closed' || (this.#lost && !this.#canRestart)) throw this.#lost;
    if (this.#lost) {
      this.#lost = undefined;
      this.#running = this.#begin();
    }
    const running = this.#running;
    try {
      return await work(await running);
    } catch (error) {
      const failed = typed(error);
      // After a trap or a failed restart, the next call starts a new instance.
      if (
        running === this.#running &&
        (failed.code === 'trapped' ||
          (await running.then(
            () => false,
            () => true,
          )))
      ) {
        this.#lost ??= failed;
        void running.then(
          (r) => r.close(),
          () => {},
        );
      }
      throw failed;
    }
  }

  close(): void {
    this.#lost = closed();
    void this.#running.then(
      (r) => r.close(),
      () => {},
    );
  }
}

/**
 * Builds the public API from a function that starts encoders and, optionally, one that finds installed weights.
 * @internal
 */
export function createEncoderApi(start: Start, installed?: () => Promise<WeightsSource | undefined>): EncoderFace {
  async function loaded(options: EncoderOptions | undefined): Promise<LoadedEncoder> {
    const { source, head, store = true, onProgress, signal, worker, ...unknown } = object(options, 'options');
    refuseUnknown(unknown, ['source', 'head', 'store', 'onProgress', 'signal', 'worker']);
    if (typeof store !== 'boolean') throw invalid('store', 'is not true or false');
    if (onProgress !== undefined && typeof onProgress !== 'function') throw invalid('onProgress', 'is not a function');
    if (worker !== undefined && worker !== false && typeof worker !== 'function') throw invalid('worker', 'is not a function or `false`');
    const given: [field: string, value: unknown][] = [
      ['source', source],
      ['head', head],
    ];
    for (const [field, value] of given)
      if (value !== undefined && typeof value !== 'string' && (typeof value !== 'object' || value === null))
        throw invalid(field, 'is not an address, bytes, a Blob, a stream or a response');
    const weights = source ?? (await installed?.());
    const plain = (one: WeightsSource | undefined) => (one === undefined ? undefined : (addressOf(one) ?? one));
    const total = (weights === undefined ? files.weights.bytes : sizeOf('weights', weights)) + (head === undefined ? 0 : sizeOf('head', head));
    let told: Loaded | undefined;
    const begin = async (lost: (error: MemfoldError) => void): Promise<Running> => {
      const running = await start(worker, lost);
      let bytes = 0;
      const seen = (more: number): void => {
        bytes += more;
        if (!told) onProgress?.({ loaded: bytes, total: Math.max(total, bytes) });
      };
      try {
        told = await running.load({ weights: plain(weights), head: plain(head), store }, seen, told ? undefined : signal);
      } catch (error) {
        running.close();
        throw error;
      }
      return running;
    };
    const again = [weights, head].every((one) => one === undefined || addressOf(one) !== undefined);
    const encoder = new Loadable(begin, again);
    await encoder.ask(async () => undefined);
    const { id, hasHead, stored, storing } = told!;
    const vectors: Required<Pick<LoadedEncoder, 'model' | 'dimensions' | 'local' | 'embed'>> = {
      model: `multilingual-e5-small/${id.slice(0, 12)}`,
      dimensions: WIDTH,
      local: true,
      embed: (texts, { kind = 'document', signal } = {}) =>
        guarded(async () => {
          if (kind !== 'query' && kind !== 'document') throw invalid('kind', 'is not `query` or `document`');
          const list = checked(texts, 'texts', (t) => typeof t === 'string', 'are not strings');
          const all = await encoder.ask((running) => running.embed(list, kind === 'query', signal));
          return texts.map((_, n) => all.slice(n * WIDTH, (n + 1) * WIDTH));
        }),
    };
    const judge: LoadedEncoder['judge'] = (pairs, { signal } = {}) =>
      guarded(async () => {
        if (!hasHead) throw new MemfoldError('unsupported', 'the encoder was loaded without a `head`', { field: 'head' });
        const list = checked(pairs, 'pairs', isPair, 'are not pairs of strings, each with whether both are of one thread');
        return encoder.ask((running) => running.judge(list, signal));
      });
    const storage = { stored, ...(storing && { error: new MemfoldError(storing.code, storing.message) }) };
    // `open` rejects unknown fields, and only enumerable ones cross to a worker, so the rest are not enumerable.
    return Object.defineProperties(vectors, {
      batch: { value: 32 },
      judges: { value: hasHead },
      judge: { value: judge, enumerable: hasHead },
      storage: { value: storage },
      close: { value: () => encoder.close() },
    }) as LoadedEncoder;
  }
  return Object.assign((options?: EncoderOptions) => guarded(() => loaded(options)), { stored: () => guarded(stored), remove: () => guarded(remove) });
}
