// The model that is asked where the local analyst is not sure, if one is configured.

/** The options of `open` that name it. */
export function modelOf(env) {
  if (env.AI && env.AI_MODEL) return { analyst: (question) => askWorkersAi(env, question) };
  if (env.MODEL_URL) {
    const { MODEL_DIALECT: dialect = 'openai', MODEL_URL: url, MODEL: model, MODEL_KEY: key } = env;
    return { endpoint: { dialect, url, model, ...(key ? { key } : {}) } };
  }
  return {};
}

async function askWorkersAi(env, { system, examples, text, schema }) {
  const said = examples.flatMap((e) => [{ role: 'user', content: e.text }, { role: 'assistant', content: e.reply }]);
  const { response, usage } = await env.AI.run(env.AI_MODEL, {
    messages: [{ role: 'system', content: system }, ...said, { role: 'user', content: text }],
    response_format: { type: 'json_schema', json_schema: schema },
    temperature: 0,
  });
  // Some models give the object, others its text.
  const reply = typeof response === 'string' ? JSON.parse(response) : response;
  return { ...reply, tokens: usage?.total_tokens };
}
