// Runs the encoder: its wasm instance and its files. It works in a worker or, if the host has none, in the
// application's thread.
import bindings, { type Encoder } from './encoder-bindings.js';
import files from './encoder-files.js';
import { addressOf, drop, readChunks, store, storedCopy, decompress, type Name, type Pair, type ReadFile, type WeightsSource } from './encoder-source.js';
import { MemfoldError, typed } from './error.js';
import type { Signal } from './host.js';

/** The files to load, and whether to cache them in the browser. */
export interface Loading {
  weights?: WeightsSource | undefined;
  head?: WeightsSource | undefined;
  store: boolean;
}

/** The result of loading. */
export interface Loaded {
  /** The SHA-256 of the weights. */
  id: string;
  hasHead: boolean;
  stored: boolean;
  /** Why the files could not be cached. */
  storing?: { code: MemfoldError['code']; message: string };
}

/** Reports the number of bytes read. */
type Seen = (bytes: number) => void;

/** Errors for the faults of `src/encoder/weights.rs`. */
const FAULTS: Record<string, [MemfoldError['code'], string]> = {
  Foreign: ['invalid_weights', 'is not an encoder file'],
  Version: ['wrong_weights', 'has a version that this release cannot read'],
  Truncated: ['invalid_weights', 'ends too early'],
  Damaged: ['invalid_weights', 'is damaged: its hash is wrong'],
  OtherEncoder: ['wrong_weights', 'belongs to other weights'],
  OutOfMemory: ['out_of_memory', 'does not fit into the memory of this host'],
};

const aborted = (signal: Signal): MemfoldError => new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });

/** Yields to the event loop, so that messages can arrive. */
const turn: () => Promise<void> = (() => {
  const { setImmediate: soon } = globalThis as { setImmediate?: (work: () => void) => void };
  if (soon) return () => new Promise((resolve) => soon(resolve));
  if (typeof MessageChannel !== 'function') return () => new Promise((resolve) => setTimeout(resolve));
  const waiting: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(0);
    });
})();

export class Core {
  #encoder: Encoder | undefined;
  readonly #readFile: ReadFile | undefined;
  #trap: unknown;

  /** `module` is the wasm module or its bytes. */
  constructor(module: WebAssembly.Module | Uint8Array<ArrayBuffer>, readFile?: ReadFile) {
    if (!(module instanceof WebAssembly.Module) && !WebAssembly.validate(module)) {
      throw new MemfoldError('unsupported', 'this host has no SIMD in WebAssembly, which the encoder needs');
    }
    const { Encoder, initSync } = bindings();
    try {
      initSync({ module });
      this.#encoder = new Encoder();
    } catch (error) {
      const isMemory = error instanceof RangeError;
      throw new MemfoldError(isMemory ? 'out_of_memory' : 'unsupported', `the encoder cannot run here: ${(error as Error)?.message}`, { cause: error });
    }
    this.#readFile = readFile;
  }

  /** Loads the weights, then the head. */
  async load({ weights, head, store: keeps }: Loading, seen: Seen, signal?: Signal): Promise<Loaded> {
    const first = await this.#file('weights', weights, keeps, seen, signal);
    const second = head === undefined ? undefined : await this.#file('head', head, keeps, seen, signal);
    const trouble = first.trouble ?? second?.trouble;
    return {
      id: first.id,
      hasHead: second !== undefined,
      stored: first.stored && (second?.stored ?? true),
      ...(trouble && { storing: { code: trouble.code, message: trouble.message } }),
    };
  }

  async #file(
    name: Name,
    source: WeightsSource | undefined,
    keeps: boolean,
    seen: Seen,
    signal: Signal | undefined,
  ): Promise<{ id: string; stored: boolean; trouble?: MemfoldError }> {
    const address = source === undefined ? undefined : addressOf(source);
    // Only downloads are worth caching: extensions and Node have the files on disk.
    const isKept = keeps && (source === undefined || /^https?:/.test(address ?? ''));
    const copy = isKept ? await storedCopy(name) : undefined;
    if (copy) {
      let read = 0;
      try {
        const id = await this.#read(
          name,
          copy,
          true,
          (chunk) => {
            read += chunk.length;
            seen(chunk.length);
          },
          signal,
        );
        return { id, stored: true };
      } catch (error) {
        if (signal?.aborted || typed(error).code === 'out_of_memory') throw error;
        // A lost or corrupt cached file is downloaded again.
        await drop(name);
        seen(-read);
      }
    }
    if (source === undefined)
      throw new MemfoldError('invalid_field', '`source` is missing, and no weights are cached here', { field: name === 'head' ? 'head' : 'source' });
    const kept: Uint8Array[] = [];
    const id = await this.#read(
      name,
      source,
      address !== undefined,
      (chunk) => {
        if (isKept) kept.push(chunk);
        seen(chunk.length);
      },
      signal,
    );
    if (!isKept || !files[name]) return { id, stored: false };
    try {
      await store(name, kept);
      return { id, stored: true };
    } catch (error) {
      return { id, stored: false, trouble: typed(error) };
    }
  }

  get #made(): Encoder {
    if (!this.#encoder) throw new MemfoldError('closed', 'the encoder was closed');
    return this.#encoder;
  }

  /** Drops the encoder to free its memory. */
  close(): void {
    this.#encoder = undefined;
  }

  /** Reads a file into the encoder and returns its hash. A file loaded by address must have the hash of this release. */
  async #read(name: Name, source: WeightsSource, isReleased: boolean, seen: (chunk: Uint8Array) => void, signal: Signal | undefined): Promise<string> {
    const field = name === 'head' ? 'head' : 'source';
    const fault = (error: unknown): unknown => {
      const [code, rule] = (typeof error === 'string' && FAULTS[error]) || [];
      if (code) return new MemfoldError(code, `the ${name} file ${rule}`, { field });
      // The reader never panics, so a trap means a failed allocation.
      if (error instanceof WebAssembly.RuntimeError)
        return new MemfoldError('out_of_memory', 'the encoder does not fit into the memory of this host', { cause: error });
      if (!(error instanceof MemfoldError) || error.code === 'aborted') return error;
      return new MemfoldError(error.code, error.message, { retryable: error.retryable, field, cause: error.cause });
    };
    const wanted = isReleased ? files[name]?.sha256 : undefined;
    let id: string | undefined;
    this.#made.begin();
    try {
      for await (const chunk of decompress(readChunks(source, seen, signal, this.#readFile))) {
        const told = this.#made.feed(chunk);
        id ??= told;
        if (wanted !== undefined && id !== undefined && id !== wanted) throw new MemfoldError('wrong_weights', `the ${name} file is not from this release`);
      }
      this.#made.finish();
      return id!;
    } catch (error) {
      throw fault(error);
    }
  }

  /** The concatenated vectors of texts. */
  embed(texts: readonly string[], isQuery: boolean, signal?: Signal): Promise<Float32Array> {
    return this.#processEach(texts, (text) => this.#made.embed(text, isQuery), signal);
  }

  /** Four log probabilities for each pair. */
  judge(pairs: readonly Pair[], signal?: Signal): Promise<Float32Array> {
    return this.#processEach(pairs, ([stored, added, isSameThread = false]) => this.#made.judge(stored, added, isSameThread), signal);
  }

  /** Processes items one by one, and yields to the event loop in between. */
  async #processEach<T>(items: readonly T[], work: (item: T) => Float32Array, signal: Signal | undefined): Promise<Float32Array> {
    let all = new Float32Array();
    for (const [n, item] of items.entries()) {
      if (n > 0) await turn();
      if (signal?.aborted) throw aborted(signal);
      if (this.#trap) throw this.#trap;
      let one: Float32Array;
      try {
        one = work(item);
      } catch (error) {
        throw (this.#trap = new MemfoldError('trapped', 'the encoder crashed', { cause: error }));
      }
      if (n === 0) all = new Float32Array(items.length * one.length);
      all.set(one, n * one.length);
    }
    return all;
  }
}
