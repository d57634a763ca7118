// Who is asked: a model and an embedder, as the engine calls them. What they answer is judged elsewhere.
import { invalid } from './arguments.js';
import { embedder as ownEmbedder, embeddings as embeddingsAt, type Embedder, type EmbeddingsEndpoint } from './embeddings.js';
import { endpoint as asked } from './endpoint.js';
import type { Prompt, Proposal } from './types.js';
import { timely } from './wire.js';

/** A model endpoint of the user's own. */
export interface Endpoint {
  /** `openai` chat completions (also Ollama, LM Studio, llama.cpp, vLLM, OpenRouter, Azure), `anthropic` messages, or `gemini`. */
  dialect: 'openai' | 'anthropic' | 'gemini';
  /** Its base, such as `https://api.openai.com/v1`, or the whole address; https except on this machine. */
  url: string;
  model: string;
  /** Sent to that address alone; redirects are refused. */
  key?: string;
  /** How it is asked about mail: in `full`, or in `short`, for models of 2 to 8 billion parameters; guessed by the model's name where absent. */
  form?: 'full' | 'short';
}

/**
 * What an analyst is asked. `system`, `examples` and `text` are for a language model. Of a `mail`, `source` is its message id and
 * `candidates` are the stored memories that it is shown with; about `decisions`, `memories` and `candidates` say the same as data.
 */
export interface Question extends Omit<Prompt, 'schema'> {
  /** The JSON schema of the reply. */
  schema: object;
}

/**
 * What an analyst answers to a question about decisions. Anything else than these fields and values is refused: an
 * answer as a whole, of several answers each by itself.
 */
export type ModelReply = (Proposal | { answers: Proposal[] }) & {
  /** Tokens that were used, for the log and the budget; estimated where absent. */
  tokens?: number;
};

/** The text of a reply as a language model gave it, and what it used. */
export interface SpokenReply {
  text: string;
  tokens?: number;
}

/** Answers a question by a reply, or by the text of one as a language model gave it. `signal` fires when nobody waits any more. */
export interface ModelAnalyst {
  (question: Question, call: { signal: AbortSignal }): Promise<ModelReply | SpokenReply | string> | ModelReply | SpokenReply | string;
  /** Where it asks and what, for the list of what left this device (`model.sent`). */
  origin?: string;
  model?: string;
  form?: 'full' | 'short';
}

/** An analyst that gives text and tokens. */
type Spoken = ModelAnalyst & ((question: Question, call: { signal: AbortSignal }) => Promise<SpokenReply>);

/** What is wrong with an endpoint, if anything is. */
export type EndpointCode =
  /** It works. */
  | 'ok'
  /** It works, without the reply's schema. */
  | 'downgraded'
  /** It works; an answer took more than 10 s. */
  | 'slow'
  /** An option is not valid (`field`), or the address is plain http and not on this machine; nothing was sent. */
  | 'invalid' | 'insecure'
  /** Nobody answers, or what answers does not allow this page (CORS), or the page may not ask it (content security policy, http from https). */
  | 'unreachable' | 'cors' | 'blocked' | 'mixed_content'
  /** It sends on to another address, where nothing is sent. */
  | 'redirected'
  /** The key; the path; the model; the quota; the request in any form. */
  | 'unauthorized' | 'not_found' | 'no_such_model' | 'rate_limited' | 'rejected'
  /** A page instead of an interface; an answer of more than a megabyte; a fault of the server; no answer in time. */
  | 'not_an_api' | 'too_large' | 'server_error' | 'timeout'
  /** It answers, but not in the form that was asked for. */
  | 'wrong_form'
  /** The caller gave up, or an analyst of the application threw. */
  | 'aborted' | 'failed';

/** What came of a test. */
export interface EndpointReport {
  ok: boolean;
  code: EndpointCode;
  /** What the endpoint said, without the key; empty where there is nothing to add to the code. */
  detail: string;
  /** The option at fault. */
  field?: string;
  /** What was found out, where it was asked. */
  features?: {
    /** Whether the reply's schema is taken, JSON alone, or neither; absent for an analyst of the application. */
    schema?: 'strict' | 'json' | 'none';
    /** Whether a temperature is taken. */
    temperature?: boolean;
    /** Whether tokens are told. */
    tokens: boolean;
    /** Whether the answer was the right one: an UPDATE. */
    right: boolean;
  };
  /** Milliseconds that answers took. */
  ms: number;
}

/** Who is asked, of the options of `open`. */
export interface ModelOptions {
  /**
   * A model of the application's own. It is asked where the local analyst is not sure (`balanced`), or for whatever
   * is alike (`accurate`). What it answers is checked, and where it fails the local answer stands, flagged for review.
   * `sleep.run` asks it for tags and summaries, and `ask` for answers (`question.task`), but not in `fast` mode.
   */
  analyst?: ModelAnalyst;
  /** What the model behind `analyst` is called. With a name, its answers are kept in the store, as those of an endpoint are. */
  analystName?: string;
  /** A model endpoint instead of `analyst`; what is asked is sent there and nowhere else. */
  endpoint?: Endpoint;
  /** Milliseconds that `analyst` or `endpoint` may take for one question, tries included; 30,000 where absent. */
  analystTimeout?: number;
}

/** Who embeds, of the options of `open`. */
export interface EmbedderOptions {
  /**
   * An embeddings endpoint: it finds what is meant where no word is shared. The built-in embedder serves wherever it
   * fails, and for memories that it has not seen; `model.reembed` sends it those.
   */
  embeddings?: EmbeddingsEndpoint;
  /** An embedder of the application's own instead of `embeddings`. */
  embedder?: Embedder;
  /** Milliseconds that `embeddings` or `embedder` may take for one call, tries included; 30,000 where absent. */
  embedderTimeout?: number;
}

/** Milliseconds that an analyst or an embedder may take where none are named. */
const PATIENCE = 30_000;

/** The analyst that an endpoint is. */
const analystAt = (endpoint: Endpoint): Spoken => asked(endpoint, invalid) as unknown as Spoken;

/**
 * The analyst that an endpoint is, where the engine runs in one place (a worker) and requests are made in another (the page,
 * whose content security policy bounds them). It rejects with an error that has a `refusal`, a code for the log.
 */
export function endpointAnalyst(endpoint: Endpoint): Spoken {
  return analystAt(endpoint);
}

/** The application's analyst, so that it gives text and tokens. */
function spoken(analyst: ModelAnalyst): (question: Question, call: { signal: AbortSignal }) => Promise<SpokenReply> {
  if (typeof analyst !== 'function') throw invalid('analyst', 'is not a function');
  return async (question, call) => {
    const reply = await analyst(question, call);
    if (typeof reply === 'string') return { text: reply };
    const { text } = reply as SpokenReply;
    if (typeof text === 'string') return reply as SpokenReply;
    const { tokens, ...proposal } = reply;
    return { text: JSON.stringify(proposal), ...(tokens === undefined ? {} : { tokens }) };
  };
}

/** A model, as the engine calls it: it ends in time and never rejects. */
interface ModelPort {
  (question: Prompt, within?: number, stop?: AbortSignal): Promise<{ text: string; tokens: number } | { refusal: string }>;
  tag: string | undefined;
  origin: string | undefined;
  form: 'full' | 'short' | undefined;
  patience: number;
}

/** @internal */
export function modelPort({ analyst, analystName, endpoint, analystTimeout: patience = PATIENCE }: ModelOptions): ModelPort | undefined {
  if (analystName !== undefined && !(typeof analystName === 'string' && analystName !== '')) throw invalid('analystName', 'is not a name');
  if (analyst === undefined && endpoint === undefined) return undefined;
  if (analyst !== undefined && endpoint !== undefined) throw invalid('endpoint', 'is set beside `analyst`');
  const from: ModelAnalyst = analyst ?? analystAt(endpoint!);
  const ask = spoken(from);
  if (!(Number.isFinite(patience) && patience > 0)) throw invalid('analystTimeout', 'is not a number of milliseconds above 0');
  const put = ({ schema, ...question }: Prompt, within = patience, stop?: AbortSignal) =>
    timely(async (signal: AbortSignal) => {
      const { text, tokens = 0 } = await ask({ ...question, schema: JSON.parse(schema) as object }, { signal });
      return { text, tokens: Number.isInteger(tokens) && tokens > 0 ? Math.min(tokens, 2 ** 32 - 1) : 0 };
    }, Math.min(patience, within), stop) as ReturnType<ModelPort>;
  return Object.assign(put, { tag: analystName ?? from.model, origin: from.origin, form: from.form, patience });
}

/**
 * Who embeds, as the engine calls it: it ends in time and never rejects.
 * @internal
 */
export function embedderPort({ embeddings, embedder, embedderTimeout: patience = PATIENCE }: EmbedderOptions): object | undefined {
  if (embeddings === undefined && embedder === undefined) return undefined;
  if (embeddings !== undefined && embedder !== undefined) throw invalid('embeddings', 'is set beside `embedder`');
  const { embed, nearest, ...named } = embeddings === undefined ? ownEmbedder(embedder!, invalid) : embeddingsAt(embeddings, invalid);
  if (!(Number.isFinite(patience) && patience > 0)) throw invalid('embedderTimeout', 'is not a number of milliseconds above 0');
  const timed = <T, R>(work: (given: T, call: { signal: AbortSignal }) => Promise<R>) => (given: T, _: unknown, stop?: AbortSignal) =>
    timely((signal: AbortSignal) => work(given, { signal }), patience, stop);
  return { ...named, embed: timed(embed), ...(nearest && { nearest: timed(nearest) }) };
}
