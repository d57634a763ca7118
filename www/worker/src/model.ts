// The analyst and the embedder, if configured.
import type { Embedder, ModelOptions, Question, SpokenReply } from 'memfold';
import type { Env } from './env';

/** The model of `open`. */
export function modelOf(env: Pick<Env, 'AI' | 'AI_MODEL' | 'MODEL_URL' | 'MODEL_DIALECT' | 'MODEL' | 'MODEL_KEY'>): ModelOptions | undefined {
  if (env.AI && env.AI_MODEL) {
    const { AI, AI_MODEL: model } = env;
    return { analyst: (question, { signal }) => askWorkersAi({ AI }, model, question, signal), name: `workers-ai/${model}` };
  }
  if (env.MODEL_URL) {
    const { MODEL_DIALECT: dialect = 'openai', MODEL_URL: url, MODEL: model = '', MODEL_KEY: key } = env;
    return { dialect, url, model, ...(key ? { key } : {}) };
  }
  return undefined;
}

/** Calls a Workers AI text model with JSON mode. */
async function askWorkersAi(
  { AI }: { AI: Ai },
  model: keyof AiModels,
  { system, examples, text, schema }: Question,
  signal: AbortSignal,
): Promise<SpokenReply> {
  const said = examples.flatMap((e) => [
    { role: 'user', content: e.text },
    { role: 'assistant', content: e.reply },
  ]);
  const asked: AiTextGenerationInput = {
    messages: [{ role: 'system', content: system }, ...said, { role: 'user', content: text }],
    response_format: { type: 'json_schema', json_schema: schema },
    temperature: 0,
  };
  const { response, usage } = (await AI.run(model, asked, { signal })) as AiTextGenerationOutput & { usage?: { total_tokens: number } };
  // Most models return an object, some its text.
  return { text: typeof response === 'string' ? response : JSON.stringify(response ?? null), ...(usage && { tokens: usage.total_tokens }) };
}

/** A Workers AI embedder of the BGE family or with a compatible interface, if configured. */
export function embedderOf(env: Pick<Env, 'AI' | 'AI_EMBEDDINGS'>): Embedder | undefined {
  if (!env.AI || !env.AI_EMBEDDINGS) return undefined;
  const { AI, AI_EMBEDDINGS: model } = env;
  return {
    model: `workers-ai/${model}`,
    embed: async (texts, { signal }) => ((await AI.run(model, { text: texts }, { signal })) as { data: number[][] }).data,
  };
}
