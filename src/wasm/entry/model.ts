// Who is asked: a model and an embedder, as the engine calls them. What they answer is judged elsewhere.
import type { Signal } from './host.js';
import { invalid, known, object, watched } from './arguments.js';
import { embedder as ownEmbedder, type Embedder, type EmbeddingsEndpoint, type Pair, type TextKind } from './embeddings.js';
import type { Ready } from './engine.js';
import { typed } from './error.js';
import type { Chat } from './generated.js';
import type { Category, Prompt, Relation } from './types.js';

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
 * What an analyst is asked. `system`, `examples` and `text` are for a language model. Of a `mail`, which may be a note or a single
 * new memory as well, `source` is its message id and `candidates` are the stored memories that it is shown with.
 */
export interface Question extends Omit<Prompt, 'schema'> {
  /** The JSON schema of the reply. */
  schema: object;
}

/** One thing that a mail, a note or a new memory changes, as an analyst answers it. Other fields are ignored. */
export interface ReplyEntry {
  /** Something new; another value or a further one; done or cancelled; said again; or two memories are one. */
  op: 'new' | 'update' | 'done' | 'repeat' | 'same';
  /** The handle of the memory that is meant; of none where it is new. */
  of?: string | null;
  /** The other memory, of `same`. */
  with?: string | null;
  /** The whole memory as it reads from now on. */
  text?: string | null;
  /** What of the memory no longer holds, copied. */
  gone?: string[];
  category?: Category | null;
  /** The day on which it happens or is due, as `yyyy-mm-dd`. */
  day?: string | null;
  people?: string[];
  /** What it belongs to: handles, or `E1` for the first entry. */
  links?: { to: string; type: Relation }[];
  /** Words that it rests on, copied from the text in question. */
  evidence?: string | null;
  /** Why, of an update or a link. */
  analysis?: {
    subjects?: string[];
    changes?: { property?: string; old?: string | null; new?: string | null }[];
    why?: string;
    factors?: string[];
    sure?: number;
  } | null;
}

/** What an analyst answers to a question of the task `mail`. An entry with any other value is refused by itself. */
export interface ModelReply {
  entries: ReplyEntry[];
  /** Tokens that were used, for the log and the budget; estimated where absent. */
  tokens?: number;
}

/** The text of a reply as a language model gave it, and what it used. */
export interface SpokenReply {
  text: string;
  tokens?: number;
}

/** Answers a question by a reply, or by the text of one as a language model gave it. `signal` fires when nobody waits any more. */
export interface ModelAnalyst {
  (question: Question, call: { signal: Signal }): Promise<ModelReply | SpokenReply | string> | ModelReply | SpokenReply | string;
  /** Where it asks and what, for the list of what left this device (`model.sent`). */
  origin?: string;
  model?: string;
  form?: 'full' | 'short';
}

/** An analyst that gives text and tokens. */
export type SpokenAnalyst = ((question: Question, call: { signal: Signal }) => Promise<SpokenReply>) & ModelAnalyst;

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
  /** Of an answer in another form: the rule that it breaks, such as `no_evidence`. */
  rule?: string;
  /** What was learnt of it: nothing where no answer came. */
  features?: {
    /** Whether the reply's schema is taken, JSON alone, or neither; absent for an analyst of the application, and where the answer had another form. */
    schema?: 'strict' | 'json' | 'none';
    /** Whether a temperature is taken. */
    temperature?: boolean;
    /** Whether tokens are told. */
    tokens: boolean;
    /** Whether the answer was the right one: an UPDATE. Absent where it could not be used. */
    right?: boolean;
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
  /** What the model behind `analyst` is called. It is told with each request in `model.sent`. */
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

/**
 * What went wrong with a question, as the log names it.
 * @internal
 */
export class Refusal extends Error {
  constructor(readonly refusal: string) {
    super(refusal);
  }
}

/** Endpoints that are asked elsewhere than where the engine runs. */
const elsewhere = new WeakSet<ModelAnalyst>();

/**
 * The analyst that an endpoint is. Its options are checked at once where the engine is loaded already, else with its first question.
 * @internal
 */
export function analystOf(ready: Ready, endpoint: Endpoint): SpokenAnalyst {
  const given = { ...endpointOf(endpoint, 'endpoint', 'form') };
  let chat: Promise<[Awaited<ReturnType<Ready>>, Chat]> | undefined;
  const made = (instance: Awaited<ReturnType<Ready>>) => instance.now(() => new instance.engine.Chat(given));
  const loaded = ready.loaded();
  if (loaded) {
    try {
      chat = Promise.resolve([loaded, made(loaded)]);
    } catch (error) {
      throw typed(error);
    }
  }
  const ask = async ({ system, examples, text, schema }: Question, { signal }: { signal: Signal }): Promise<SpokenReply> => {
    chat ??= ready().then((instance) => [instance, made(instance)]);
    const [instance, asked] = await chat;
    if (instance.trap) {
      // The next question goes to a fresh one.
      chat = undefined;
      throw instance.trap;
    }
    return instance.call(() => asked.ask({ system, examples, text, schema }, watched(signal)));
  };
  const { url, model, form } = given;
  const analyst: SpokenAnalyst = Object.assign(ask, { ...(URL.canParse?.(url) && { origin: new URL(url).origin }), model, ...(form && { form }) });
  elsewhere.add(analyst);
  return analyst;
}

/** An endpoint of options that are known. */
function endpointOf<T extends object>(given: T, field: string, ...more: string[]): T {
  const names = ['dialect', 'url', 'model', 'key', ...more];
  const unknown = Object.entries(object(given ?? null, field)).filter(([name]) => !names.includes(name));
  known(Object.fromEntries(unknown), names, `${field}.`);
  return given;
}

/** The application's analyst, so that it gives text and tokens. */
function spoken(analyst: ModelAnalyst): (question: Question, call: { signal: Signal }) => Promise<SpokenReply> {
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

/** Milliseconds above 0, whole. */
function millis(patience: number, field: string): number {
  if (!(Number.isFinite(patience) && patience > 0)) throw invalid(field, 'is not a number of milliseconds above 0');
  return Math.min(Math.ceil(patience), 2 ** 31 - 1);
}

/**
 * A model, as the engine takes it: an endpoint, or a function that is told by its signal when nobody waits any more.
 * @internal
 */
export function modelPort({ analyst, analystName: tag, endpoint, analystTimeout = PATIENCE }: ModelOptions): object | undefined {
  if (tag !== undefined && !(typeof tag === 'string' && tag !== '')) throw invalid('analystName', 'is not a name');
  if (analyst === undefined && endpoint === undefined) return undefined;
  if (analyst !== undefined && endpoint !== undefined) throw invalid('endpoint', 'is set beside `analyst`');
  const named = (name: string | undefined) => (name === undefined ? {} : { tag: name });
  if (analyst === undefined) return { endpoint: endpointOf(endpoint!, 'endpoint', 'form'), ...named(tag), patience: millis(analystTimeout, 'analystTimeout') };
  const said = spoken(analyst);
  const ask = ({ schema, ...question }: Prompt, signal: AbortSignal) => said({ ...question, schema: JSON.parse(schema) as object }, { signal });
  const form = analyst.form ?? (elsewhere.has(analyst) ? 'guess' : undefined);
  return { ask, ...named(tag ?? analyst.model), origin: analyst.origin, form, patience: millis(analystTimeout, 'analystTimeout') };
}

/**
 * Who embeds, as the engine takes it: an endpoint, or functions.
 * @internal
 */
export function embedderPort({ embeddings, embedder, embedderTimeout = PATIENCE }: EmbedderOptions): object | undefined {
  if (embeddings === undefined && embedder === undefined) return undefined;
  if (embeddings !== undefined && embedder !== undefined) throw invalid('embeddings', 'is set beside `embedder`');
  if (embedder === undefined) return { endpoint: endpointOf(embeddings!, 'embeddings', 'dimensions'), patience: millis(embedderTimeout, 'embedderTimeout') };
  const { embed, nearest, judge, ...named } = ownEmbedder(embedder);
  return {
    ...named,
    embed: (texts: string[], signal: AbortSignal, kind: TextKind) => embed(texts, { signal, kind }),
    ...(nearest && { nearest: (vector: Float32Array, signal: AbortSignal) => nearest(vector, { signal }) }),
    ...(judge && { judge: (pairs: Pair[], signal: AbortSignal) => judge(pairs, { signal }) }),
    patience: millis(embedderTimeout, 'embedderTimeout'),
  };
}
