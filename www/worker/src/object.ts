// The Durable Object of one owner: the engine on its database, limits, and pending confirmations.
import { DurableObject } from 'cloudflare:workers';
import { open, type Feed, type LogEntry, type Memories } from 'memfold';
import { ACTS as TOOL_ACTS, type Outcome } from './tools';
import { wishes, type Asked, type Waiting, type Wish } from './wishes';
import { MailBudget } from './budget';
import type { Env } from './env';
import { Refusal, told } from './errors';
import { Bucket, tooMany } from './limits';
import { log, pseudonym } from './log';
import { embedderOf, modelOf } from './model';
import { Postroom, type Aside, type Report } from './postroom';
import { settingsOf } from './settings';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Interval of verifications, which take seconds for a large memory. */
const VERIFIED_EVERY = 24 * HOUR;
/** Time limit of one try of a mail, with its model calls. */
const MAIL_PATIENCE = 3 * MINUTE;

/** The callable operations of a memory; nothing else of the engine is reachable. */
const ACTS = {
  ...TOOL_ACTS,
  list: (m: Memories, ...given: Parameters<Memories['list']>) => m.list(...given),
  get: (m: Memories, id: string) => m.get(id),
  related: (m: Memories, id: string) => m.related(id),
  log: (m: Memories, ...given: Parameters<Memories['log']['list']>) => m.log.list(...given),
  undo: (m: Memories, id: string) => m.undo(id),
  redo: (m: Memories, id: string) => m.redo(id),
  remove: (m: Memories, ids: string[]) => m.delete(ids),
  restore: (m: Memories, id: string) => m.restore(id),
  erase: (m: Memories, ids: string[]) => m.erase(ids),
  review: (m: Memories, ...given: Parameters<Memories['review']['decide']>) => m.review.decide(...given),
  settleChange: (m: Memories, id: string, verdict: 'confirm' | 'revert') => (verdict === 'confirm' ? m.review.confirm(id) : m.review.revert(id)),
  sync: (m: Memories, feed: Feed) => m.sync.apply(feed),
  check: (m: Memories) => m.data.verify(),
  usage: (m: Memories) => m.model.usage(),
  // A stream, because texts above 32 MiB cannot cross between objects.
  export: async (m: Memories) => new Blob([await m.data.export()]).stream(),
  import: (m: Memories, text: string) => m.data.import(text),
};

/** Operations that need the object itself. */
interface Own {
  importMail(mail: Uint8Array, options: { account?: string; dryRun?: boolean }): Promise<object>;
  deliver(mail: Uint8Array, account: string): Promise<Report>;
  mailAside(): Promise<Aside[]>;
  mailText(id: string): Promise<Uint8Array>;
  mailAgain(id: string): Promise<Report>;
  mailDrop(id: string): Promise<{ dropped: string }>;
  askToHide(wish: Wish): Promise<Asked>;
  hide(confirmation: string): Promise<LogEntry>;
}

type Bound<T> = { [A in keyof T]: T[A] extends (m: Memories, ...args: infer P) => infer R ? (...args: P) => R : never };
type Acts = Bound<typeof ACTS> & Own;
/** The name of an operation and its arguments. */
export type Call = { [A in keyof Acts]: [name: A, ...args: Parameters<Acts[A]>] }[keyof Acts];
/** Calls an operation of a memory. */
export type Ask = <A extends keyof Acts>(name: A, ...args: Parameters<Acts[A]>) => Promise<Outcome<Awaited<ReturnType<Acts[A]>>>>;

type Run = (memories: Memories, ...args: unknown[]) => Promise<unknown>;

/** Operations that enlarge a memory; all others are allowed when it is full. */
const GROWS: string[] = ['add', 'import', 'sync'];
/**
 * Operations with their own rate limit, so that incoming mail does not block the owner's requests.
 */
const MAIL: string[] = ['deliver', 'importMail'];

function missing(message: string): never {
  throw new Refusal('not_found', message);
}

export class MemoryObject extends DurableObject<Env> {
  #opening: Promise<Memories> | undefined;
  #buckets = new Map(['requests', ...MAIL].map((name) => [name, new Bucket()]));
  #wishes = wishes(this.ctx.storage as Waiting, missing);
  #post = new Postroom(this.ctx.storage, {
    open: () => this.#ensureEngine().catch(() => this.#replaceEngine()),
    replaceEngine: () => this.#replaceEngine(),
    read: (text, account) => this.#read(text, account),
    room: (bytes) => this.#room(bytes, settingsOf(this.env).mailShare),
    waits: (code) => this.#mailWaits(code),
    setAside: (code) => void this.#pseudonym().then((owner) => log('mail_aside', { owner, code })),
  });

  /**
   * Runs an operation of a route or tool. Returns `{ value }` or `{ error }`, because errors lose
   * fields between objects.
   */
  async act(...[name, ...args]: Call): Promise<Outcome<unknown>> {
    try {
      this.#admit(name);
      if (GROWS.includes(name)) this.#room();
      const memories = await this.#memories();
      const run = { ...ACTS, ...this.#own }[name] as Run;
      const value = await run(memories, ...args);
      await this.#wake();
      // The caller need not wait for it.
      return { value };
    } catch (error) {
      return { error: told(error) };
    }
  }

  #own: { [A in keyof Own]: (memories: Memories, ...args: Parameters<Own[A]>) => ReturnType<Own[A]> } = {
    /**
     * Imports the mail of a request. Without room it stops between two mails; processed mails are
     * kept and recognised later.
     */
    importMail: async (memories, mail, { account, dryRun }) => {
      this.#room(0, settingsOf(this.env).mailShare);
      // A dry run writes nothing, so it is not counted.
      return dryRun ? memories.importMail(mail, { dryRun, ...(account === undefined ? {} : { account }) }) : this.#post.importMails(mail, account);
    },
    deliver: (_, mail, account) => this.#post.deliver(mail, account),
    mailAside: async () => this.#post.aside(),
    mailText: async (_, id) => this.#post.text(id),
    mailAgain: (_, id) => this.#post.again(id),
    mailDrop: async (_, id) => this.#post.drop(id),
    askToHide: (memories, wish) => this.#wishes.askToHide(memories, wish),
    hide: (memories, confirmation) => this.#wishes.hide(memories, confirmation),
  };

  /** Opens the engine on the first call; the next call retries a failure. */
  #memories(): Promise<Memories> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<Memories> {
    const owner = this.ctx.id.name ?? (await this.ctx.storage.get<string>('owner')) ?? '';
    if (this.ctx.id.name) await this.ctx.storage.put('owner', owner);
    const embedder = embedderOf(this.env);
    const { dailyTokens, mask, zone } = settingsOf(this.env);
    const budget = dailyTokens === undefined ? {} : { dailyTokens };
    const { MODE: policy = 'balanced' } = this.env;
    return open({
      storage: { object: this.ctx.storage },
      owner: { id: owner },
      zone,
      policy,
      model: { mask, ...budget, ...modelOf(this.env) },
      ...(embedder && { embedder }),
    });
  }

  /** Replaces the engine: after an unexpected failure it may never answer again. */
  async #replaceEngine(): Promise<void> {
    this.#opening = undefined;
    await this.#ensureEngine();
  }

  async #ensureEngine(): Promise<void> {
    await (await this.#memories()).list({ limit: 1 });
  }

  #hasModel(): boolean {
    return modelOf(this.env) !== undefined;
  }

  /** One try of a mail, within mail's share of the daily tokens. */
  async #read(text: Uint8Array, account: string): Promise<Report> {
    const memories = await this.#memories();
    const { dailyTokens, mailShare, zone } = settingsOf(this.env);
    const work = (importTokens?: number) =>
      memories.importMail(text, { ...(account ? { account } : {}), ...(importTokens === undefined ? {} : { importTokens }) });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Refusal('timeout', 'the mail was not read in time')), MAIL_PATIENCE);
    });
    const read =
      this.#hasModel() && dailyTokens !== undefined ? new MailBudget(this.ctx.storage, zone).within(memories, mailShare * dailyTokens, work) : work();
    return Promise.race([read, late]).finally(() => clearTimeout(timer ?? null));
  }

  /** Schedules the processing of a waiting mail, whatever happens to this call. */
  async #mailWaits(code?: string): Promise<void> {
    if (code !== undefined) log('mail_waits', { owner: await this.#pseudonym(), code });
    const due = await this.ctx.storage.getAlarm();
    if (due === null || due > Date.now() + MINUTE) await this.ctx.storage.setAlarm(Date.now() + MINUTE);
  }

  /** Enforces the rate limits for requests, delivered mail and imported mail separately. */
  #admit(name: string): void {
    const { requestsPerMinute, mailsPerMinute } = settingsOf(this.env);
    const bucket = this.#buckets.get(name) ?? this.#buckets.get('requests')!;
    const seconds = bucket.take(name === 'deliver' ? mailsPerMinute : requestsPerMinute);
    if (seconds > 0) throw tooMany(seconds, MAIL.includes(name) ? 'too many mails' : 'too many requests');
  }

  /** Rejects writes to a full memory, and mail that has used up its share. */
  #room(bytes = 0, share = 1): void {
    const most = settingsOf(this.env).bytes * share;
    if (this.ctx.storage.sql.databaseSize + bytes < most) return;
    throw new Refusal('quota_exceeded', share < 1 ? `mail has used up its share of ${most} bytes` : `this memory is full: its limit is ${most} bytes`);
  }

  async #wake(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + HOUR);
  }

  /** The number of problems found, if a verification is due. */
  async #verified(memories: Memories): Promise<number | undefined> {
    const last = (await this.ctx.storage.get<number>('verified')) ?? 0;
    if (Date.now() - last < VERIFIED_EVERY) return undefined;
    // Stored before the work, so that a memory too large to verify does not fail every alarm.
    await this.ctx.storage.put('verified', Date.now());
    return (await memories.data.verify()).problems.length;
  }

  async #pseudonym(): Promise<string> {
    return pseudonym(this.ctx.id.name ?? (await this.ctx.storage.get<string>('owner')) ?? '');
  }

  /**
   * Processes waiting mail, housekeeping and a sleep cycle; an unfinished cycle continues sooner.
   * Failures are logged and thrown, so that the platform retries.
   */
  override async alarm(): Promise<void> {
    const owner = await this.#pseudonym();
    try {
      const read = await this.#post.resume();
      await this.#wishes.drop();
      const memories = await this.#memories();
      const { merges, folded, finished } = await memories.sleep.run();
      const problems = await this.#verified(memories);
      log('alarm', { owner, merges, folded, ...(problems === undefined ? {} : { problems }) });
      await this.ctx.storage.setAlarm(Date.now() + (finished && read ? HOUR : MINUTE));
    } catch (error) {
      log('alarm', { owner, code: told(error).code });
      throw error;
    }
  }
}
