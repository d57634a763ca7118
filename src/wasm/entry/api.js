// The package's face over the engine's class. It converts and streams; it holds no rule.
import { embedder as ownEmbedder, embeddings as embeddingsAt } from './embeddings.js';
import { endpoint as asked } from './endpoint.js';
import { Held, running } from './engine.js';
import { MemfoldError, typed } from './error.js';
import { sample } from './estimate.js';
import { exchanges } from './exchange.js';
import { hub } from './holding.js';
import { probe } from './probe.js';
import { timely } from './wire.js';

export { MemfoldError } from './error.js';

async function guarded(work) {
  try {
    return await work();
  } catch (error) {
    throw typed(error);
  }
}

const failing = (...what) => new MemfoldError(...what);

function invalid(field, rule) {
  return new MemfoldError('invalid_field', `\`${field}\` ${rule}`, { field });
}

function text(value, field) {
  if (typeof value !== 'string') throw invalid(field, 'is not a string');
  return value;
}

function object(value, field) {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(field, 'is not an object');
  return value;
}

/** One id or several. */
function list(ids) {
  return (Array.isArray(ids) ? ids : [ids]).map((id) => text(id, 'ids'));
}

/** A session by its name. */
function named(session) {
  return session === undefined ? {} : { session: text(session, 'session') };
}

/** Memories that one step of a sleep cycle looks at. */
const SLICE = 100;

/** Two reports of a sleep cycle, one after the other, as one. */
function added(a, b) {
  const sum = { ...b, before: a.before, entries: [...a.entries, ...b.entries] };
  for (const field of ['lookedAt', 'merges', 'folded', 'tagged', 'moved', 'promoted', 'sessions', 'calls', 'tokens', 'millis']) {
    sum[field] = a[field] + b[field];
  }
  const why = [...new Set([...a.skipped, ...b.skipped].map((s) => s.why))];
  const times = (list, of) => list.find((s) => s.why === of)?.count ?? 0;
  sum.skipped = why.map((of) => ({ why: of, count: times(a.skipped, of) + times(b.skipped, of) }));
  return sum;
}

/** What the engine looks at of a signal. */
function watched(signal) {
  return {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.reason;
    },
    gone: () => new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', resolve, { once: true }))),
  };
}

/** `signal` apart from what crosses as JSON. */
function split(options) {
  const { signal, ...rest } = object(options, 'options');
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') throw invalid('signal', 'is not an AbortSignal');
  return [rest, signal && watched(signal)];
}

function check(signal) {
  if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
}

/** Bytes that are handed over at once: small enough to stay responsive and to stop soon. */
const STRIDE = 64 * 1024;
/** Milliseconds of work after which the page gets its turn. */
const TURN = 12;

function* strides(bytes) {
  for (let at = 0; at < bytes.length; at += STRIDE) yield bytes.subarray(at, at + STRIDE);
}

async function* streamed(stream) {
  const reader = stream.getReader();
  let done = false;
  try {
    while (!done) {
      const next = await reader.read();
      done = next.done;
      if (done) return;
      if (!(next.value instanceof Uint8Array)) throw invalid('source', 'is a stream of something other than bytes');
      yield* strides(next.value);
    }
  } finally {
    if (!done) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

/** The pieces of any source from a place on (a stream begins there), and how many bytes there are, where that is known. */
function pieces(source, from) {
  if (typeof source === 'string') source = new TextEncoder().encode(source);
  if (source instanceof ArrayBuffer) source = new Uint8Array(source);
  if (source instanceof Uint8Array) return { chunks: strides(source.subarray(from)), totalBytes: source.length };
  if (typeof Blob !== 'undefined' && source instanceof Blob) {
    return { chunks: streamed(source.slice(from).stream()), totalBytes: source.size };
  }
  if (typeof source?.getReader === 'function') return { chunks: streamed(source), totalBytes: undefined };
  throw invalid('source', 'is not a string, bytes, a Blob or a ReadableStream');
}

const turn = () => globalThis.scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));

/** One user's memory. Made by `open`. */
export class Memories {
  #held;
  /** The methods of the engine, each as a promise. */
  #engine;
  #name;
  #elsewhere;

  constructor(held, name = 'memfold', elsewhere = false) {
    this.#held = held;
    this.#engine = new Proxy({}, { get: (_, method) => (...args) => held.call(method, args) });
    this.#name = name;
    this.#elsewhere = elsewhere;
  }

  get scan() {
    return this.#held.scan;
  }

  consolidate(draft, options) {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.consolidate(object(draft ?? null, 'draft'), rest, signal);
    });
  }

  add(said, options) {
    return guarded(async () => {
      const [rest, signal] = split(options);
      check(signal);
      const turns = Array.isArray(said) ? said : [{ role: 'user', content: text(said, 'content') }];
      return this.#engine.add(turns, rest, signal);
    });
  }

  ingest(source, options) {
    return guarded(async () => {
      const [{ onProgress, onReceipt, ...rest }, signal] = split(options);
      check(signal);
      const intake = await this.#held.intake(rest, signal, false);
      let bytes = rest.resume?.bytes ?? 0;
      const { chunks, totalBytes } = pieces(source, bytes);
      let rested = performance.now();
      const tell = (receipts) => {
        for (const receipt of receipts) onReceipt?.(receipt);
        if (!onProgress) return;
        const { mails, drafts, next } = intake.report();
        onProgress({ mails, drafts, bytes, next, ...(totalBytes === undefined ? {} : { totalBytes }) });
      };
      for await (const chunk of chunks) {
        check(signal);
        bytes += chunk.length;
        tell(await intake.push(chunk));
        if (performance.now() - rested > TURN) {
          await turn();
          rested = performance.now();
        }
      }
      tell(await intake.finish());
      return intake.report();
    });
  }

  answer(query, options) {
    return guarded(() => this.#engine.answer(text(query, 'text'), object(options, 'options')));
  }

  search(query, options) {
    return guarded(async () => {
      const { onHits, ...rest } = object(options, 'options');
      if (onHits !== undefined && typeof onHits !== 'function') throw invalid('onHits', 'is not a function');
      // The question counts once, as it is answered in the end.
      if (onHits && this.#elsewhere && !rest.atHand) onHits(await this.#engine.search(text(query, 'text'), { ...rest, session: undefined, atHand: true }));
      const hits = await this.#engine.search(text(query, 'text'), rest);
      onHits?.(hits);
      return hits;
    });
  }

  ask(question, options) {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.ask(text(question, 'question'), rest, signal);
    });
  }

  get(id) {
    return guarded(async () => (await this.#engine.get(text(id, 'id'))) ?? undefined);
  }

  list(options) {
    return guarded(() => this.#engine.list(object(options, 'options')));
  }

  history(id, options) {
    return guarded(() => this.#engine.history(text(id, 'id'), object(options, 'options')));
  }

  diff(from, to) {
    return guarded(() => this.#engine.diff(text(from, 'from'), text(to, 'to')));
  }

  related(id) {
    return guarded(() => this.#engine.related(text(id, 'id')));
  }

  links() {
    return guarded(() => this.#engine.links());
  }

  log(query) {
    return guarded(() => this.#engine.log(object(query, 'query')));
  }

  sent(options) {
    return guarded(() => {
      const { limit } = object(options, 'options');
      if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) throw invalid('limit', 'is not a number of requests');
      return this.#engine.sent(limit);
    });
  }

  clearSent() {
    return guarded(async () => void (await this.#engine.clearSent()));
  }

  analytics() {
    return guarded(() => this.#engine.analytics());
  }

  estimate(source, options) {
    return guarded(async () => {
      const [{ ...rest }, signal] = split(options);
      check(signal);
      const { source: read, times } = await sample(source);
      const intake = await this.#held.intake({ ...rest, dryRun: true }, signal, true);
      for await (const chunk of pieces(read, 0).chunks) {
        check(signal);
        await intake.push(chunk);
        await turn();
      }
      await intake.finish();
      const { mails, drafts, calls, tokens } = intake.estimate();
      const scaled = (n) => Math.round(n * times);
      return { mails: scaled(mails), drafts: scaled(drafts), calls: scaled(calls), tokens: scaled(tokens) };
    });
  }

  askPending(options) {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.askPending(rest, signal);
    });
  }

  usage() {
    return guarded(() => this.#engine.usage());
  }

  export() {
    return guarded(() => this.#engine.export());
  }

  import(lines) {
    return guarded(() => this.#engine.import(text(lines, 'text')));
  }

  changes(hub) {
    return guarded(() => this.#engine.changes(text(hub, 'hub')));
  }

  apply(feed) {
    return guarded(() => {
      const told = object(feed ?? null, 'feed');
      const { hold, sameKey } = hub(this.#engine, failing);
      return 'steps' in told ? hold(told) : sameKey(told.key).then(() => this.#engine.apply(told));
    });
  }

  settle(hub, upto, answer) {
    return guarded(() => {
      if (!Number.isSafeInteger(upto) || upto < 0) throw invalid('upto', 'is not the number of an entry');
      return this.#engine.settle(text(hub, 'hub'), upto, object(answer ?? null, 'answer'));
    });
  }

  sync(url, token, options) {
    return guarded(async () => {
      const { signal, key, again = false, fetch = globalThis.fetch, ...unknown } = object(options, 'options');
      const [extra] = Object.keys(unknown);
      if (extra !== undefined) throw new MemfoldError('unknown_field', `unknown field \`${extra}\``, { field: extra });
      const [, watch] = split({ signal });
      const how = { url: text(url, 'url'), token: text(token, 'token'), fetch, key, again, signal, watched: watch, check: () => check(signal) };
      return exchanges(this.#engine, failing, how)();
    });
  }

  previewDelete(request) {
    return guarded(() => this.#engine.previewDelete(text(request, 'request')));
  }

  delete(ids, options) {
    return guarded(() => this.#engine.delete(list(ids), object(options, 'options')));
  }

  restore(id) {
    return guarded(() => this.#engine.restore(text(id, 'id')));
  }

  forget(ids) {
    return guarded(() => this.#engine.forget(list(ids)));
  }

  undo(entryId) {
    return guarded(() => this.#engine.undo(text(entryId, 'id')));
  }

  redo(entryId) {
    return guarded(() => this.#engine.redo(text(entryId, 'id')));
  }

  reviews() {
    return guarded(() => this.#engine.reviews());
  }

  review(entryId, verdict, options) {
    return guarded(() => this.#engine.review(text(entryId, 'id'), text(verdict, 'verdict'), object(options, 'options')));
  }

  upsertQuery(query, options) {
    return guarded(() => this.#engine.upsertQuery(text(query, 'text'), object(options, 'options')));
  }

  upsertTag(name, options) {
    return guarded(() => this.#engine.upsertTag(text(name, 'name'), object(options, 'options')));
  }

  linkTagToQuery(tag, query, options) {
    return guarded(() => this.#engine.linkTagToQuery(text(tag, 'tag'), text(query, 'query'), object(options, 'options')));
  }

  getEdges(id, options) {
    return guarded(() => this.#engine.getEdges(text(id, 'id'), object(options, 'options')));
  }

  nodes(query) {
    return guarded(() => this.#engine.nodes(object(query, 'query')));
  }

  feedback(id, word, options) {
    return guarded(() => this.#engine.feedback(text(id, 'id'), text(word, 'word'), object(options, 'options')));
  }

  waitForTagging(session) {
    return guarded(() => this.#engine.waitForTagging(named(session)));
  }

  finalizeSession(session) {
    return guarded(() => this.#engine.finalizeSession(named(session)));
  }

  collectMergeCandidates(options) {
    return guarded(() => this.#engine.collectMergeCandidates(object(options, 'options')));
  }

  runSleepCycle(options) {
    return guarded(async () => {
      const [{ onProgress, ...rest }, signal] = split(options);
      if (rest.dryRun || !(rest.maxNodes > SLICE)) {
        const report = await this.#engine.runSleepCycle(rest, signal);
        onProgress?.(report);
        return report;
      }
      // In slices, so that others get their turn and whoever looks sees it go on.
      let sum;
      for (let left = rest.maxNodes; left > 0; ) {
        const maxTokens = rest.maxTokens === undefined ? {} : { maxTokens: Math.max(0, rest.maxTokens - (sum?.tokens ?? 0)) };
        const next = await this.#engine.runSleepCycle({ ...rest, ...maxTokens, maxNodes: Math.min(SLICE, left) }, signal);
        left -= SLICE;
        sum = sum ? added(sum, next) : next;
        onProgress?.(sum);
        if (next.finished || signal?.aborted || next.skipped.some((s) => s.why === 'leased')) break;
        await turn();
      }
      return sum;
    });
  }

  pulse(options) {
    return guarded(() => {
      const { days = 90 } = object(options, 'options');
      if (!Number.isInteger(days)) throw invalid('days', 'is not a whole number');
      return this.#engine.pulse(days);
    });
  }

  corrections() {
    return guarded(() => this.#engine.corrections());
  }

  reembed(options) {
    return guarded(async () => {
      const [{ onProgress, maxTexts = Infinity, ...unknown }, signal] = split(options);
      const [extra] = Object.keys(unknown);
      if (extra !== undefined) throw invalid(extra, 'is not known');
      if (typeof maxTexts !== 'number' || !(maxTexts >= 0)) throw invalid('maxTexts', 'is not a number from 0');
      check(signal);
      const work = async () => {
        for (let embedded = 0; ; ) {
          const step = await this.#engine.reembed(Math.min(STEP, maxTexts - embedded), signal);
          embedded += step.embedded;
          const report = { ...step, embedded };
          onProgress?.(report);
          if (step.stopped || step.waiting <= step.failed || embedded >= maxTexts) return report;
        }
      };
      return alone(`memfold/${this.#name}/reembed`, options?.signal, work).catch((error) => {
        check(signal);
        throw error;
      });
    });
  }

  check() {
    return guarded(() => this.#engine.check());
  }

  close() {
    return guarded(() => this.#held.close());
  }
}

/** Milliseconds that an analyst may take where none are named. */
const PATIENCE = 30_000;

/** The application's analyst, so that it gives text and tokens. */
function spoken(analyst) {
  if (typeof analyst !== 'function') throw invalid('analyst', 'is not a function');
  return async (question, call) => {
    const reply = await analyst(question, call);
    if (typeof reply === 'string') return { text: reply };
    if (typeof reply?.text === 'string') return reply;
    const { tokens, ...proposal } = reply;
    return { text: JSON.stringify(proposal), tokens };
  };
}

/** Who is asked, as the engine calls it: it ends in time and never rejects. */
function port({ analyst, analystName, endpoint, analystTimeout: patience = PATIENCE }) {
  if (analystName !== undefined && !(typeof analystName === 'string' && analystName !== '')) throw invalid('analystName', 'is not a name');
  if (analyst === undefined && endpoint === undefined) return undefined;
  if (analyst !== undefined && endpoint !== undefined) throw invalid('endpoint', 'is set beside `analyst`');
  const ask = analyst === undefined ? asked(endpoint, invalid) : spoken(analyst);
  if (!(Number.isFinite(patience) && patience > 0)) throw invalid('analystTimeout', 'is not a number of milliseconds above 0');
  const from = analyst ?? ask;
  const put = ({ schema, ...question }, within = patience, stop) =>
    timely(async (signal) => {
      const { text, tokens } = await ask({ ...question, schema: JSON.parse(schema) }, { signal });
      return { text, tokens: Number.isInteger(tokens) && tokens > 0 ? Math.min(tokens, 2 ** 32 - 1) : 0 };
    }, Math.min(patience, within), stop);
  return Object.assign(put, { tag: analystName ?? from.model, origin: from.origin, form: from.form, patience });
}

/** Who embeds, as the engine calls it: it ends in time and never rejects. */
function embedding({ embeddings, embedder, embedderTimeout: patience = PATIENCE }) {
  if (embeddings === undefined && embedder === undefined) return undefined;
  if (embeddings !== undefined && embedder !== undefined) throw invalid('embeddings', 'is set beside `embedder`');
  const { embed, nearest, ...named } = embeddings === undefined ? ownEmbedder(embedder, invalid) : embeddingsAt(embeddings, invalid);
  if (!(Number.isFinite(patience) && patience > 0)) throw invalid('embedderTimeout', 'is not a number of milliseconds above 0');
  const timed = (work) => (given, _, stop) => timely((signal) => work(given, { signal }), patience, stop);
  return { ...named, embed: timed(embed), ...(nearest && { nearest: timed(nearest) }) };
}

/** Texts that one step of re-embedding takes. */
const STEP = 64;

/** Does `work` while no other tab does the same, where the host can tell; the next in turn finds the work done. */
function alone(name, signal, work) {
  const locks = globalThis.navigator?.locks;
  return locks ? locks.request(name, signal ? { signal } : {}, work) : work();
}

/** The package's functions over a way to load the engine and the kernels for it; they are loaded once, at the first call. */
export function face(load, kernels) {
  const ready = running(load, kernels);
  const open = (options) =>
    guarded(async () => {
      const { analyst, analystName, endpoint, analystTimeout, embeddings, embedder, embedderTimeout, storage, ...given } = object(options, 'options');
      if (storage !== undefined && !(storage?.sql && typeof storage.transactionSync === 'function')) {
        throw invalid('storage', 'is not the storage of a SQLite-backed Durable Object');
      }
      const model = port({ analyst, analystName, endpoint, analystTimeout });
      const elsewhere = embedding({ embeddings, embedder, embedderTimeout });
      // A policy's name stands for the policy of that mode.
      const policy = typeof given.policy === 'string' ? { policy: { mode: given.policy } } : {};
      const named = { ...(model?.form && { form: model.form }), ...given, ...policy };
      const begin = async () => {
        const instance = await ready();
        return { instance, engine: await instance.call(() => instance.engine.openEngine(named, model, storage, elsewhere)) };
      };
      // What was in this process alone is gone with the instance: opened anew it would be empty, and nobody would know.
      const lasts = storage !== undefined || (named.store !== 'memory' && typeof globalThis.indexedDB === 'object');
      return new Memories(new Held(await begin(), lasts ? begin : undefined), named.name, elsewhere !== undefined);
    });
  return {
    open,
    compare: (existing, next, options) =>
      guarded(async () => {
        const { mode = 'balanced', ...unknown } = object(options, 'options');
        const [extra] = Object.keys(unknown);
        if (extra !== undefined) {
          throw new MemfoldError('unknown_field', `unknown field \`${extra}\`, expected \`mode\``, { field: extra });
        }
        const instance = await ready();
        return instance.now(() => instance.engine.compareDrafts(object(existing ?? null, 'existing'), object(next ?? null, 'next'), mode));
      }),
    testEndpoint: (model, options) => guarded(() => probe(model, object(options, 'options'), open, invalid)),
  };
}

/** The analyst that an endpoint is, to be asked elsewhere than where the engine runs. */
export const endpointAnalyst = (endpoint) => asked(endpoint, invalid);
