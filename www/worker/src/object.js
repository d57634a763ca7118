// One owner's memory: the engine over the object's own database, and what waits for a confirmation.
import { DurableObject } from 'cloudflare:workers';
import { open } from 'memfold';
import { Refusal, told } from './errors.js';
import { log, pseudonym } from './log.js';
import { embedderOf, modelOf } from './model.js';
import { Vectors } from './vectorize.js';

/** How long an erasure waits to be confirmed. */
const PATIENCE = 10 * 60_000;
const HOUR = 60 * 60_000;

/** What may be asked of a memory, by name: nothing else of the engine is within reach. */
const ACTS = {
  consolidate: (m, draft, options) => m.consolidate(draft, options),
  search: (m, text, options) => m.search(text, options),
  list: (m, options) => m.list(options),
  get: async (m, id) => (await m.get(id)) ?? missing(id),
  history: async (m, id, options) => {
    const versions = await m.history(id, options);
    if (versions.length === 0 && (await m.get(id)) === undefined) missing(id);
    return versions;
  },
  related: (m, id) => m.related(id),
  why: async (m, id) => {
    const memory = (await m.get(id)) ?? missing(id);
    return { memory, entries: await m.log({ target: id }) };
  },
  log: (m, query) => m.log(query),
  undo: (m, id) => m.undo(id),
  redo: (m, id) => m.redo(id),
  remove: (m, ids) => m.delete(ids),
  restore: (m, id) => m.restore(id),
  forget: (m, ids) => m.forget(ids),
  previewDelete: (m, request) => m.previewDelete(request),
  reviews: (m) => m.reviews(),
  review: (m, id, verdict, options) => m.review(id, verdict, options),
  sync: (m, feed) => m.apply(feed),
  check: (m) => m.check(),
  // As a stream: a text of more than 32 MiB does not cross between objects.
  export: async (m) => new Blob([await m.export()]).stream(),
  import: async (m, text) => {
    const { snapshot, ...report } = await m.import(text);
    return report;
  },
};

/** What makes a memory larger. The rest is done also where it is full: looking, and taking away. */
const GROWS = ['consolidate', 'ingest', 'import', 'sync'];

function missing(id) {
  throw new Refusal('not_found', `no memory has the id ${id}`);
}

export class MemoryObject extends DurableObject {
  #opening;
  /** Where this memory's vectors are, if not beside it. */
  #vectors;
  /** Requests that may be made at once, and since when they have been counted. */
  #allowed = { left: Infinity, since: 0 };

  /** Does what a route or a tool asks for. Gives `{ value }` or `{ error }`: errors do not cross whole by themselves. */
  async act(name, ...args) {
    try {
      this.#admit();
      if (GROWS.includes(name)) this.#room();
      const memories = await this.#memories();
      const value = Object.hasOwn(this.#own, name) ? await this.#own[name](memories, ...args) : await ACTS[name](memories, ...args);
      await this.#wake();
      // Whoever asked need not wait for it.
      if (this.#vectors) this.ctx.waitUntil(this.#vectors.follow(memories));
      return { value };
    } catch (error) {
      return { error: told(error) };
    }
  }

  /** What needs the object itself. */
  #own = {
    /** Stops between two stretches of a mailbox where there is no more room; what is done stays, and is known if it comes again. */
    ingest: async (memories, mail, options) => {
      const full = new AbortController();
      const onProgress = () => this.#full() && full.abort();
      return memories.ingest(mail, { ...options, onProgress, signal: full.signal }).catch((error) => {
        if (full.signal.aborted) this.#room();
        throw error;
      });
    },
    /** The first step of an erasure: what would be lost, and the word by which it is done. */
    askToForget: async (memories, { ids, request }) => {
      const doomed = ids === undefined ? (await memories.previewDelete(request)).memories.map(({ memory }) => memory) : await this.#all(memories, ids);
      if (doomed.length === 0) return { memories: [] };
      const confirmation = crypto.randomUUID();
      const expiresAt = Date.now() + PATIENCE;
      await this.ctx.storage.put(`confirm/${confirmation}`, { ids: doomed.map(({ id }) => id), expiresAt });
      return { memories: doomed, confirmation, expiresAt: new Date(expiresAt).toISOString() };
    },
    /** The second. */
    confirmForget: async (memories, confirmation) => {
      const key = `confirm/${confirmation}`;
      const asked = await this.ctx.storage.get(key);
      if (asked === undefined || asked.expiresAt < Date.now()) {
        throw new Refusal('not_found', 'this confirmation was never asked for, was used, or is too old');
      }
      const entry = await memories.forget(asked.ids);
      await this.ctx.storage.delete(key);
      return entry;
    },
  };

  async #all(memories, ids) {
    return Promise.all(ids.map(async (id) => (await memories.get(id)) ?? missing(id)));
  }

  /** Opens the engine at the first call; a failure is tried again by the next. */
  #memories() {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open() {
    const owner = this.ctx.id.name ?? (await this.ctx.storage.get('owner'));
    if (this.ctx.id.name) await this.ctx.storage.put('owner', owner);
    let embedder = embedderOf(this.env);
    if (embedder && this.env.VECTORS) {
      this.#vectors = new Vectors(this.env.VECTORS, embedder, owner);
      embedder = this.#vectors.port();
    }
    const { MODE: policy = 'balanced', ZONE: zone = 0 } = this.env;
    return open({ storage: this.ctx.storage, userId: owner, zone: Number(zone), policy, ...modelOf(this.env), ...(embedder && { embedder }) });
  }

  /** A bucket of a minute's requests that fills as time goes by. */
  #admit() {
    const most = Number(this.env.REQUESTS_PER_MINUTE ?? 600);
    const now = Date.now();
    const left = Math.min(most, this.#allowed.left + ((now - this.#allowed.since) * most) / 60_000);
    if (left < 1) {
      const seconds = String(Math.ceil(((1 - left) * 60) / most));
      throw new Refusal('rate_limited', 'too many requests; try again later', { retryable: true, headers: { 'retry-after': seconds } });
    }
    this.#allowed = { left: left - 1, since: now };
  }

  #full() {
    const most = Number(this.env.BYTES_PER_OWNER ?? Infinity);
    return this.ctx.storage.sql.databaseSize >= most;
  }

  /** Refuses what would make a memory larger that has used up what its owner may use. */
  #room() {
    if (this.#full()) throw new Refusal('quota_exceeded', `this memory is full: it may take ${this.env.BYTES_PER_OWNER} bytes`);
  }

  async #wake() {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + HOUR);
  }

  /** Housekeeping, and a run of the sleep cycle; the next comes sooner where it has not been through. What fails is told and thrown, so that the platform tries again. */
  async alarm() {
    const owner = await pseudonym(this.ctx.id.name ?? (await this.ctx.storage.get('owner')) ?? '');
    try {
      for (const [key, { expiresAt }] of await this.ctx.storage.list({ prefix: 'confirm/' })) {
        if (expiresAt < Date.now()) await this.ctx.storage.delete(key);
      }
      const memories = await this.#memories();
      const { merges, folded, finished } = await memories.runSleepCycle();
      const { problems } = await memories.check();
      const told = await this.#vectors?.follow(memories);
      log('alarm', { owner, merges, folded, problems: problems.length, ...(told === undefined ? {} : { vectors: told }) });
      await this.ctx.storage.setAlarm(Date.now() + (finished ? HOUR : HOUR / 60));
    } catch (error) {
      log('alarm', { owner, code: told(error).code });
      throw error;
    }
  }
}
