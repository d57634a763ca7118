// Models of the Vercel AI SDK as the analyst and as the embedder. They are asked by the interface that every provider of it has,
// so that nothing else of the SDK is needed. What is asked goes where that provider sends it.
import type { Embedder, TextKind } from './embeddings.js';
import { invalid } from './arguments.js';
import type { Signal } from './host.js';
import { Refusal, type Question, type SpokenAnalyst, type SpokenReply } from './model.js';

type Part = { type: string; text?: string };
type Count = number | undefined | { total: number | undefined };

/** What is used of a language model of the SDK, such as `openai('gpt-5-mini')`; of specification 2 or later. */
export interface AiLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: any): PromiseLike<{ content: readonly Part[]; usage?: { inputTokens?: Count; outputTokens?: Count } }>;
}

/** What is used of an embedding model of the SDK; of specification 2 or later. */
export interface AiEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: any): PromiseLike<{ embeddings: number[][] }>;
}

/** How a language model is asked. */
export interface AiOptions {
  /** Where it asks, for the list of what left this device (`model.sent`); the provider's name where absent. */
  origin?: string;
  /** `short` for models of 2 to 8 billion parameters. */
  form?: 'full' | 'short';
  /** Settings of the provider's own. */
  providerOptions?: Record<string, Record<string, unknown>>;
}

/** Why a call failed, as the log names it: by the status that the SDK's errors carry. */
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
    throw invalid('model', `is not a model of the AI SDK 5 or later with \`${verb}\`: hand in what a provider gives, such as openai('…')`);
  }
}

/** A language model of the SDK as the analyst. It is asked once for each question, with the schema of the reply. */
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

/** How an embedding model is asked. */
export interface AiEmbedderOptions {
  dimensions?: number;
  /** Settings of the provider's own; or those of each kind, as `(kind) => ({ cohere: { inputType: `search_${kind}` } })`. */
  providerOptions?: AiOptions['providerOptions'] | ((kind: TextKind) => AiOptions['providerOptions']);
}

/** An embedding model of the SDK as the embedder. */
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
