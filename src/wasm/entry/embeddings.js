// Embeddings behind the embedder port: three dialects over `fetch`, or a function of the application's own. It carries texts
// and vectors; whether vectors may be used is judged by the engine.
import { endpointOf, post, Refusal, rested, tried } from './wire.js';

/** Bytes of a response that are read for each text, and once more for what is around them. */
const EACH = 128 * 1024;

/** For each dialect: where it is asked, how the key goes along, what is sent (the fullest form first), where the vectors stand. */
const DIALECTS = {
  openai: {
    path: (path) => (/\/embeddings$/.test(path) ? path : `${path}/embeddings`),
    headers: (key, host) => (/\.azure\.com$/.test(host) ? { 'api-key': key } : { authorization: `Bearer ${key}` }),
    body: ({ model, dimensions }, input) => ({ model, input, encoding_format: 'float', ...(dimensions && { dimensions }) }),
    forms: [(b) => b, ({ encoding_format, dimensions, ...b }) => b],
    // Some servers answer in another order than they were asked.
    rows: (r) => r?.data?.toSorted?.((a, b) => a?.index - b?.index).map((row) => row?.embedding),
  },
  gemini: {
    path: (path, model) => (/:batchEmbedContents$/.test(path) ? path : `${path}/models/${encodeURIComponent(model)}:batchEmbedContents`),
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: ({ model, dimensions }, texts) => ({
      requests: texts.map((text) => ({
        model: `models/${model}`,
        content: { parts: [{ text }] },
        ...(dimensions && { outputDimensionality: dimensions }),
      })),
    }),
    forms: [(b) => b],
    rows: (r) => r?.embeddings?.map?.((row) => row?.values),
  },
  ollama: {
    path: (path) => (/\/api\/embed$/.test(path) ? path : `${path}/api/embed`),
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: ({ model, dimensions }, input) => ({ model, input, ...(dimensions && { dimensions }) }),
    forms: [(b) => b],
    rows: (r) => r?.embeddings,
  },
};

/** The vectors of `count` texts, one after the other; any that is not a list of finite numbers is none. */
function joined(rows, count) {
  const wide = rows?.[0]?.length;
  const list = (row) => Array.isArray(row) || row instanceof Float32Array || row instanceof Float64Array;
  if (!Array.isArray(rows) || rows.length !== count || !rows.every((row) => list(row) && row.length > 0)) throw new Refusal('malformed');
  if (rows.some((row) => row.length !== wide)) throw new Refusal('wrong_dimension');
  const vectors = new Float32Array(count * wide);
  rows.forEach((row, n) => vectors.set(row, n * wide));
  if (rows.some((row) => !row.every((x) => typeof x === 'number')) || !vectors.every(Number.isFinite)) throw new Refusal('malformed');
  return { vectors, dimensions: wide };
}

/** What the endpoint needs no rest after: a fault that may be that of one of several texts or of the only one, and a caller who gave up. */
const byText = ({ refusal }, texts) =>
  ['rejected', 'too_large', 'given_up'].includes(refusal) || (refusal === 'malformed' && texts.length > 1);

function sizeOf(dimensions, field, invalid) {
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0 && dimensions <= 16_384)) {
    throw invalid(`${field}.dimensions`, 'is not a whole number from 1 to 16,384');
  }
  return dimensions;
}

/** The embedder that an endpoint is. `invalid(field, rule)` makes the error of a bad option. */
export function embeddings(options, invalid) {
  const { dialect, at, headers } = endpointOf(options, DIALECTS, 'embeddings', invalid, ['dimensions']);
  const dimensions = sizeOf(options.dimensions, 'embeddings', invalid);
  let form = 0;

  async function once(texts, signal) {
    const body = dialect.forms[form](dialect.body(options, texts));
    return joined(dialect.rows(await post(at, headers, body, signal, { most: EACH * (texts.length + 1) })), texts.length);
  }

  /** Asked again in a plainer form, which is kept where it passes. */
  async function plainer(texts, signal) {
    try {
      return await once(texts, signal);
    } catch (error) {
      if (!(error.status === 400 || error.status === 422) || form + 1 >= dialect.forms.length) throw error;
      form += 1;
      try {
        return await once(texts, signal);
      } catch (again) {
        form = 0;
        throw again;
      }
    }
  }

  const embed = rested((texts, { signal }) => tried(() => plainer(texts, signal), signal), byText);
  return { model: `${options.dialect}/${options.model}`, origin: at.origin, dimensions, embed };
}

/** The application's own embedder. */
export function embedder(options, invalid) {
  if (typeof options !== 'object' || options === null) throw invalid('embedder', 'is not an object');
  const { model, dimensions, embed, nearest, ...unknown } = options;
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw invalid(`embedder.${extra}`, 'is not known');
  if (typeof model !== 'string' || model === '') throw invalid('embedder.model', 'is not a name');
  if (typeof embed !== 'function') throw invalid('embedder.embed', 'is not a function');
  if (nearest !== undefined && typeof nearest !== 'function') throw invalid('embedder.nearest', 'is not a function');
  const ask = async (texts, call) => joined(await embed(texts, call), texts.length);
  const find = async (vector, call) => {
    const found = await nearest(vector, call);
    if (!Array.isArray(found) || found.some((m) => typeof m?.id !== 'string')) throw new Refusal('malformed');
    if (found.length === 0) return { ids: [], vectors: new Float32Array(), dimensions: vector.length };
    return { ids: found.map((m) => m.id), ...joined(found.map((m) => m.vector), found.length) };
  };
  const own = { model: `own/${model}`, dimensions: sizeOf(dimensions, 'embedder', invalid), embed: rested(ask, byText) };
  return nearest === undefined ? own : { ...own, nearest: rested(find) };
}
