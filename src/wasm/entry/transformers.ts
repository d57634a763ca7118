// Adapters for Transformers.js on this device: an embedder, and a small instruct model as analyst. The application
// passes in the library and the source of the weights. Weights are downloaded only on `download`, and only from that
// source.
import type { Embedder, TextKind } from './embeddings.js';
import { invalid, object, text } from './arguments.js';
import { MemfoldError } from './error.js';
import type { Signal } from './host.js';
import { Refusal, type Question, type SpokenAnalyst, type SpokenReply } from './model.js';

type Paths = { mjs: string; wasm: string };
type Fetch = (input: string | URL, init?: any) => Promise<any>;

/** The used part of Transformers.js, version 4 or later: `import * as library from '@huggingface/transformers'`. */
export interface Transformers {
  env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    remoteHost: string;
    remotePathTemplate: string;
    localModelPath: string;
    fetch: Fetch;
    useWasmCache?: boolean;
    backends?: { onnx?: { wasm?: { wasmPaths?: unknown } } };
  };
  pipeline(task: any, model: string, options: any): Promise<any>;
  InterruptableStoppingCriteria?: new () => any;
}

/** The weights and their source. */
export interface Weights {
  library: Transformers;
  /** The model, such as `Xenova/multilingual-e5-small`. */
  model: string;
  /**
   * The location of its files: `https://huggingface.co/{model}/resolve/main/`, a folder of the application's site
   * (`/models/`, with a subfolder for each model) or, in Node, a folder on disk.
   */
  from: string;
  /** In a browser: the location of ONNX Runtime's files `ort-wasm-simd-threaded.asyncify.mjs` and `.wasm`, such as `/ort/`. */
  runtime?: string;
  /** The device (`webgpu` or `wasm`) and the precision of the weights (`q8`, `q4f16`), as named by the library. */
  device?: string;
  dtype?: string;
}

/** Options of a download. */
export interface DownloadCall {
  /** Called with the bytes so far and the known total. */
  onProgress?(progress: { loaded: number; total: number }): void;
  signal?: Signal;
}

/** A model whose weights are downloaded, or read from the browser's cache, on request. */
export interface Downloadable {
  readonly isReady: boolean;
  /** Downloads missing files and initialises the model. Rejects with `connection_lost`, `aborted` or `invalid_field`. */
  download(call?: DownloadCall): Promise<void>;
}

const FILES = 'ort-wasm-simd-threaded.asyncify';
const isBrowser = () => typeof globalThis.location === 'object';

/** Serialises loading for each library, whose settings are global. */
const loading = new WeakMap<object, Promise<unknown>>();

/** Runs `work` while the library may only fetch from the given locations. */
function restrictFetch<T>({ library, from, runtime }: Weights, signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
  const { env } = library;
  const run = async () => {
    const before = { ...env };
    // The library's own wasm cache would run from a blob URL, which strict content security policies forbid.
    env.useWasmCache = false;
    const isRemote = isBrowser() || URL.canParse(from);
    const base = isRemote ? new URL(from, isBrowser() ? location.href : undefined).href : '';
    const [host, template] = isRemote ? splitUrl(base) : ['', ''];
    const places = [host, ...(runtime === undefined ? [] : [new URL(runtime, isBrowser() ? location.href : undefined).href])].filter(Boolean);
    const fetches: Fetch = (input, init) => {
      const { href, protocol } = new URL(String(input), isBrowser() ? location.href : undefined);
      if (protocol !== 'blob:' && !places.some((place) => href.startsWith(place))) throw new TypeError(`${href} is not an allowed source of weights`);
      return before.fetch(input, { ...init, redirect: init?.redirect ?? 'follow', ...(signal && { signal }) });
    };
    Object.assign(env, {
      fetch: fetches,
      allowRemoteModels: isRemote,
      allowLocalModels: !isRemote,
      ...(isRemote ? { remoteHost: host, remotePathTemplate: template } : { localModelPath: from }),
    });
    try {
      return await work();
    } finally {
      const { fetch, allowRemoteModels, allowLocalModels, remoteHost, remotePathTemplate, localModelPath } = before;
      Object.assign(env, { fetch, allowRemoteModels, allowLocalModels, remoteHost, remotePathTemplate, localModelPath });
    }
  };
  const turn = (loading.get(library) ?? Promise.resolve()).then(run, run);
  loading.set(library, turn);
  return turn;
}

/** Splits a URL at the position of the model's name. */
function splitUrl(href: string): [string, string] {
  const at = decodeURI(href).indexOf('{model}');
  const whole = decodeURI(href);
  return at < 0 ? [whole.endsWith('/') ? whole : `${whole}/`, '{model}/'] : [whole.slice(0, at), whole.slice(at)];
}

/** A pipeline created by `download`. */
class Local implements Downloadable {
  readonly #task: string;
  readonly #weights: Weights;
  #made: any;
  #work: Promise<unknown> = Promise.resolve();

  constructor(task: string, weights: Weights) {
    const { library, model, from, runtime } = object(weights ?? null, 'weights');
    if (typeof library?.pipeline !== 'function' || typeof library.env?.fetch !== 'function')
      throw invalid('library', 'is not Transformers.js of version 4 or later');
    text(model, 'model');
    text(from, 'from');
    // By default, the library would load these files from a third-party server.
    if (runtime === undefined && isBrowser() && !library.env.backends?.onnx?.wasm?.wasmPaths)
      throw invalid('runtime', 'is missing: set the URL of the ONNX Runtime files');
    if (runtime !== undefined) text(runtime, 'runtime');
    this.#task = task;
    this.#weights = weights;
  }

  get isReady(): boolean {
    return this.#made !== undefined;
  }

  async download({ onProgress, signal }: DownloadCall = {}): Promise<void> {
    if (this.#made) return;
    const { library, model, runtime, device, dtype } = this.#weights;
    const seen = new Map<string, { loaded: number; total: number }>();
    const progress_callback = ({ status, file, loaded, total }: { status: string; file?: string; loaded?: number; total?: number }) => {
      if (status !== 'progress' || file === undefined) return;
      seen.set(file, { loaded: loaded ?? 0, total: total ?? 0 });
      const sum = (of: 'loaded' | 'total') => [...seen.values()].reduce((all, one) => all + one[of], 0);
      onProgress?.({ loaded: sum('loaded'), total: sum('total') });
    };
    try {
      this.#made = await restrictFetch(this.#weights, signal, () => {
        signal?.throwIfAborted();
        const wasm = library.env.backends?.onnx?.wasm;
        if (runtime !== undefined && wasm) {
          const base = new URL(runtime, location.href).href;
          wasm.wasmPaths = { mjs: `${base}${FILES}.mjs`, wasm: `${base}${FILES}.wasm` } satisfies Paths;
        }
        return library.pipeline(this.#task, model, { ...(device && { device }), ...(dtype && { dtype }), progress_callback });
      });
    } catch (error) {
      if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
      throw new MemfoldError('connection_lost', `the weights of ${model} could not be loaded: ${(error as Error | undefined)?.message ?? error}`, {
        retryable: true,
        cause: error,
      });
    }
  }

  /** Runs `work` with the pipeline, one call at a time. */
  run<T>(signal: Signal, work: (pipeline: any) => Promise<T>): Promise<T> {
    // The model may be loaded later; then `model.reembed` embeds the texts.
    if (!this.#made) return Promise.reject(new Refusal('unreachable'));
    const turn = this.#work
      .catch(() => {})
      .then(() => {
        signal.throwIfAborted();
        return work(this.#made);
      });
    this.#work = turn;
    return turn;
  }
}

const downloadable = (local: Local): Downloadable => ({
  get isReady() {
    return local.isReady;
  },
  download: (call) => local.download(call),
});

/**
 * An embedding model: call `download` and pass `embedder` to `open`. Until it is ready, the built-in embedder is used.
 * `prefix` is put before each text, optionally by kind (E5: `{ query: 'query: ', document: 'passage: ' }`).
 */
export function embeddings({
  pooling = 'mean',
  prefix = '',
  ...weights
}: Weights & { pooling?: 'mean' | 'cls' | 'last_token'; prefix?: string | Record<TextKind, string> }): Downloadable & { embedder: Embedder } {
  const local = new Local('feature-extraction', weights);
  const before = (kind: TextKind) => (typeof prefix === 'string' ? prefix : prefix[kind]);
  const embed: Embedder['embed'] = (texts, { signal, kind }) =>
    local.run(signal, async (extract) => {
      const { data, dims } = await extract(
        texts.map((one) => before(kind) + one),
        { pooling, normalize: true },
      );
      const wide = dims.at(-1) as number;
      return texts.map((_, n) => (data as Float32Array).slice(n * wide, (n + 1) * wide));
    });
  return Object.assign(downloadable(local), { embedder: { model: weights.model, embed } });
}

/** A small instruct model: call `download` and pass its `analyst` to `open` as the model. Until it is ready, rules decide. */
export function instruct({ maxNewTokens = 1_024, ...weights }: Weights & { maxNewTokens?: number }): Downloadable & { analyst: SpokenAnalyst } {
  const local = new Local('text-generation', weights);
  const ask = ({ system, examples, text }: Question, { signal }: { signal: Signal }): Promise<SpokenReply> =>
    local.run(signal, async (generate) => {
      const shown = examples.flatMap((e) => [
        { role: 'user', content: e.text },
        { role: 'assistant', content: e.reply },
      ]);
      const Stop = weights.library.InterruptableStoppingCriteria;
      const stop = Stop && new Stop();
      signal.addEventListener('abort', () => stop?.interrupt(), { once: true });
      const [{ generated_text: said }] = await generate([{ role: 'system', content: system }, ...shown, { role: 'user', content: text }], {
        max_new_tokens: maxNewTokens,
        do_sample: false,
        return_full_text: false,
        ...(stop && { stopping_criteria: stop }),
      });
      return { text: typeof said === 'string' ? said : said.at(-1).content };
    });
  return Object.assign(downloadable(local), { analyst: Object.assign(ask, { model: weights.model, form: 'short' as const }) });
}
