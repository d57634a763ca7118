// The engine's own thread: the real package, the real database, one message per call.
import { compare, open, type Memories, type ModelAnalyst } from 'memfold';
import type { Engine, Event, Fault, FromEngine, ToEngine } from './protocol';

const BATCH_MS = 80;
const scope = self as unknown as DedicatedWorkerGlobalScope;
const aborts = new Map<number, AbortController>();
let memories: Memories | undefined;
let name = '';

const say = (message: FromEngine) => scope.postMessage(message);

function store(): Memories {
  if (!memories) throw Object.assign(new Error('the store is not open'), { code: 'closed', retryable: false });
  return memories;
}

/** Gathers events so that a fast run does not flood the page with messages. */
function batched(id: number) {
  let pending: Event = {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending.progress || pending.receipts) say({ id, event: pending });
    pending = {};
  };
  const soon = () => {
    timer ??= setTimeout(flush, BATCH_MS);
  };
  return {
    flush,
    progress(progress: NonNullable<Event['progress']>) {
      pending.progress = progress;
      soon();
    },
    receipt(receipt: NonNullable<Event['receipts']>[number]) {
      (pending.receipts ??= []).push(receipt);
      soon();
    },
  };
}

type Waiting = { resolve(reply: Awaited<ReturnType<ModelAnalyst>>): void; reject(reason: Error): void };
const waiting = new Map<number, Waiting>();
let asked = 0;

/** The page asks in place of this worker, which has no key and by its own policy no way out. */
const analyst = (): ModelAnalyst => (question, { signal }) =>
  new Promise((resolve, reject) => {
    const id = ++asked;
    waiting.set(id, { resolve, reject });
    const gone = () => {
      waiting.delete(id);
      say({ question: id, gone: true });
      reject(new Error('gone'));
    };
    signal.addEventListener('abort', gone, { once: true });
    say({ question: id, asked: question });
  });

type Verbs = { [V in keyof Engine]: (call: Call, ...args: Parameters<Engine[V]>) => Promise<ReturnType<Engine[V]>> };
type Call = { id: number; signal: AbortSignal };

const verbs: Verbs = {
  async open(_, options, asks) {
    await memories?.close();
    memories = undefined;
    name = options.name ?? '';
    memories = await open(asks ? { ...options, analyst: Object.assign(analyst(), asks) } : options);
  },
  consolidate: ({ signal }, draft, dryRun) => store().consolidate(draft, { dryRun, signal }),
  async ingest({ id, signal }, source, resume) {
    const events = batched(id);
    try {
      return await store().ingest(source, {
        signal,
        ...(resume ? { resume } : {}),
        onProgress: (p) => events.progress(p),
        onReceipt: (r) => events.receipt(r),
      });
    } finally {
      events.flush();
    }
  },
  search: (_, text, options) => store().search(text, options),
  ask: ({ signal }, question, options) => store().ask(question, { ...options, signal }),
  list: (_, options) => store().list(options),
  history: (_, id) => store().history(id),
  related: (_, id) => store().graph.related(id),
  links: () => store().graph.edges(),
  log: (_, query) => store().data.log(query),
  analytics: () => store().data.stats(),
  compare: (_, existing, next, mode) => compare(existing, next, { mode }),
  export: () => store().data.export(),
  import: (_, text) => store().data.import(text),
  undo: (_, entryId) => store().undo(entryId),
  redo: (_, entryId) => store().redo(entryId),
  previewDelete: (_, request) => store().data.previewDelete(request),
  delete: (_, ids, request) => store().delete(ids, request === undefined ? {} : { request }),
  restore: (_, id) => store().restore(id),
  forget: (_, ids) => store().data.forget(ids),
  reviews: () => store().review.list(),
  review: (_, entryId, verdict) => store().review.decide(entryId, verdict as Parameters<Memories['review']['decide']>[1]),
  diff: (_, from, to) => store().data.diff(from, to),
  check: () => store().data.verify(),
  usage: () => store().model.usage(),
  askPending: ({ signal }) => store().model.askPending({ signal }),
  sent: (_, limit) => store().model.sent({ limit }),
  clearSent: () => store().model.clearSent(),
  feedback: (_, id, word, query, session) => store().review.feedback(id, word, { query, session }),
  nodes: (_, query) => store().graph.nodes(query),
  pulse: (_, days) => store().data.metrics({ days }),
  collectMergeCandidates: (_, options) => store().sleep.candidates(options),
  runSleepCycle: ({ id, signal }, maxNodes) =>
    store().sleep.run({ maxNodes, signal, onProgress: (report) => say({ id, event: { report } }) }),
  finalizeSession: async (_, session) => void (await store().sleep.endSession(session)),
  async erase() {
    await memories?.close();
    memories = undefined;
    const all = await indexedDB.databases();
    for (const { name: found } of all) if (found && found.includes(name)) await removed(found);
  },
};

function removed(database: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(database);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(Object.assign(new Error('another tab holds the database open'), { code: 'blocked', retryable: true }));
  });
}

function faultOf(reason: unknown): Fault {
  const e = (reason ?? {}) as { code?: unknown; message?: unknown; retryable?: unknown; field?: unknown; name?: unknown };
  return {
    code: typeof e.code === 'string' ? e.code : e.name === 'AbortError' ? 'aborted' : 'internal',
    message: String(e.message ?? reason),
    retryable: e.retryable === true,
    ...(typeof e.field === 'string' ? { field: e.field } : {}),
  };
}

scope.onmessage = async ({ data }: MessageEvent<ToEngine>) => {
  if ('abort' in data) return aborts.get(data.abort)?.abort();
  if ('answered' in data) {
    const asker = waiting.get(data.answered);
    waiting.delete(data.answered);
    if ('refusal' in data) return asker?.reject(Object.assign(new Error(data.refusal), { refusal: data.refusal }));
    return asker?.resolve(data.reply as Awaited<ReturnType<ModelAnalyst>>);
  }
  const { id, verb, args } = data;
  const abort = new AbortController();
  aborts.set(id, abort);
  try {
    const run = verbs[verb] as (call: Call, ...args: unknown[]) => Promise<unknown>;
    say({ id, value: await run({ id, signal: abort.signal }, ...args) });
  } catch (reason) {
    say({ id, fault: faultOf(reason) });
  } finally {
    aborts.delete(id);
  }
};
