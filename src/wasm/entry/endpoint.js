// A model endpoint behind the analyst port: three dialects over `fetch`, with time limits, retries and a rest after failures.
// It carries questions and replies and judges neither. In JavaScript, where `fetch`, streams and timers are at home: the same
// behind gloo-net adds 12 KB gzipped to the engine.

/** Bytes of a response that are read. */
const MOST = 1024 * 1024;
/** Tries of one question, all within its time limit. */
const TRIES = 3;
/** Milliseconds before the second try; the third waits twice as long. */
const PAUSE = 400;
/** Milliseconds that nobody waits for a next try, whoever asks for them. */
const LONG = 10_000;
/** Milliseconds for which nothing is sent after a failure; doubled with each further one, up to the second figure. */
const REST = [30_000, 600_000];

/** What went wrong, as the log names it. */
class Refusal extends Error {
  constructor(refusal, { again = false, after } = {}) {
    super(refusal);
    Object.assign(this, { refusal, again, after });
  }
}

const turns = ({ examples, text }, assistant, as) => [
  ...examples.flatMap((e) => [as('user', e.text), as(assistant, e.reply)]),
  as('user', text),
];

/** The schema in the words of Gemini's older `responseSchema`: `nullable` instead of a type of null. */
function plain(schema) {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { additionalProperties, ...kept } = schema;
  const out = Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, plain(value)]));
  if (Array.isArray(out.type)) Object.assign(out, { type: out.type[0], nullable: true });
  if (Array.isArray(out.enum)) out.enum = out.enum.filter((word) => word !== null);
  return out;
}

const message = (role, content) => ({ role, content });
const parts = (list) => list?.map((part) => part?.text ?? '').join('');

/** For each dialect: where it is asked, how the key goes along, what is sent (the strictest form first), what comes back. */
const DIALECTS = {
  openai: {
    path: (path) => (/\/chat\/completions$/.test(path) ? path : `${path}/chat/completions`),
    headers: (key, host) => (/\.azure\.com$/.test(host) ? { 'api-key': key } : { authorization: `Bearer ${key}` }),
    body: (model, q) => ({ model, temperature: 0, messages: [message('system', q.system), ...turns(q, 'assistant', message)] }),
    forms: [
      (b, q) => ({ ...b, response_format: { type: 'json_schema', json_schema: { name: 'proposal', strict: true, schema: q.schema } } }),
      (b) => ({ ...b, response_format: { type: 'json_object' } }),
      (b) => b,
      // Some models take no temperature but their own.
      ({ temperature, ...b }) => b,
    ],
    text: (r) => [r.choices?.[0]?.message?.content].flat().map((c) => c?.text ?? c ?? '').join(''),
    tokens: (u) => u?.total_tokens,
    usage: 'usage',
  },
  anthropic: {
    path: (path) => (/\/messages$/.test(path) ? path : `${path.replace(/\/v1$/, '')}/v1/messages`),
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01', 'anthropic-dangerous-direct-browser-access': 'true' }),
    body: (model, q) => ({ model, max_tokens: 2_048, temperature: 0, system: q.system, messages: turns(q, 'assistant', message) }),
    forms: [
      (b, q) => ({ ...b, output_config: { format: { type: 'json_schema', schema: q.schema } } }),
      (b) => b,
      ({ temperature, ...b }) => b,
    ],
    text: (r) => parts(r.content),
    tokens: (u) => u?.input_tokens + u?.output_tokens,
    usage: 'usage',
  },
  gemini: {
    path: (path, model) => (/:generateContent$/.test(path) ? path : `${path}/models/${encodeURIComponent(model)}:generateContent`),
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: (_, q) => ({
      systemInstruction: { parts: [{ text: q.system }] },
      contents: turns(q, 'model', (role, text) => ({ role, parts: [{ text }] })),
      generationConfig: { temperature: 0 },
    }),
    forms: [
      (b, q) => ({ ...b, generationConfig: { temperature: 0, responseMimeType: 'application/json', responseSchema: plain(q.schema) } }),
      (b) => ({ ...b, generationConfig: { temperature: 0, responseMimeType: 'application/json' } }),
      (b) => b,
    ],
    text: (r) => parts(r.candidates?.[0]?.content?.parts),
    tokens: (u) => u?.totalTokenCount,
    usage: 'usageMetadata',
  },
};

/** The endpoint's address, checked. */
function address({ url, model }, dialect, invalid) {
  let at;
  try {
    at = new URL(url);
  } catch {
    throw invalid('endpoint.url', 'is not a URL');
  }
  const here = at.hostname === 'localhost' || at.hostname === '[::1]' || /^127(\.\d+){3}$/.test(at.hostname);
  if (at.protocol !== 'https:' && !(at.protocol === 'http:' && here)) throw invalid('endpoint.url', 'is not https');
  if (at.username || at.password) throw invalid('endpoint.url', 'holds a user or password');
  at.hash = '';
  at.pathname = dialect.path(at.pathname.replace(/\/+$/, ''), model);
  return at;
}

/** Milliseconds that a response asks to wait. */
function wanted(response) {
  const value = response.headers.get('retry-after');
  const ms = value === null ? NaN : /^\d+$/.test(value) ? value * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}

async function read(response) {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > MOST) {
      await reader.cancel().catch(() => {});
      throw new Refusal('too_large');
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}

/** What a status says; none of a good one. */
function refused({ status, type }, after) {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) return new Refusal('redirected');
  if (status === 401 || status === 403) return new Refusal('unauthorized');
  if (status === 404) return new Refusal('not_found');
  if (status === 429) return new Refusal('rate_limited', { again: true, after });
  if (status === 408 || status >= 500) return new Refusal('server_error', { again: true, after });
  return status >= 400 ? new Refusal('rejected') : undefined;
}

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(new Refusal('timeout'))), { once: true });
  });

/** The analyst that an endpoint is. `invalid(field, rule)` makes the error of a bad option. */
export function endpoint(options, invalid) {
  if (typeof options !== 'object' || options === null) throw invalid('endpoint', 'is not an object');
  const { dialect: named, url, model, key, ...unknown } = options;
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw invalid(`endpoint.${extra}`, 'is not known');
  if (!Object.hasOwn(DIALECTS, named)) throw invalid('endpoint.dialect', 'is not openai, anthropic or gemini');
  if (typeof model !== 'string' || model === '') throw invalid('endpoint.model', 'is not a name');
  if (key !== undefined && !(typeof key === 'string' && /^[\x21-\x7e]+$/.test(key))) throw invalid('endpoint.key', 'is not a key');
  const dialect = DIALECTS[named];
  const at = address({ url, model }, dialect, invalid);
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : dialect.headers(key, at.hostname)) };
  let form = 0;
  let failures = 0;
  let restsUntil = 0;

  async function once(question, signal) {
    const body = JSON.stringify(dialect.forms[form](dialect.body(model, question), question));
    let response;
    let text;
    try {
      // Followed by hand, that is never: a redirect would carry mail, and perhaps the key, elsewhere.
      response = await fetch(at, { method: 'POST', headers, body, signal, redirect: 'manual' });
      const why = refused(response, wanted(response));
      if (why) await response.body?.cancel().catch(() => {});
      if (why) throw Object.assign(why, { status: response.status });
      text = await read(response);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal(signal.aborted ? 'timeout' : 'unreachable', { again: !signal.aborted });
    }
    let reply;
    try {
      reply = JSON.parse(text);
    } catch {
      throw new Refusal('not_json');
    }
    const tokens = dialect.tokens(reply?.[dialect.usage]);
    return { text: String(dialect.text(reply ?? {}) ?? ''), tokens };
  }

  async function ask(question, signal) {
    for (let tries = 1; ; ) {
      try {
        return await once(question, signal);
      } catch (error) {
        if ((error.status === 400 || error.status === 422) && form + 1 < dialect.forms.length) {
          // Asked again in a plainer form, which is kept: an endpoint that knows no schema does not learn it.
          form += 1;
          continue;
        }
        // In no form: then it was not the form.
        if (error.refusal === 'rejected') form = 0;
        if (!error.again || tries >= TRIES || error.after > LONG) throw error;
        await pause(error.after ?? PAUSE * 2 ** (tries - 1) * (0.5 + Math.random()), signal);
        tries += 1;
      }
    }
  }

  return async (question, { signal }) => {
    if (Date.now() < restsUntil) throw new Refusal('resting');
    try {
      const reply = await ask(question, signal);
      failures = 0;
      return reply;
    } catch (error) {
      // One dead endpoint costs one time limit, not one for each memory.
      restsUntil = Date.now() + Math.max(Math.min(REST[0] * 2 ** failures, REST[1]), Math.min(error.after ?? 0, REST[1]));
      failures += 1;
      throw error;
    }
  };
}
