// The models that are asked where the built-in ones are not sure or not able, if any is configured: an analyst, an embedder.

/**
 * The options of `open` that name the analyst.
 * @param {{ AI?: Ai, AI_MODEL?: keyof AiModels, MODEL_URL?: string, MODEL_DIALECT?: string, MODEL?: string, MODEL_KEY?: string }} env
 */
export function modelOf(env) {
  if (env.AI && env.AI_MODEL) {
    const { AI, AI_MODEL: model } = env;
    return { analyst: (question, { signal }) => askWorkersAi({ AI }, model, question, signal), analystName: `workers-ai/${model}` };
  }
  if (env.MODEL_URL) {
    const { MODEL_DIALECT: dialect = 'openai', MODEL_URL: url, MODEL: model, MODEL_KEY: key } = env;
    return { endpoint: { dialect, url, model, ...(key ? { key } : {}) } };
  }
  return {};
}

/**
 * Asks a text generation model that has JSON mode.
 * @param {{ AI: Ai }} env
 * @param {keyof AiModels} model
 * @param {{ system: string, examples: { text: string, reply: string }[], text: string, schema: object }} question
 * @param {AbortSignal} signal
 */
async function askWorkersAi({ AI }, model, { system, examples, text, schema }, signal) {
  const said = examples.flatMap((e) => [{ role: 'user', content: e.text }, { role: 'assistant', content: e.reply }]);
  /** @type {AiTextGenerationInput} */
  const asked = {
    messages: [{ role: 'system', content: system }, ...said, { role: 'user', content: text }],
    response_format: { type: 'json_schema', json_schema: schema },
    temperature: 0,
  };
  const { response, usage } = /** @type {AiTextGenerationOutput} */ (await AI.run(model, asked, { signal }));
  // Most models give the object, some its text.
  return { text: typeof response === 'string' ? response : JSON.stringify(response ?? null), tokens: usage?.total_tokens };
}

/**
 * The embedder of Workers AI, if one is named: of the BGE family, or any that answers alike.
 * @param {{ AI?: Ai, AI_EMBEDDINGS?: '@cf/baai/bge-m3' | '@cf/baai/bge-base-en-v1.5' | '@cf/baai/bge-large-en-v1.5' | '@cf/baai/bge-small-en-v1.5' }} env
 */
export function embedderOf(env) {
  if (!env.AI || !env.AI_EMBEDDINGS) return undefined;
  const { AI, AI_EMBEDDINGS: model } = env;
  return {
    model: `workers-ai/${model}`,
    /** @type {(texts: string[], call: { signal: AbortSignal }) => Promise<number[][]>} */
    embed: async (texts, { signal }) => /** @type {{ data: number[][] }} */ (await AI.run(model, { text: texts }, { signal })).data,
  };
}
