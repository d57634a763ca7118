// One owner's memory: the engine over the object's own database, what it may use up, and what waits for a confirmation.
import { DurableObject } from 'cloudflare:workers';
import { open } from 'memfold';
import { MailBudget } from './budget.js';
import { Refusal, told } from './errors.js';
import { Bucket, tooMany } from './limits.js';
import { log, pseudonym } from './log.js';
import { embedderOf, modelOf } from './model.js';
import { Postroom } from './postroom.js';
import { settingsOf } from './settings.js';
import { Vectors } from './vectorize.js';

/** How long a tool's wish to hide something waits to be confirmed, and how many wait at most. */
const PATIENCE = 10 * 60_000;
const MOST_WISHES = 32;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long one try of a mail may take, its model calls included. */
const MAIL_PATIENCE = 3 * MINUTE;

/** What may be asked of a memory, by name: nothing else of the engine is within reach. */
const ACTS = {
  consolidate: (m, draft, options) => m.consolidate(draft, options),
  search: (m, text, options) => m.search(text, options),
  ask: (m, question, options) => m.ask(question, options),
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
  usage: (m) => m.usage(),
  // As a stream: a text of more than 32 MiB does not cross between objects.
  export: async (m) => new Blob([await m.export()]).stream(),
  import: async (m, text) => {
    const { snapshot, ...report } = await m.import(text);
    return report;
  },
};

/** What makes a memory larger. The rest is done also where it is full: looking, and taking away. */
const GROWS = ['consolidate', 'import', 'sync'];
/** Acts that have a bucket of their own: what others send takes nothing from what its owner may ask. */
const MAIL = ['deliver', 'ingest'];

function missing(id) {
  throw new Refusal('not_found', `no memory has the id ${id}`);
}

export class MemoryObject extends DurableObject {
  #opening;
  /** Where this memory's vectors are, if not beside it. */
  #vectors;
  #buckets = new Map(['requests', ...MAIL].map((name) => [name, new Bucket()]));
  #post = new Postroom(this.ctx.storage, {
    open: () => this.#works().catch(() => this.#anew()),
    anew: () => this.#anew(),
    read: (text, account) => this.#read(text, account),
    room: (bytes) => this.#room(bytes, settingsOf(this.env).mailShare),
    waits: (code) => this.#mailWaits(code),
    setAside: (code) => void this.#pseudonym().then((owner) => log('mail_aside', { owner, code })),
  });

  /** Does what a route or a tool asks for. Gives `{ value }` or `{ error }`: errors do not cross whole by themselves. */
  async act(name, ...args) {
    try {
      this.#admit(name);
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
    /** What a request brought. It stops between two mails where there is no more room; what is done stays, and is known if it comes again. */
    ingest: async (memories, mail, { account, dryRun }) => {
      this.#room(0, settingsOf(this.env).mailShare);
      // Nothing is written, so nothing is counted.
      return dryRun ? memories.ingest(mail, { dryRun, ...(account === undefined ? {} : { account }) }) : this.#post.takeIn(mail, account);
    },
    deliver: (_, mail, account) => this.#post.deliver(mail, account),
    askPending: async (memories, options) =>
      this.#hasModel() ? memories.askPending(options) : { calls: 0, tokens: 0, settled: 0, left: 0, waiting: (await memories.usage()).waiting },
    mailAside: () => this.#post.aside(),
    mailText: (_, id) => this.#post.text(id),
    mailAgain: (_, id) => this.#post.again(id),
    mailDrop: (_, id) => this.#post.drop(id),
    /** What a tool wants to be hidden: what that would be, and the word by which it is done. */
    askToHide: async (memories, { ids, request }) => {
      const meant = ids === undefined ? (await memories.previewDelete(request)).memories.map(({ memory }) => memory) : await this.#all(memories, ids);
      if (meant.length === 0) return { memories: [] };
      const waiting = [...(await this.ctx.storage.list({ prefix: 'confirm/' }))].sort(([, a], [, b]) => a.expiresAt - b.expiresAt);
      for (const [key] of waiting.slice(0, Math.max(0, waiting.length + 1 - MOST_WISHES))) await this.ctx.storage.delete(key);
      const confirmation = crypto.randomUUID();
      const expiresAt = Date.now() + PATIENCE;
      await this.ctx.storage.put(`confirm/${confirmation}`, { ids: meant.map(({ id }) => id), request, expiresAt });
      return { memories: meant, confirmation, expiresAt: new Date(expiresAt).toISOString() };
    },
    /** Hides it. Nothing is erased: its owner finds it in the log, and can bring it back. */
    hide: async (memories, confirmation) => {
      const key = `confirm/${confirmation}`;
      const asked = await this.ctx.storage.get(key);
      if (asked === undefined || asked.expiresAt < Date.now()) {
        throw new Refusal('not_found', 'this confirmation was never asked for, was used, or is too old');
      }
      const entry = await memories.delete(asked.ids, { request: [...`a tool: ${asked.request ?? 'forget'}`].slice(0, 998).join('') });
      await this.ctx.storage.delete(key);
      return entry;
    },
  };

  async #all(memories, ids) {
    return Promise.all(
      ids.map(async (id) => {
        const memory = await memories.get(id);
        return memory === undefined || memory.deletedAt !== undefined ? missing(id) : memory;
      }),
    );
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
    const { dailyTokens, mask, zone } = settingsOf(this.env);
    const budget = dailyTokens === undefined ? {} : { dailyTokens };
    const { MODE: policy = 'balanced' } = this.env;
    return open({ storage: this.ctx.storage, userId: owner, zone, policy, mask, ...budget, ...modelOf(this.env), ...(embedder && { embedder }) });
  }

  /** Gives up the engine for another: one that has failed in an unforeseen way may never answer again. */
  async #anew() {
    this.#opening = undefined;
    await this.#works();
  }

  async #works() {
    await (await this.#memories()).list({ limit: 1 });
  }

  #hasModel() {
    return Object.keys(modelOf(this.env)).length > 0;
  }

  /** One try of a mail, within mail's share of the day's tokens. */
  async #read(text, account) {
    const memories = await this.#memories();
    const { dailyTokens, mailShare, zone } = settingsOf(this.env);
    const work = (importTokens) => memories.ingest(text, { ...(account ? { account } : {}), ...(importTokens === undefined ? {} : { importTokens }) });
    const asks = this.#hasModel() && dailyTokens !== undefined;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Refusal('timeout', 'the mail was not read in time')), MAIL_PATIENCE);
    });
    const read = asks ? new MailBudget(this.ctx.storage, zone).within(memories, mailShare * dailyTokens, work) : work();
    return Promise.race([read, late]).finally(() => clearTimeout(timer));
  }

  /** Sees to it that a mail that waits is read before long, whatever becomes of this call. */
  async #mailWaits(code) {
    if (code !== undefined) log('mail_waits', { owner: await this.#pseudonym(), code });
    const due = await this.ctx.storage.getAlarm();
    if (due === null || due > Date.now() + MINUTE) await this.ctx.storage.setAlarm(Date.now() + MINUTE);
  }

  /** Refuses what comes too often: requests, mail that was sent, and mail that its owner brings, each by itself. */
  #admit(name) {
    const { requestsPerMinute, mailsPerMinute } = settingsOf(this.env);
    const bucket = this.#buckets.get(name) ?? this.#buckets.get('requests');
    const seconds = bucket.take(name === 'deliver' ? mailsPerMinute : requestsPerMinute);
    if (seconds > 0) throw tooMany(seconds, MAIL.includes(name) ? 'too many mails' : 'too many requests');
  }

  /** Refuses what would make a memory larger that has used up what it may use, or mail that has used up its share of it. */
  #room(bytes = 0, share = 1) {
    const most = settingsOf(this.env).bytes * share;
    if (this.ctx.storage.sql.databaseSize + bytes < most) return;
    throw new Refusal('quota_exceeded', share < 1 ? `there is no room for mail: it may take ${most} bytes` : `this memory is full: it may take ${most} bytes`);
  }

  async #wake() {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + HOUR);
  }

  async #pseudonym() {
    return pseudonym(this.ctx.id.name ?? (await this.ctx.storage.get('owner')) ?? '');
  }

  /** Mail that waits, housekeeping, and a run of the sleep cycle; the next comes sooner where it has not been through. What fails is told and thrown, so that the platform tries again. */
  async alarm() {
    const owner = await this.#pseudonym();
    try {
      const read = await this.#post.goOn();
      for (const [key, { expiresAt }] of await this.ctx.storage.list({ prefix: 'confirm/' })) {
        if (expiresAt < Date.now()) await this.ctx.storage.delete(key);
      }
      const memories = await this.#memories();
      const { merges, folded, finished } = await memories.runSleepCycle();
      const { problems } = await memories.check();
      const told = await this.#vectors?.follow(memories);
      log('alarm', { owner, merges, folded, problems: problems.length, ...(told === undefined ? {} : { vectors: told }) });
      await this.ctx.storage.setAlarm(Date.now() + (finished && read ? HOUR : MINUTE));
    } catch (error) {
      log('alarm', { owner, code: told(error).code });
      throw error;
    }
  }
}
