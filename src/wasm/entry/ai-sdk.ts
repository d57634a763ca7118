// Adapters for the Vercel AI SDK: its language and embedding models as analyst and embedder. They use only the
// interface that all of its providers share. Requests go wherever the provider sends them.
import type { Embedder, TextKind } from './embeddings.js';
import { invalid } from './arguments.js';
import type { Signal } from './host.js';
import { Refusal, type Question, type SpokenAnalyst, type SpokenReply } from './model.js';

type Part = { type: string; text?: string };
type Count = number | undefined | { total: number | undefined };

/** The used part of an SDK language model, such as `openai('gpt-5-mini')`; specification 2 or later. */
export interface AiLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: any): PromiseLike<{ content: readonly Part[]; usage?: { inputTokens?: Count; outputTokens?: Count } }>;
}

/** The used part of an SDK embedding model; specification 2 or later. */
export interface AiEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: any): PromiseLike<{ embeddings: number[][] }>;
}

/** Options for calling a language model. */
export interface AiOptions {
  /** The origin shown in the list of sent requests (`model.sent`); the provider's name by default. */
  origin?: string;
  /** `short` for models of 2 to 8 billion parameters. */
  form?: 'full' | 'short';
  /** Options passed on to the provider. */
  providerOptions?: Record<string, Record<string, unknown>>;
}

/** Maps an SDK error, by its HTTP status, to a code of the log. */
function refusal(error: unknown, signal: Signal): unknown {
  if (signal.aborted) return error;
  const { statusCode: status, isRetryable } = error as { statusCode?: number; isRetryable?: boolean };
  if (status === undefined) return isRetryable ? new Refusal('unreachable') : error;
  const named: Record<number, string> = { 401: 'unauthorized', 403: 'unauthorized', 404: 'not_found', 408: 'timeout', 429: 'rate_limited' };
  return new Refusal(named[status] ?? (status >= 500 ? 'server_error' : 'rejected'));
}

const count = (tokens: Count): number => (typeof tokens === 'object' ? tokens.total : tokens) ?? 0;

function checked(model: { specificationVersion?: string } | string, verb: string): void {
  if (typeof (model as Record<string, unknown> | null)?.[verb] !== 'function' || (model as AiLanguageModel).specificationVersion === 'v1') {
    throw invalid('model', `is not a model of the AI SDK 5 or later with \`${verb}\`: pass a model of a provider, such as openai('…')`);
  }
}

/** Wraps an SDK language model as an analyst. Each question is one call, with the reply's schema. */
export function analyst(model: AiLanguageModel, { origin, form, providerOptions }: AiOptions = {}): SpokenAnalyst {
  checked(model, 'doGenerate');
  const said = (role: 'user' | 'assistant', text: string) => ({ role, content: [{ type: 'text', text }] });
  const ask = async ({ system, examples, text, schema }: Question, { signal }: { signal: Signal }): Promise<SpokenReply> => {
    const prompt = [{ role: 'system', content: system }, ...examples.flatMap((e) => [said('user', e.text), said('assistant', e.reply)]), said('user', text)];
    const asked = { prompt, responseFormat: { type: 'json', schema, name: 'proposal' }, abortSignal: signal, ...(providerOptions && { providerOptions }) };
    const { content, usage } = await Promise.resolve(model.doGenerate(asked)).catch((error: unknown) => Promise.reject(refusal(error, signal)));
    const tokens = count(usage?.inputTokens) + count(usage?.outputTokens);
    return { text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''), ...(tokens > 0 && { tokens }) };
  };
  return Object.assign(ask, { origin: origin ?? model.provider, model: `${model.provider}/${model.modelId}`, ...(form && { form }) });
}

/** Options for calling an embedding model. */
export interface AiEmbedderOptions {
  dimensions?: number;
  /** Options passed on to the provider, or a function of the text kind: `(kind) => ({ cohere: { inputType: `search_${kind}` } })`. */
  providerOptions?: AiOptions['providerOptions'] | ((kind: TextKind) => AiOptions['providerOptions']);
}

/** Wraps an SDK embedding model as an embedder. */
export function embedder(model: AiEmbeddingModel, { dimensions, providerOptions }: AiEmbedderOptions = {}): Embedder {
  checked(model, 'doEmbed');
  return {
    model: `${model.provider}/${model.modelId}`,
    ...(dimensions === undefined ? {} : { dimensions }),
    async embed(texts, { signal, kind }) {
      const settings = typeof providerOptions === 'function' ? providerOptions(kind) : providerOptions;
      const most = (await model.maxEmbeddingsPerCall) ?? texts.length;
      const vectors: number[][] = [];
      for (let at = 0; at < texts.length; at += most) {
        const asked = { values: texts.slice(at, at + most), abortSignal: signal, ...(settings && { providerOptions: settings }) };
        const { embeddings } = await Promise.resolve(model.doEmbed(asked)).catch((error: unknown) => Promise.reject(refusal(error, signal)));
        vectors.push(...embeddings);
      }
      return vectors;
    },
  };
}
