// Wraps the application's own embedder for the engine, and checks the shape of its results.
import type { Signal } from './host.js';
import { invalid, refuseUnknown } from './arguments.js';
import { Refusal } from './model.js';

/** An embeddings endpoint of the user's choice. */
export interface EmbeddingsEndpoint {
  /** The API of the endpoint: `openai` (also Ollama, vLLM, LM Studio, llama.cpp, Azure, Mistral, Voyage, Jina and Cohere's compatible API) or `gemini`. */
  dialect: 'openai' | 'gemini';
  /** The base URL, such as `https://api.openai.com/v1`, or the full URL; https except on this machine. */
  url: string;
  /**
   * The model's name, also the tag of its vectors: changing it re-embeds all memories. For known models, the text kind
   * is passed as their API expects: Gemini `taskType`, Cohere and Voyage `input_type`, Jina `task`, Nomic and E5 a
   * prefix.
   */
  model: string;
  /** The API key; only sent to that URL. Redirects are refused. */
  key?: string;
  /** The length of the vectors, requested from models that can shorten them; by default that of the first reply. */
  dimensions?: number;
  /** The timeout for a call, in milliseconds with retries; 30,000 by default. */
  timeout?: number;
}

/** The purpose of an embedding: a query, or a stored text and texts compared with it. */
export type TextKind = 'query' | 'document';

/** The application's own embedder. */
export interface Embedder {
  /** The tag of its vectors: changing it re-embeds all memories. */
  model: string;
  /** The length of its vectors; by default that of the first result. */
  dimensions?: number;
  /** The timeout for a call, in milliseconds; 30,000 by default. */
  timeout?: number;
  /** Whether it runs on this device. If so, `model.sent` lists only its failures, without texts. */
  local?: boolean;
  /**
   * Returns one vector for each text, in order, of any nonzero length; the engine normalises them. `signal` fires on
   * timeout. Use `kind` if the model embeds queries and documents differently.
   */
  embed(texts: string[], call: { signal: Signal; kind: TextKind }): Promise<(Float32Array | number[])[]> | (Float32Array | number[])[];
  /**
   * Classifies pairs of texts: the log probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE, four for each pair.
   * Called at most once for a new memory, with its three best candidates that the local analyst is unsure of. The
   * weights that combine both results were fitted for the head of `memfold/encoder`. An unusable result is ignored.
   */
  judge?(pairs: Pair[], call: { signal: Signal }): Promise<Float32Array | number[]> | Float32Array | number[];
}

/** A stored text, a new text, and whether both belong to the same thread. A text with a subject is `subject: text`. */
export type Pair = readonly [stored: string, next: string, sameThread?: boolean];

type Call = { signal: Signal };
type Row = ArrayLike<number> & { every(fits: (x: unknown) => boolean): boolean };
/** Concatenated vectors. */
type Joined = { vectors: Float32Array; dimensions: number };
/**
 * The checked functions of an embedder.
 * @internal
 */
export interface Embedding {
  model: string;
  dimensions?: number | undefined;
  local?: boolean | undefined;
  embed(texts: string[], call: Call & { kind: TextKind }): Promise<Joined>;
  judge?(pairs: Pair[], call: Call): Promise<Float32Array>;
}

/** Concatenates the vectors of `count` texts; throws if one is not a list of finite numbers. */
function concatVectors(given: unknown, count: number): Joined {
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

/**
 * Checks and wraps the application's embedder.
 * @internal
 */
export function embedder(options: Embedder): Embedding {
  const { model, dimensions, timeout: _, local, embed, judge, ...unknown } = options;
  refuseUnknown(unknown, ['model', 'dimensions', 'timeout', 'local', 'embed', 'judge'], 'embedder.');
  if (typeof model !== 'string' || model === '') throw invalid('embedder.model', 'is not a name');
  if (typeof embed !== 'function') throw invalid('embedder.embed', 'is not a function');
  if (judge !== undefined && typeof judge !== 'function') throw invalid('embedder.judge', 'is not a function');
  if (local !== undefined && typeof local !== 'boolean') throw invalid('embedder.local', 'is not true or false');
  const ask = async (texts: string[], call: Call & { kind: TextKind }) => concatVectors(await embed(texts, call), texts.length);
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0 && dimensions <= 16_384)) {
    throw invalid('embedder.dimensions', 'is not a whole number from 1 to 16,384');
  }
  // A `memfold/encoder` loaded without a head still has the function.
  const hasHead = (options as { judges?: unknown }).judges !== false;
  const judged = async (pairs: Pair[], call: Call): Promise<Float32Array> => {
    const given: unknown = await judge!(pairs, call);
    if (!(given instanceof Float32Array || (Array.isArray(given) && given.every((x) => typeof x === 'number')))) throw new Refusal('malformed');
    return Float32Array.from(given);
  };
  return { model: `own/${model}`, dimensions, local, embed: ask, ...(judge && hasHead && { judge: judged }) };
}
