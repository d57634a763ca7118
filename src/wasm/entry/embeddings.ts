// An embedder of the application's own behind the embedder port. It carries texts and vectors; whether vectors may be used is
// judged by the engine.
import type { Signal } from './host.js';
import { invalid, known } from './arguments.js';
import { Refusal } from './model.js';

/** An embeddings endpoint of the user's own. */
export interface EmbeddingsEndpoint {
  /** `openai` embeddings (also vLLM, LM Studio, llama.cpp, Azure, Mistral, Voyage, Jina), `gemini`, `cohere`, or Ollama's own. */
  dialect: 'openai' | 'gemini' | 'ollama' | 'cohere';
  /** Its base, such as `https://api.openai.com/v1`, or the whole address; https except on this machine. */
  url: string;
  /**
   * Also the tag of its vectors: another model makes all of them anew. By its name the model is told what a text is for, as its maker
   * wants: Gemini by `taskType`, Cohere and Voyage by `input_type`, Jina by `task`, Nomic and E5 by a prefix.
   */
  model: string;
  /** Sent to that address alone; redirects are refused. */
  key?: string;
  /** Asked for where the model can shorten its vectors, and checked; what the first reply has where absent. */
  dimensions?: number;
}

/** What texts are embedded for: a question, or what is stored and compared with it. */
export type TextKind = 'query' | 'document';

/** An embedder of the application's own. */
export interface Embedder {
  /** The tag of its vectors: another tag makes all of them anew. */
  model: string;
  /** The length of its vectors; what the first call gives where absent. */
  dimensions?: number;
  /** Whether it runs on this device: then `model.sent` lists nothing but its failures, without texts. */
  local?: boolean;
  /**
   * One vector for each text, in order, of any length but 0; they are brought to length 1. `signal` fires when time is up. A model that
   * embeds questions otherwise than documents needs `kind`; one that does not may leave it alone.
   */
  embed(texts: string[], call: { signal: Signal; kind: TextKind }): Promise<(Float32Array | number[])[]> | (Float32Array | number[])[];
  /**
   * Where the application keeps the vectors of memories itself, as in a vector database: the memories nearest to a vector, with
   * theirs. Then none is kept here, and `model.reembed` has nothing to do; `sync.changes` tells what to keep and what to remove.
   */
  nearest?(vector: Float32Array, call: { signal: Signal }): Promise<{ id: string; vector: Float32Array | Float64Array | number[] }[]>;
  /**
   * How a new text relates to a stored one: the logarithms of the probabilities of SKIP, UPDATE, CREATE_AND_LINK and CREATE, four for each
   * pair. It is asked at most once for a new memory, about the three best candidates of which the local analyst is not sure, and its answer is
   * combined with the analyst's by weights that were fitted for the head of `memfold/encoder`. An answer that cannot be used is left out.
   */
  judge?(pairs: Pair[], call: { signal: Signal }): Promise<Float32Array | number[]> | Float32Array | number[];
}

/** A stored text, a new one, and whether both are of one thread. A text with a subject is written `subject: text`. */
export type Pair = readonly [stored: string, next: string, sameThread?: boolean];

type Call = { signal: Signal };
type Row = ArrayLike<number> & { every(fits: (x: unknown) => boolean): boolean };
/** Vectors, one after the other. */
type Joined = { vectors: Float32Array; dimensions: number };
type Found = Joined & { ids: string[] };
/**
 * The functions of an embedder, as they are checked.
 * @internal
 */
export interface Embedding {
  model: string;
  dimensions?: number | undefined;
  local?: boolean | undefined;
  embed(texts: string[], call: Call & { kind: TextKind }): Promise<Joined>;
  nearest?(vector: Float32Array, call: Call): Promise<Found>;
  judge?(pairs: Pair[], call: Call): Promise<Float32Array>;
}

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

/**
 * The application's own embedder.
 * @internal
 */
export function embedder(options: Embedder): Embedding {
  if (typeof options !== 'object' || options === null) throw invalid('embedder', 'is not an object');
  const { model, dimensions, local, embed, nearest, judge, ...unknown } = options;
  known(unknown, ['model', 'dimensions', 'local', 'embed', 'nearest', 'judge'], 'embedder.');
  if (typeof model !== 'string' || model === '') throw invalid('embedder.model', 'is not a name');
  if (typeof embed !== 'function') throw invalid('embedder.embed', 'is not a function');
  if (nearest !== undefined && typeof nearest !== 'function') throw invalid('embedder.nearest', 'is not a function');
  if (judge !== undefined && typeof judge !== 'function') throw invalid('embedder.judge', 'is not a function');
  if (local !== undefined && typeof local !== 'boolean') throw invalid('embedder.local', 'is not true or false');
  const ask = async (texts: string[], call: Call & { kind: TextKind }) => joined(await embed(texts, call), texts.length);
  const find = async (vector: Float32Array, call: Call): Promise<Found> => {
    const found = await nearest!(vector, call);
    if (!Array.isArray(found) || found.some((m) => typeof m?.id !== 'string')) throw new Refusal('malformed');
    if (found.length === 0) return { ids: [], vectors: new Float32Array(), dimensions: vector.length };
    return { ids: found.map((m) => m.id), ...joined(found.map((m) => m.vector), found.length) };
  };
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0 && dimensions <= 16_384)) {
    throw invalid('embedder.dimensions', 'is not a whole number from 1 to 16,384');
  }
  // An encoder that was loaded without a head has the function all the same.
  const hasHead = (options as { judges?: unknown }).judges !== false;
  const judged = async (pairs: Pair[], call: Call): Promise<Float32Array> => {
    const given: unknown = await judge!(pairs, call);
    if (!(given instanceof Float32Array || (Array.isArray(given) && given.every((x) => typeof x === 'number')))) throw new Refusal('malformed');
    return Float32Array.from(given);
  };
  return { model: `own/${model}`, dimensions, local, embed: ask, ...(nearest && { nearest: find }), ...(judge && hasHead && { judge: judged }) };
}
