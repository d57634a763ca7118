// A model endpoint behind the analyst port: three dialects over `fetch`. It carries questions and replies and judges neither.
// In JavaScript, where `fetch`, streams and timers are at home: the same behind gloo-net adds 12 KB gzipped to the engine.
import { Refusal, endpointOf, post, rested, tried } from './wire.js';

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

/** Characters from which on a key is one: a shorter one is a word that an honest reply may hold. */
const KEY = 8;

/** Whether a reply repeats the key: as it is, escaped, with blanks or unseen characters in it, or in base64. */
function repeats(text, key = '') {
  if (key.length < KEY) return false;
  const plain = (said) => said.normalize('NFKC').replace(/[\s\p{Cf}\p{M}]/gu, '').toLowerCase();
  const read = text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(parseInt(code, 16))).replace(/\\(?:[nrtbf]|(.))/gs, '$1');
  // Without its padding, which a longer text in base64 has not in that place.
  const forms = [key, btoa(key).replace(/=+$/, '')].map(plain);
  return [text, read].map(plain).some((said) => forms.some((form) => said.includes(form)));
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

/** Billions of parameters up to which a model is asked in short. */
const SMALL = 8;

/** How a model is asked, guessed by its name: in short where that tells a small one (`llama3.2:3b`, `gemma-2-2b-it`). */
function formOf(model) {
  const told = [...model.matchAll(/(?<![\d.a-z])e?(\d+(?:\.\d+)?)b(?![a-z])/gi)].map(([, billions]) => Number(billions));
  return told.some((billions) => billions <= SMALL) || /\bnano\b/i.test(model.replace(/gpt-[\w.]+-nano/i, '')) ? 'short' : 'full';
}

/** The analyst that an endpoint is. `invalid(field, rule)` makes the error of a bad option; into `heard`, where somebody
 * listens, goes how the endpoint was asked and what it said, and it is tried once and never rests. */
export function endpoint(options, invalid, heard) {
  const { dialect, at, headers } = endpointOf(options, DIALECTS, 'endpoint', invalid, ['form']);
  const { form: wanted = formOf(options.model) } = options;
  if (wanted !== 'full' && wanted !== 'short') throw invalid('endpoint.form', 'is not full or short');
  let form = 0;

  async function once(question, signal) {
    const body = dialect.forms[form](dialect.body(options.model, question), question);
    if (heard) Object.assign(heard, { at, said: '', ...traits(JSON.stringify({ ...body, messages: 0, contents: 0, system: 0 })) });
    const reply = await post(at, headers, body, signal, { heard });
    const text = String(dialect.text(reply ?? {}) ?? '');
    // Stored, it would be read, searched and handed on with everything else.
    if (repeats(text, options.key)) throw new Refusal('leak');
    return { text, tokens: dialect.tokens(reply?.[dialect.usage]) };
  }

  /** Asked again in a plainer form, which is kept: an endpoint that knows no schema does not learn it. */
  function plainer({ refusal, status }) {
    if ((status === 400 || status === 422) && form + 1 < dialect.forms.length) {
      form += 1;
      return true;
    }
    // In no form: then it was not the form.
    if (refusal === 'rejected') form = 0;
    return false;
  }

  const ask = (question, { signal }) => tried(() => once(question, signal), signal, plainer, heard && 1);
  // Whoever gave up says nothing of the endpoint.
  const spared = (_, __, { signal }) => signal.reason?.refusal === 'given_up';
  return Object.assign(heard ? ask : rested(ask, spared), { origin: at.origin, model: options.model, form: wanted });
}

/** What a request asks for beside the answer. */
const traits = (body) => ({
  schema: /"(json_schema|responseSchema)"/.test(body) ? 'strict' : /json/.test(body) ? 'json' : 'none',
  temperature: body.includes('"temperature"'),
});
