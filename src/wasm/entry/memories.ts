// `Memories`: the public API of one user's memory. It converts and streams data, and contains no memory logic.
import { check, checkFinite, first, invalid, refuseUnknown, list, object, split, text } from './arguments.js';
import type { Hears, Stop } from './changes.js';
import { contextOf, profileOf, type ContextOptions, type ProfileOptions, type PromptText } from './context.js';
import { Data } from './data.js';
import type { Running, ImportProgress, Verbs } from './engine.js';
import { MemfoldError, guarded } from './error.js';
import { Graph } from './graph.js';
import type { Signal } from './host.js';
import { Live } from './live.js';
import { Log } from './log.js';
import { Models } from './models.js';
import type { Durability } from './place.js';
import { actReceipt, mailReceiptOf, receiptOf, receiptsOf, type MailReceipt, type Receipt, type Receipts } from './receipts.js';
import { Review } from './review.js';
import { Sleep } from './sleep.js';
import { readPieces, turn, type Source } from './source.js';
import { Sync } from './sync.js';
import type {
  Answer,
  Answered,
  DeleteOptions,
  DeletePreview,
  Draft,
  Hit,
  ListOptions,
  LogEntry,
  MailImportReport,
  Memory,
  Metadata,
  Place,
  Related,
  SearchOptions,
  Turn,
  Undone,
  When,
  ZoneOption,
} from './types.js';

/** Options of `add`. */
export interface AddOptions {
  /** Dry run: decides, but writes only log entries. */
  dryRun?: boolean;
  /** An idempotency key: a second call with the same key changes nothing. For a text, it is also the `sourceId` of its memories. */
  key?: string;
  /** Aborts the call; after that, nothing is written. */
  signal?: Signal;
}

/** Options of `add` for a draft. */
export interface DraftOptions extends AddOptions {
  /** The id of the memory that the draft replaces: no analyst decides, but the trust rules apply. Any version's id will do. */
  replaces?: string;
}

/** Options of `add` for a note or a chat. */
export interface TextOptions extends AddOptions {
  /** The conversation that the text belongs to. */
  threadId?: string;
  /** The topic, as a subject line. */
  subject?: string;
  /** The application's own data for each resulting memory. */
  metadata?: Metadata;
}

/** Options of a search. */
export interface SearchCall extends SearchOptions {
  /** Called first with preliminary hits while an external embedder is running, then with the final ones; otherwise once. */
  onHits?(hits: Hit[]): void;
}

/** Options of `ask`. `limit` is 1 to 30; by default 20, or 30 for a time span. */
export interface AskOptions extends Omit<SearchOptions, 'session'> {
  /** Aborts the call, and the model's request. */
  signal?: Signal;
}

/** Options of a mail import. */
export interface ImportMailOptions {
  /** The mail account; each mail is processed once for each account. */
  account?: string;
  /** Whether the mail comes from the owner's sent folder, as confirmed by the host. */
  sent?: boolean;
  /** For a single mail: the host's thread id. */
  thread?: string;
  /** Dry run: decides, but writes nothing. */
  dryRun?: boolean;
  /** Where an earlier import of the same source stopped, from its progress or report; a stream must start there. */
  resume?: Place;
  /** Mail that is not read: by its sender (an address, or a domain as `@shop.example`), or by words of its subject. */
  exclude?: { people?: string[]; topics?: string[] };
  /** The most tokens of this import; beyond them, rules read the mail. A `reread` asks the model later. */
  importTokens?: number;
  /**
   * The number of mails to ask the model about in parallel, 1 to 8; 8 by default. Results do not depend on it: a mail
   * waits for earlier ones with the same thread, people or candidates, and is asked again if these have changed.
   */
  concurrency?: number;
  /** The application's own data for each resulting memory. */
  metadata?: Metadata;
  /** Stops between two mails or while waiting for the source. Processed mails are kept. */
  signal?: Signal;
  /** Called with the progress. */
  onProgress?(progress: Progress): void;
  /** Called for each mail, in source order. */
  onReceipt?(receipt: MailReceipt): void;
}

/** The progress of a mail import. */
export interface Progress {
  mails: number;
  drafts: number;
  bytes: number;
  /** Absent for a stream. */
  totalBytes?: number;
  /** The position after the last processed mail; store it to resume later. */
  next: Place;
}

const TEXT_OPTIONS = ['dryRun', 'key', 'signal', 'threadId', 'subject', 'metadata'];

/** Memories in a page of `each`. */
const PAGE = 250;

/** Milliseconds of work before yielding to the event loop. */
const TURN = 12;

/**
 * One user's memory, created by `open`. All methods reject with a `MemfoldError`. `add` takes a draft, a note or a
 * chat; `importMail` takes mail.
 */
export class Memories {
  readonly #held: Running;
  /** The engine's methods, each returning a promise. */
  readonly #engine: Verbs;
  readonly #elsewhere: boolean;
  readonly #zone: ZoneOption | null | undefined;

  /** Decisions and changes that need the owner's review. */
  readonly review: Review;
  /** Sync with other stores. */
  readonly sync: Sync;
  /** Background maintenance. */
  readonly sleep: Sleep;
  /** Links between memories, and the queries and tags of sessions. */
  readonly graph: Graph;
  /** Usage of models, and the requests sent to them. */
  readonly model: Models;
  /** The log of decisions. */
  readonly log: Log;
  /** Export, import and verification of the whole store. */
  readonly data: Data;
  /** Live queries, updated on changes in any tab or worker. */
  readonly live: Live;

  private constructor(held: Running, name: string, elsewhere: boolean, zone: ZoneOption | null | undefined) {
    this.#held = held;
    this.#engine = new Proxy({} as Verbs, {
      get:
        (_, verb) =>
        async (...args: never) =>
          held.call(verb as keyof Verbs, checkFinite(args)),
    });
    this.#elsewhere = elsewhere;
    this.#zone = zone;
    this.review = new Review(this.#engine);
    this.sync = new Sync(this.#engine);
    this.sleep = new Sleep(this.#engine);
    this.graph = new Graph(this.#engine);
    this.model = new Models(held, this.#engine, name);
    this.log = new Log(this.#engine);
    this.data = new Data(this.#engine);
    this.live = new Live(this);
  }

  /**
   * Wraps a running engine. `name` is the database's name; `elsewhere` tells whether an external embedder is set,
   * `zone` is the owner's, by default the host's.
   * @internal
   */
  static over(held: Running, name = 'memfold', elsewhere = false, zone?: ZoneOption | null): Memories {
    return new Memories(held, name, elsewhere, zone);
  }

  /** The kind of storage, and how long data lasts there. */
  get durability(): Durability {
    return { ...this.#held.durability };
  }

  /**
   * Calls back with changes from now on, made here or in any other tab or worker with this memory open. Returns a
   * function that unsubscribes.
   */
  subscribe(callback: Hears): Stop {
    if (typeof callback !== 'function') throw invalid('callback', 'is not a function');
    return this.#held.changes.subscribe(callback);
  }

  /**
   * Adds a note of the owner or a chat, with one receipt for each memory found in it. User turns become `user_input`,
   * assistant turns `tool_output`; `system` turns are ignored. A turn's content is text or a list of parts, as in OpenAI
   * chat messages. A model extracts the memories if one is set, otherwise rules do. Short notes are kept verbatim; plain
   * thanks and greetings are dropped. At most 100,000 characters and 200 turns.
   */
  add(said: string | Turn[], options?: TextOptions): Promise<Receipts>;
  /**
   * Adds one memory: compares the draft with the stored memories, decides and writes the decision atomically. Limits:
   * 8,000 characters of content; 998 of a name, subject, address or id; 256 entries of a list.
   */
  add(draft: Draft, options?: DraftOptions): Promise<Receipt>;
  add(said: string | Turn[] | Draft, options?: TextOptions & DraftOptions): Promise<Receipt | Receipts> {
    return guarded(async () => {
      const [{ key, ...rest }, signal] = split(options);
      check(signal);
      // An empty key would make all later calls replays of the first.
      if (key !== undefined && (text(key, 'key') === '' || [...key].length > 998)) throw invalid('key', 'is not a name of 1 to 998 characters');
      if (typeof said === 'object' && said !== null && !Array.isArray(said))
        return receiptOf(await this.#engine.consolidate(said, { ...rest, ...(key !== undefined && { key }) }, signal));
      refuseUnknown(Object.fromEntries(Object.entries(rest).filter(([name]) => !TEXT_OPTIONS.includes(name))), TEXT_OPTIONS);
      const turns = Array.isArray(said) ? said : [{ role: 'user', content: text(said, 'content') }];
      return receiptsOf(await this.#engine.add(turns, { ...rest, ...(key !== undefined && { sourceId: key }) }, signal));
    });
  }

  /** Imports a raw mail or an mbox. A mail imported before changes nothing; an invalid one does not stop the import. */
  importMail(source: Source, options?: ImportMailOptions): Promise<MailImportReport> {
    return guarded(async () => {
      const [{ onProgress, onReceipt, ...rest }, signal] = split(options);
      check(signal);
      const intake = await this.#held.intake(checkFinite(rest), signal, false);
      let bytes = rest.resume?.bytes ?? 0;
      const { chunks, totalBytes } = readPieces(source, bytes, { signal: options?.signal, closing: this.#held.closing });
      let rested = performance.now();
      const tell = ({ receipts, report }: ImportProgress) => {
        if (onReceipt) for (const receipt of receipts) onReceipt(mailReceiptOf(receipt));
        if (!onProgress) return;
        const { mails, drafts, next } = report;
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
      const last = await intake.finish();
      tell(last);
      return last.report;
    });
  }

  /**
   * Lets the model read mails again that rules alone have read, from the same source and account as their import.
   * Memories that rules made of such mails give way to the model's: they are deleted, and can be restored. Memories
   * that you, a model or an unread mail have used since stay. A mail that a model has read is not asked about again. A
   * mail for which the model fails is in `failed` with the code `model`, and stays as it is. Undo a reread by
   * `undoAll` with the entry ids of its receipts. Rejects with `unsupported` without a model.
   */
  reread(source: Source, options?: ImportMailOptions): Promise<MailImportReport> {
    return guarded(() => this.importMail(source, { ...object(options, 'options'), reread: true } as ImportMailOptions));
  }

  /** The memories that match a query of up to 998 characters, best first. `limit` is 1 to 100; 10 by default. */
  search(query: string, options?: SearchCall): Promise<Hit[]> {
    return guarded(async () => {
      const { onHits, ...rest } = object(options, 'options');
      if (onHits !== undefined && typeof onHits !== 'function') throw invalid('onHits', 'is not a function');
      // The session records the query only with the final search.
      if (onHits && this.#elsewhere && !rest.atHand) {
        const { session: _, ...unheard } = rest;
        onHits(await this.#engine.search(text(query, 'query'), { ...unheard, atHand: true }));
      }
      const hits = await this.#engine.search(text(query, 'query'), rest);
      onHits?.(hits);
      return hits;
    });
  }

  /** Like `search`, with the interpreted query and the reason for an empty result. */
  explainSearch(query: string, options?: SearchOptions): Promise<Answer> {
    return guarded(() => this.#engine.answer(text(query, 'query'), object(options, 'options')));
  }

  /**
   * Answers a question of up to 998 characters, with one call of the model that picks the memories that answer it, the
   * most telling first: show the headline of the first. Without a model, in `fast` mode or without a usable reply
   * (`refused`), only the search hits are returned. Nothing is stored.
   */
  ask(question: string, options?: AskOptions): Promise<Answered> {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.ask(text(question, 'question'), rest, signal);
    });
  }

  /**
   * The memories about a question of up to 998 characters, as text for a prompt. Each line has a citation mark, the day
   * of the statement and the quoted memory; then, where it differs, the day of the event, and whether the memory is
   * unconfirmed (with the confirmed value) or may be outdated:
   *
   * ```text
   * [1] 2026-05-12: "The kickoff is on 20 May." (happens 2026-05-20; may be outdated by [2])
   * [2] 2026-05-14: "The kickoff has moved to 22 May." (happens 2026-05-22)
   * ```
   *
   * The best matter comes first, and its oldest statement. The text stays within `tokens`; a memory that does not fit is
   * left out. The same store and question give the same text, except for a question with a relative time: it depends on
   * the clock, or on `now`. Line breaks, control characters, markup tags and code fences in memories are escaped. Without
   * hits, and for an empty store, the text is empty.
   */
  context(question: string, options?: ContextOptions): Promise<PromptText> {
    return guarded(() => contextOf(this.#engine, this.#zone, question, options));
  }

  /**
   * What is known of the owner, as text for a prompt in the form of `context`. The order: confirmed memories before
   * unconfirmed ones, promotions last, notes and tools before mail, the more important tier, then tasks, decisions,
   * meetings, projects and others, then the newest; what may outdate a memory comes before it. It reads all current memories
   * and shows at most 100.
   */
  profile(options?: ProfileOptions): Promise<PromptText> {
    return guarded(() => profileOf(this.#engine, this.#zone, options));
  }

  /** The memory with this id, of any version. Rejects with `not_found` if it does not exist or was erased. */
  get(id: string): Promise<Memory> {
    return guarded(async () => {
      const memory = await this.#engine.get(text(id, 'id'));
      if (!memory) throw new MemfoldError('not_found', `no memory has the id ${id}`);
      return memory;
    });
  }

  /** Writes the owner's text as the next version of a memory, without comparison. Metadata is merged by name. */
  update(id: string, content: string, options?: { metadata?: Metadata }): Promise<Receipt> {
    return guarded(async () => {
      const { metadata = {}, ...unknown } = object(options, 'options');
      refuseUnknown(unknown, ['metadata']);
      return receiptOf(await this.#engine.update(text(id, 'id'), text(content, 'content'), object(metadata, 'metadata')));
    });
  }

  /** A page of memories in storing order. `after` is the last id of the previous page. */
  list(options?: ListOptions): Promise<Memory[]> {
    return guarded(() => this.#engine.list(object(options, 'options')));
  }

  /**
   * All memories that match, read page by page: `for await (const memory of memories.each({ category: 'task' })) …`. Memories
   * added meanwhile may be left out.
   */
  async *each(options?: Omit<ListOptions, 'after' | 'limit'>): AsyncGenerator<Memory, void> {
    let page: Memory[];
    let after: string | undefined;
    do {
      page = await this.list({ ...object(options, 'options'), limit: PAGE, ...(after !== undefined && { after }) });
      yield* page;
      after = page.at(-1)?.id;
      await turn();
    } while (page.length === PAGE);
  }

  /** All versions of a memory, oldest first. `asOf` returns those known at a time, `validAt` the one true at a time. */
  history(id: string, options?: When): Promise<Memory[]> {
    return this.#ofExisting(id, () => this.#engine.history(id, object(options, 'options')));
  }

  /** The current versions of the memories linked to this one. */
  related(id: string, options?: { limit?: number }): Promise<Related[]> {
    return this.#ofExisting(id, async () => first(await this.#engine.related(id), object(options, 'options').limit));
  }

  /** The log entries about all versions of a memory with their reasons, oldest first. */
  why(id: string): Promise<LogEntry[]> {
    return this.#ofExisting(id, async () => {
      const entries = new Map<string, LogEntry>();
      for (const { id: target } of await this.#engine.history(id, {})) {
        const [found] = await this.#engine.log({ target });
        for (const entry of found) entries.set(entry.id, entry);
      }
      return [...entries.values()].sort((a, b) => a.seq - b.seq);
    });
  }

  /** A list about a memory; an empty one may mean that the memory does not exist. */
  #ofExisting<T>(id: string, read: () => Promise<T[]>): Promise<T[]> {
    return guarded(async () => {
      text(id, 'id');
      const found = await read();
      if (found.length === 0) await this.get(id);
      return found;
    });
  }

  /** Shows what a request in natural language (up to 998 characters) would delete. Confirm with `delete` or `erase` and the ids. */
  previewDelete(request: string): Promise<DeletePreview> {
    return guarded(() => this.#engine.previewDelete(text(request, 'request')));
  }

  /** Deletes 1 to 1,000 memories with all versions. They are hidden, but can be restored. */
  delete(ids: string | string[], options?: DeleteOptions): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.delete(list(ids), object(options, 'options'))));
  }

  /** Permanently erases 1 to 1,000 memories: versions, vectors, links and all text in the log that could repeat them. */
  erase(ids: string | string[]): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.forget(list(ids))));
  }

  /** Restores a deleted memory with its versions and links. */
  restore(id: string): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.restore(text(id, 'id'))));
  }

  /** Undoes a log entry. Rejects with `already_undone`, `has_dependents`, `forgotten` or `not_found`. */
  undo(entryId: string): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.undo(text(entryId, 'id'))));
  }

  /**
   * Undoes 1 to 1,000 log entries, newest first; much faster than one by one. Entries that later ones depend on are
   * returned as `kept`. Entries that were undone before, had no effect or are gone are skipped. Pass the
   * result's `entries` to `undoAll` to redo all of them.
   */
  undoAll(entryIds: string[]): Promise<Undone> {
    return guarded(() => this.#engine.undoAll(list(entryIds)));
  }

  /** Redoes an undone entry, by the id of the entry or of its undo. */
  redo(entryId: string): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.redo(text(entryId, 'id'))));
  }

  /** Permanently empties this memory: all versions and the log. Other connections to it become empty too. */
  clear(): Promise<void> {
    return guarded(() => this.#held.clear());
  }

  /** Closes this memory and deletes its database. Other connections to it are lost. */
  destroy(): Promise<void> {
    return guarded(() => this.#held.destroy());
  }

  /**
   * Closes the memory after running calls have finished (imports, sleep cycles and syncs stop after their current
   * step). To avoid waiting, abort calls by their signal first. Every later call rejects with `closed`.
   */
  close(): Promise<void> {
    return guarded(() => this.#held.close());
  }

  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

// Names of earlier builds.
for (const [old, now] of [
  ['consolidate', 'add'],
  ['ingest', 'importMail'],
] as const) {
  const value = () => Promise.reject(new MemfoldError('unsupported', `\`${old}\` is now \`${now}\``));
  Object.defineProperty(Memories.prototype, old, { value });
}
