// Connects a model and an embedder to the engine, which checks their replies.
import type { Signal } from './host.js';
import { invalid, refuseUnknown, object, wrapSignal } from './arguments.js';
import { embedder as ownEmbedder, type Embedder, type EmbeddingsEndpoint, type Pair, type TextKind } from './embeddings.js';
import type { Ready } from './engine.js';
import { typed } from './error.js';
import type { Chat } from './generated.js';
import type { Category, Prompt, Relation } from './types.js';

/** A language model endpoint of the user's choice. */
export interface Endpoint {
  /** The API of the endpoint: `openai` (also Ollama, LM Studio, llama.cpp, vLLM, OpenRouter, Azure), `anthropic` or `gemini`. */
  dialect: 'openai' | 'anthropic' | 'gemini';
  /** The base URL, such as `https://api.openai.com/v1`, or the full URL; https except on this machine. */
  url: string;
  model: string;
  /** The API key; only sent to that URL. Redirects are refused. */
  key?: string;
  /** The prompt form for mail: `full`, or `short` for models of 2 to 8 billion parameters; by default guessed from the model's name. */
  form?: 'full' | 'short';
}

/**
 * A question to an analyst. `system`, `examples` and `text` are the prompt for a language model. For the task `mail`
 * (also used for notes and single drafts), `source` is the message id and `candidates` are the stored memories shown
 * with it.
 */
export interface Question extends Omit<Prompt, 'schema'> {
  /** The JSON schema of the reply. */
  schema: object;
}

/** One change in an analyst's reply to a mail, note or draft. Other fields are ignored. */
export interface ReplyEntry {
  /** A new memory; a new or additional value; done or cancelled; repeated; or two memories that are the same. */
  op: 'new' | 'update' | 'done' | 'repeat' | 'same';
  /** The handle of the affected memory; none for `new`. */
  of?: string | null;
  /** For `same`: the handle of the other memory. */
  with?: string | null;
  /** The complete new text of the memory. */
  text?: string | null;
  /** The parts of the memory's text that are no longer valid, copied verbatim. */
  gone?: string[];
  category?: Category | null;
  /** The day of the event or deadline, as `yyyy-mm-dd`. */
  day?: string | null;
  people?: string[];
  /** Related memories: handles, or `E1` for the first entry of the reply. */
  links?: { to: string; type: Relation }[];
  /** The supporting words, copied from the given text. */
  evidence?: string | null;
  /** The reasons for an update or link. */
  analysis?: {
    subjects?: string[];
    changes?: { property?: string; old?: string | null; new?: string | null }[];
    why?: string;
    factors?: string[];
    sure?: number;
  } | null;
}

/** An analyst's reply to a question of the task `mail`. Each invalid entry is refused separately. */
export interface ModelReply {
  entries: ReplyEntry[];
  /** The tokens used, for the log and the budget; estimated by default. */
  tokens?: number;
}

/** A language model's raw reply, with the tokens used. */
export interface SpokenReply {
  text: string;
  tokens?: number;
}

/** Answers a question with a structured reply or a language model's raw text. `signal` fires when the reply is no longer needed. */
export interface ModelAnalyst {
  (question: Question, call: { signal: Signal }): Promise<ModelReply | SpokenReply | string> | ModelReply | SpokenReply | string;
  /** The origin and model name to show in the list of sent requests (`model.sent`). */
  origin?: string;
  model?: string;
  form?: 'full' | 'short';
}

/** An analyst that returns raw text and token counts. */
export type SpokenAnalyst = ((question: Question, call: { signal: Signal }) => Promise<SpokenReply>) & ModelAnalyst;

/** The result of an endpoint test. */
export type EndpointCode =
  /** It works. */
  | 'ok'
  /** It works, but not with the reply's schema. */
  | 'downgraded'
  /** It works, but a reply took more than 10 s. */
  | 'slow'
  /** An invalid option (`field`), or plain http to another machine; nothing was sent. */
  | 'invalid'
  | 'insecure'
  /** No connection; or blocked by CORS, the page's content security policy, or as http from https. */
  | 'unreachable'
  | 'cors'
  | 'blocked'
  | 'mixed_content'
  /** It redirects to another URL; redirects are refused. */
  | 'redirected'
  /** A wrong key; path; model; an exceeded quota; or a request rejected in any form. */
  | 'unauthorized'
  | 'not_found'
  | 'no_such_model'
  | 'rate_limited'
  | 'rejected'
  /** An HTML page; a reply of more than a megabyte; a server error; or a timeout. */
  | 'not_an_api'
  | 'too_large'
  | 'server_error'
  | 'timeout'
  /** The reply does not have the requested form. */
  | 'wrong_form'
  /** The caller aborted, or the application's analyst threw. */
  | 'aborted'
  | 'failed';

/** The report of an endpoint test. */
export interface EndpointReport {
  ok: boolean;
  code: EndpointCode;
  /** The endpoint's message, without the key; empty if the code says it all. */
  detail: string;
  /** The invalid option. */
  field?: string;
  /** For a reply of the wrong form: the broken rule, such as `no_evidence`. */
  rule?: string;
  /** The detected features; absent without a reply. */
  features?: {
    /** Support for a schema, JSON only, or neither; absent for an application's analyst or a reply of the wrong form. */
    schema?: 'strict' | 'json' | 'none';
    /** Whether a temperature is accepted. */
    temperature?: boolean;
    /** Whether token counts are reported. */
    tokens: boolean;
    /** Whether the reply was correct: an UPDATE. Absent for an unusable reply. */
    right?: boolean;
  };
  /** The total response time in milliseconds. */
  ms: number;
}

/** Settings of a model. */
export interface ModelSettings {
  /** The timeout for a question, in milliseconds with retries; 30,000 by default. */
  timeout?: number;
  /** The most tokens that the model may use in a day; unlimited by default. */
  dailyTokens?: number;
  /**
   * Whether to replace personal addresses and numbers by `[EMAIL_1]`, `[PHONE_1]`, `[CARD_1]`, `[ID_1]` and `[ACCOUNT_1]` in
   * prompts. Replies are restored before they are checked.
   */
  mask?: boolean;
}

/** The application's own model, with its settings. */
export interface AnalystOptions extends ModelSettings {
  /** The function that answers questions (`question.task`). Without one, only the settings apply. */
  analyst?: ModelAnalyst;
  /** The model's name, shown for each request in `model.sent`. */
  name?: string;
  /** The prompt form for mail: `full`, or `short` for models of 2 to 8 billion parameters. */
  form?: 'full' | 'short';
}

/** A model: an endpoint, to which questions are sent and nowhere else, or a function. */
export type ModelOptions = (Endpoint & ModelSettings) | AnalystOptions;

/** The default timeout in milliseconds. */
const PATIENCE = 30_000;

/**
 * An error with a refusal code for the log.
 * @internal
 */
export class Refusal extends Error {
  constructor(readonly refusal: string) {
    super(refusal);
  }
}

/** The analysts made by `endpointAnalyst`, for which the prompt form is guessed. */
const elsewhere = new WeakSet<ModelAnalyst>();

/**
 * Creates an analyst from an endpoint. Its options are checked immediately if the engine is loaded, otherwise with the
 * first question.
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
      // The next question uses a new instance.
      chat = undefined;
      throw instance.trap;
    }
    return instance.call(() => asked.ask({ system, examples, text, schema }, wrapSignal(signal)));
  };
  const { url, model, form } = given;
  const analyst: SpokenAnalyst = Object.assign(ask, { ...(URL.canParse?.(url) && { origin: new URL(url).origin }), model, ...(form && { form }) });
  elsewhere.add(analyst);
  return analyst;
}

/** Checks the option names of an endpoint. */
function endpointOf<T extends object>(given: T, field: string, ...more: string[]): T {
  const names = ['dialect', 'url', 'model', 'key', ...more];
  const unknown = Object.entries(object(given ?? null, field)).filter(([name]) => !names.includes(name));
  refuseUnknown(Object.fromEntries(unknown), names, `${field}.`);
  return given;
}

/** Wraps the application's analyst, so that it returns text and token counts. */
function spoken(analyst: ModelAnalyst): (question: Question, call: { signal: Signal }) => Promise<SpokenReply> {
  if (typeof analyst !== 'function') throw invalid('model.analyst', 'is not a function');
  return async (question, call) => {
    const reply = await analyst(question, call);
    if (typeof reply === 'string') return { text: reply };
    const { text } = reply as SpokenReply;
    if (typeof text === 'string') return reply as SpokenReply;
    const { tokens, ...proposal } = reply;
    return { text: JSON.stringify(proposal), ...(tokens === undefined ? {} : { tokens }) };
  };
}

/** Validates a timeout and rounds it up to whole milliseconds. */
function millis(patience: number, field: string): number {
  if (!(Number.isFinite(patience) && patience > 0)) throw invalid(field, 'is not a number of milliseconds above 0');
  return Math.min(Math.ceil(patience), 2 ** 31 - 1);
}

/** The port of an endpoint. */
export const endpointPort = (endpoint: Endpoint, timeout: number, field: string): object => ({
  endpoint: endpointOf(endpoint, 'endpoint', 'form'),
  patience: millis(timeout, field),
});

/** The port of a function. */
export function analystPort(
  analyst: ModelAnalyst,
  timeout: number,
  field: string,
  { name = analyst?.model, form = analyst?.form }: AnalystOptions = {},
): object {
  const said = spoken(analyst);
  const ask = ({ schema, ...question }: Prompt, signal: AbortSignal) => said({ ...question, schema: JSON.parse(schema) as object }, { signal });
  return {
    ask,
    ...(name !== undefined && { tag: name }),
    origin: analyst.origin,
    form: form ?? (elsewhere.has(analyst) ? 'guess' : undefined),
    patience: millis(timeout, field),
  };
}

const ENDPOINT = ['dialect', 'url', 'model', 'key'];
const OPTIONS = [...ENDPOINT, 'form', 'analyst', 'name', 'timeout', 'dailyTokens', 'mask'];

/**
 * Converts a model to the engine's port and settings.
 * @internal
 */
export function modelPort(model: ModelAnalyst | ModelOptions | undefined): { port?: object; settings?: Pick<ModelSettings, 'dailyTokens' | 'mask'> } {
  if (model === undefined) return {};
  if (typeof model === 'function') return { port: analystPort(model, PATIENCE, 'model.timeout') };
  const given: Partial<Endpoint> & AnalystOptions = object(model ?? null, 'model');
  refuseUnknown(Object.fromEntries(Object.entries(given).filter(([name]) => !OPTIONS.includes(name))), OPTIONS, 'model.');
  const { analyst, name, timeout = PATIENCE, dailyTokens, mask, ...endpoint } = given;
  const settings = { ...(dailyTokens !== undefined && { dailyTokens }), ...(mask !== undefined && { mask }) };
  if (name !== undefined && !(typeof name === 'string' && name !== '')) throw invalid('model.name', 'is not a name');
  const isEndpoint = ENDPOINT.some((field) => endpoint[field as keyof Endpoint] !== undefined);
  if (analyst !== undefined && isEndpoint) throw invalid('model.analyst', 'and an endpoint exclude each other');
  if (analyst !== undefined) return { port: analystPort(analyst, timeout, 'model.timeout', given), settings };
  if (!isEndpoint) return { settings };
  return { port: endpointPort(endpoint as Endpoint, timeout, 'model.timeout'), settings };
}

/**
 * Converts an embedder to the engine's port: an endpoint or functions.
 * @internal
 */
export function embedderPort(given: Embedder | EmbeddingsEndpoint | undefined): object | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'object' || given === null) throw invalid('embedder', 'is not an object');
  const patience = millis(given.timeout ?? PATIENCE, 'embedder.timeout');
  if (!('embed' in given) && ('url' in given || 'dialect' in given)) {
    const { timeout: _, ...endpoint } = given;
    return { endpoint: endpointOf(endpoint, 'embedder', 'dimensions'), patience };
  }
  const { embed, judge, ...named } = ownEmbedder(given as Embedder);
  return {
    ...named,
    embed: (texts: string[], signal: AbortSignal, kind: TextKind) => embed(texts, { signal, kind }),
    ...(judge && { judge: (pairs: Pair[], signal: AbortSignal) => judge(pairs, { signal }) }),
    patience,
  };
}
