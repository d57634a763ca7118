// Embeddings behind the embedder port: three dialects over `fetch`, or a function of the application's own. It carries texts
// and vectors; whether vectors may be used is judged by the engine.
import type { MemfoldError } from './error.js';
import { endpointOf, post, Refusal, rested, tried } from './wire.js';

/** An embeddings endpoint of the user's own. */
export interface EmbeddingsEndpoint {
  /** `openai` embeddings (also vLLM, LM Studio, llama.cpp, Azure, Mistral, Voyage, Jina), `gemini`, or Ollama's own. */
  dialect: 'openai' | 'gemini' | 'ollama';
  /** Its base, such as `https://api.openai.com/v1`, or the whole address; https except on this machine. */
  url: string;
  /** Also the tag of its vectors: another model makes all of them anew. */
  model: string;
  /** Sent to that address alone; redirects are refused. */
  key?: string;
  /** Asked for where the model can shorten its vectors, and checked; what the first reply has where absent. */
  dimensions?: number;
}

/** An embedder of the application's own. */
export interface Embedder {
  /** The tag of its vectors: another tag makes all of them anew. */
  model: string;
  /** The length of its vectors; what the first call gives where absent. */
  dimensions?: number;
  /** One vector for each text, in order, of any length but 0; they are brought to length 1. `signal` fires when time is up. */
  embed(texts: string[], call: { signal: AbortSignal }): Promise<(Float32Array | number[])[]> | (Float32Array | number[])[];
  /**
   * Where the application keeps the vectors of memories itself, as in a vector database: the memories nearest to a vector, with
   * theirs. Then none is kept here, and `model.reembed` has nothing to do; `sync.changes` tells what to keep and what to remove.
   */
  nearest?(vector: Float32Array, call: { signal: AbortSignal }): Promise<{ id: string; vector: Float32Array | Float64Array | number[] }[]>;
}

type Call = { signal: AbortSignal };
type Row = ArrayLike<number> & { every(fits: (x: unknown) => boolean): boolean };
/** Vectors, one after the other. */
type Joined = { vectors: Float32Array; dimensions: number };
type Found = Joined & { ids: string[] };
type Invalid = (field: string, rule: string) => MemfoldError;
type Asked = { model: string; dimensions?: number };

/**
 * Who embeds, whoever it is.
 * @internal
 */
export interface Embedding {
  model: string;
  origin?: string;
  dimensions?: number | undefined;
  embed(texts: string[], call: Call): Promise<Joined>;
  nearest?(vector: Float32Array, call: Call): Promise<Found>;
}

interface Dialect {
  path(path: string, model: string): string;
  headers(key: string, host: string): Record<string, string>;
  body(asked: Asked, texts: string[]): object;
  forms: ((body: any) => object)[];
  rows(reply: any): unknown;
}

/** Bytes of a response that are read for each text, and once more for what is around them. */
const EACH = 128 * 1024;

/** For each dialect: where it is asked, how the key goes along, what is sent (the fullest form first), where the vectors stand. */
const DIALECTS: Record<EmbeddingsEndpoint['dialect'], Dialect> = {
  openai: {
    path: (path) => (/\/embeddings$/.test(path) ? path : `${path}/embeddings`),
    headers: (key, host) => (/\.azure\.com$/.test(host) ? { 'api-key': key } : { authorization: `Bearer ${key}` }),
    body: ({ model, dimensions }, input) => ({ model, input, encoding_format: 'float', ...(dimensions && { dimensions }) }),
    forms: [(b) => b, ({ encoding_format, dimensions, ...b }) => b],
    // Some servers answer in another order than they were asked.
    rows: (r) => r?.data?.toSorted?.((a: any, b: any) => a?.index - b?.index).map((row: any) => row?.embedding),
  },
  gemini: {
    path: (path, model) => (/:batchEmbedContents$/.test(path) ? path : `${path}/models/${encodeURIComponent(model)}:batchEmbedContents`),
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: ({ model, dimensions }, texts) => ({
      requests: texts.map((text) => ({
        model: `models/${model}`,
        content: { parts: [{ text }] },
        ...(dimensions && { outputDimensionality: dimensions }),
      })),
    }),
    forms: [(b) => b],
    rows: (r) => r?.embeddings?.map?.((row: any) => row?.values),
  },
  ollama: {
    path: (path) => (/\/api\/embed$/.test(path) ? path : `${path}/api/embed`),
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: ({ model, dimensions }, input) => ({ model, input, ...(dimensions && { dimensions }) }),
    forms: [(b) => b],
    rows: (r) => r?.embeddings,
  },
};

/** The vectors of `count` texts, one after the other; any that is not a list of finite numbers is none. */
function joined(given: unknown, count: number): Joined {
  const list = (row: unknown): row is Row => Array.isArray(row) || row instanceof Float32Array || row instanceof Float64Array;
  const isWhole = (rows: unknown): rows is Row[] => Array.isArray(rows) && rows.length === count && rows.every((row) => list(row) && row.length > 0);
  if (!isWhole(given)) throw new Refusal('malformed');
  const rows = given;
  const wide = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== wide)) throw new Refusal('wrong_dimension');
  const vectors = new Float32Array(count * wide);
  rows.forEach((row, n) => vectors.set(row, n * wide));
  if (rows.some((row) => !row.every((x) => typeof x === 'number')) || !vectors.every(Number.isFinite)) throw new Refusal('malformed');
  return { vectors, dimensions: wide };
}

/** What the endpoint needs no rest after: a fault that may be that of one of several texts or of the only one, and a caller who gave up. */
const byText = ({ refusal }: { refusal: string }, texts: { length: number }) =>
  ['rejected', 'too_large', 'given_up'].includes(refusal) || (refusal === 'malformed' && texts.length > 1);

/** `rested`, with its types. */
const resting = rested as <T, R>(work: (given: T, call: Call) => Promise<R>, spares?: (error: { refusal: string }, given: NoInfer<T>) => boolean) => (given: T, call: Call) => Promise<R>;

function sizeOf(dimensions: number | undefined, field: string, invalid: Invalid): number | undefined {
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0 && dimensions <= 16_384)) {
    throw invalid(`${field}.dimensions`, 'is not a whole number from 1 to 16,384');
  }
  return dimensions;
}

/**
 * The embedder that an endpoint is. `invalid(field, rule)` makes the error of a bad option.
 * @internal
 */
export function embeddings(options: EmbeddingsEndpoint, invalid: Invalid): Embedding {
  const { dialect, at, headers } = endpointOf(options, DIALECTS, 'embeddings', invalid, ['dimensions']) as { dialect: Dialect; at: URL; headers: Record<string, string> };
  const dimensions = sizeOf(options.dimensions, 'embeddings', invalid);
  let form = 0;

  async function once(texts: string[], signal: AbortSignal): Promise<Joined> {
    const body = dialect.forms[form]!(dialect.body(options, texts));
    return joined(dialect.rows(await post(at, headers, body, signal, { most: EACH * (texts.length + 1) })), texts.length);
  }

  /** Asked again in a plainer form, which is kept where it passes. */
  async function plainer(texts: string[], signal: AbortSignal): Promise<Joined> {
    try {
      return await once(texts, signal);
    } catch (error) {
      const { status } = error as { status?: number };
      if (!(status === 400 || status === 422) || form + 1 >= dialect.forms.length) throw error;
      form += 1;
      try {
        return await once(texts, signal);
      } catch (again) {
        form = 0;
        throw again;
      }
    }
  }

  const embed: Embedding['embed'] = resting((texts, { signal }) => tried(() => plainer(texts, signal), signal), byText);
  return { model: `${options.dialect}/${options.model}`, origin: at.origin, dimensions, embed };
}

/**
 * The application's own embedder.
 * @internal
 */
export function embedder(options: Embedder, invalid: Invalid): Embedding {
  if (typeof options !== 'object' || options === null) throw invalid('embedder', 'is not an object');
  const { model, dimensions, embed, nearest, ...unknown } = options;
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw invalid(`embedder.${extra}`, 'is not known');
  if (typeof model !== 'string' || model === '') throw invalid('embedder.model', 'is not a name');
  if (typeof embed !== 'function') throw invalid('embedder.embed', 'is not a function');
  if (nearest !== undefined && typeof nearest !== 'function') throw invalid('embedder.nearest', 'is not a function');
  const ask = async (texts: string[], call: Call) => joined(await embed(texts, call), texts.length);
  const find = async (vector: Float32Array, call: Call): Promise<Found> => {
    const found = await nearest!(vector, call);
    if (!Array.isArray(found) || found.some((m) => typeof m?.id !== 'string')) throw new Refusal('malformed');
    if (found.length === 0) return { ids: [], vectors: new Float32Array(), dimensions: vector.length };
    return { ids: found.map((m) => m.id), ...joined(found.map((m) => m.vector), found.length) };
  };
  const own: Embedding = { model: `own/${model}`, dimensions: sizeOf(dimensions, 'embedder', invalid), embed: resting(ask, byText) };
  return nearest === undefined ? own : { ...own, nearest: resting(find) };
}
