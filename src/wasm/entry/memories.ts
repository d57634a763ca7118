// One user's memory. It converts and streams; it holds no rule.
import { check, finite, invalid, known, list, object, split, text } from './arguments.js';
import type { Hears, Stop } from './changes.js';
import { Data } from './data.js';
import type { Running, Taken, Verbs } from './engine.js';
import { guarded } from './error.js';
import { Graph } from './graph.js';
import type { Signal } from './host.js';
import { Live } from './live.js';
import { Models } from './models.js';
import type { Durability } from './place.js';
import { Review } from './review.js';
import { Sleep } from './sleep.js';
import { pieces, turn, type Source } from './source.js';
import { Sync } from './sync.js';
import type { AddOptions, Answered, DeleteOptions, Draft, Hit, IngestReport, ListOptions, LogEntry, MailReceipt, Memory, Metadata, Place, Receipt, SearchOptions, Turn, Undone, When } from './types.js';

/** How one new memory is consolidated. */
export interface ConsolidateCall {
  /** Decide, and write nothing but a log entry. */
  dryRun?: boolean;
  /** A second call with the same key changes nothing. */
  key?: string;
  /** Gives up; nothing is written once it has fired. */
  signal?: Signal;
}

/** What a search is limited to, and who is told of what is found. */
export interface SearchCall extends SearchOptions {
  /** Called with the hits that are at hand while an embedder elsewhere is awaited, then with all; once where there is none. */
  onHits?(hits: Hit[]): void;
}

/** What a question is limited to; `k` is from 1 to 30, and where absent 20, or 30 of a span of time. */
export interface AskCall extends Omit<SearchOptions, 'session'> {
  /** Gives up; whoever is asked is told so. */
  signal?: Signal;
}

/** How mail is taken in. */
export interface IngestCall {
  /** The mail account; a mail is handled once for each. */
  account?: string;
  /** Whether the mail lies in the owner's folder of sent mail, for which the host vouches. */
  sent?: boolean;
  /** The host's own name of the thread of a single mail. */
  thread?: string;
  /** Decide, but write nothing. */
  dryRun?: boolean;
  /** Where an earlier import of the same source stopped, as its progress and report told it; a stream begins there. */
  resume?: Place;
  /** Tokens that a model may use for this import; what is not asked waits for `model.askPending`. */
  importTokens?: number;
  /**
   * Mails that a model is asked about at the same time, 1 to 8; 8 where absent. It changes no result: a mail waits for earlier ones
   * that share its thread, its people or what it is shown, and is asked about again where what is known has changed meanwhile.
   */
  concurrency?: number;
  /** What the application keeps beside each memory that comes of it. */
  metadata?: Metadata;
  /** Stops between two mails, or while the source gives nothing; what is done stays. */
  signal?: Signal;
  /** Called as the work goes on. */
  onProgress?(progress: Progress): void;
  /** Called for each mail, in the order of the source. */
  onReceipt?(receipt: MailReceipt): void;
}

/** How far an ingest has come. */
export interface Progress {
  mails: number;
  drafts: number;
  bytes: number;
  /** Absent where the source is a stream. */
  totalBytes?: number;
  /** Behind the last mail that was handled; keep it to go on after the page was closed. */
  next: Place;
}

/** Milliseconds of work after which the page gets its turn. */
const TURN = 12;

/**
 * One user's memory, made by `open`. Every method rejects with a `MemfoldError`. `add` takes in words (a note, the turns of a
 * chat) or a draft of one's own, `ingest` takes in mail; `consolidate` decides about one draft and tells all of it.
 */
export class Memories {
  readonly #held: Running;
  /** The methods of the engine, each as a promise. */
  readonly #engine: Verbs;
  readonly #elsewhere: boolean;

  /** What waits for its owner's word, and the word itself. */
  readonly review: Review;
  /** How stores tell each other what has changed. */
  readonly sync: Sync;
  /** What a memory does while nobody asks it anything. */
  readonly sleep: Sleep;
  /** What is tied to what: memories, and the questions and tags of sessions. */
  readonly graph: Graph;
  /** What models are asked, have cost, and were told. */
  readonly model: Models;
  /** All that is stored, as a whole. */
  readonly data: Data;
  /** Answers that follow what is written, in whatever tab or worker. */
  readonly live: Live;

  private constructor(held: Running, name: string, elsewhere: boolean) {
    this.#held = held;
    this.#engine = new Proxy({} as Verbs, { get: (_, verb) => async (...args: never) => held.call(verb as keyof Verbs, finite(args)) });
    this.#elsewhere = elsewhere;
    this.review = new Review(this.#engine);
    this.sync = new Sync(this.#engine);
    this.sleep = new Sleep(this.#engine);
    this.graph = new Graph(this.#engine);
    this.model = new Models(held, this.#engine, name);
    this.data = new Data(this.#engine);
    this.live = new Live(this);
  }

  /**
   * Over an engine that runs, in a database of this name; `elsewhere` where an embedder is asked.
   * @internal
   */
  static over(held: Running, name = 'memfold', elsewhere = false): Memories {
    return new Memories(held, name, elsewhere);
  }

  /** Where it is kept, and how long it lasts there. */
  get durability(): Durability {
    return { ...this.#held.durability };
  }

  /**
   * Calls back with what is written from now on: here, and in every other tab or worker that has this memory open. Gives a
   * function that ends it.
   */
  subscribe(callback: Hears): Stop {
    if (typeof callback !== 'function') throw invalid('callback', 'is not a function');
    return this.#held.changes.subscribe(callback);
  }

  /**
   * Compares a new memory with what is stored, decides, and writes the decision in one atomic step. The content of a draft has at
   * most 8,000 characters, a name, subject, address or id of it 998, a list of it 256 entries.
   */
  consolidate(draft: Draft, options?: ConsolidateCall): Promise<Receipt> {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      // By it, whatever came second would be taken for the first.
      if (rest.key === '') throw invalid('key', 'is empty');
      return this.#engine.consolidate(object(draft ?? null, 'draft'), rest, signal);
    });
  }

  /**
   * Takes in a note of the owner's, or the turns of a chat: what the user says is `user_input`, what the assistant says
   * `tool_output`; `system` turns are ignored. The content of a turn is a text or a list of parts, as OpenAI's chat messages have it.
   * A model reads it beside what is known where one is set, else rules do. What is named by `sourceId` is taken in once.
   * A note of a word or two is kept as it is; mere thanks and greetings are not. At most 100,000 characters and 200 turns at once.
   */
  add(said: string | Turn[], options?: AddOptions & { signal?: Signal }): Promise<MailReceipt>;
  /** Takes in a draft as it is: `consolidate`. */
  add(draft: Draft, options?: ConsolidateCall): Promise<Receipt>;
  add(said: string | Turn[] | Draft, options?: (AddOptions & { signal?: Signal }) | ConsolidateCall): Promise<MailReceipt | Receipt> {
    if (typeof said === 'object' && said !== null && !Array.isArray(said)) return this.consolidate(said, options as ConsolidateCall);
    return guarded(async () => {
      const [rest, signal] = split(options as AddOptions & { signal?: Signal });
      check(signal);
      const turns = Array.isArray(said) ? said : [{ role: 'user', content: text(said, 'content') }];
      return this.#engine.add(turns, rest, signal);
    });
  }

  /** Takes in one raw mail or a whole mbox. A mail that was taken in before changes nothing; a bad one stops nothing. */
  ingest(source: Source, options?: IngestCall): Promise<IngestReport> {
    return guarded(async () => {
      const [{ onProgress, onReceipt, ...rest }, signal] = split(options);
      check(signal);
      const intake = await this.#held.intake(finite(rest), signal, false);
      let bytes = rest.resume?.bytes ?? 0;
      const { chunks, totalBytes } = pieces(source, bytes, { signal: options?.signal, closing: this.#held.closing });
      let rested = performance.now();
      const tell = ({ receipts, report }: Taken) => {
        for (const receipt of receipts) onReceipt?.(receipt);
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

  /** The memories that answer a question of at most 998 characters, best first; `k` is 1 to 100, and 10 where absent. */
  search(query: string, options?: SearchCall): Promise<Hit[]> {
    return guarded(async () => {
      const { onHits, ...rest } = object(options, 'options');
      if (onHits !== undefined && typeof onHits !== 'function') throw invalid('onHits', 'is not a function');
      // The question counts once, as it is answered in the end.
      if (onHits && this.#elsewhere && !rest.atHand) {
        const { session: _, ...unheard } = rest;
        onHits(await this.#engine.search(text(query, 'query'), { ...unheard, atHand: true }));
      }
      const hits = await this.#engine.search(text(query, 'query'), rest);
      onHits?.(hits);
      return hits;
    });
  }

  /**
   * What the memories say to a question of at most 998 characters, in one call of `analyst` or `endpoint`: a sentence or two, and the
   * memories that it rests on. Every figure, time and name of it stands in one of them or in the question; else the sentence is left out (`refused`). Without
   * a model, in `fast` mode or where no usable answer comes, the hits of a search stand by themselves. Nothing is remembered of it.
   */
  ask(question: string, options?: AskCall): Promise<Answered> {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.ask(text(question, 'question'), rest, signal);
    });
  }

  /** One memory of any version, or `undefined`: also of one that was forgotten. */
  get(id: string): Promise<Memory | undefined> {
    return guarded(async () => (await this.#engine.get(text(id, 'id'))) ?? undefined);
  }

  /** Makes these words of the owner's the next version of a memory; nobody compares or decides. Metadata is put in by name. */
  update(id: string, content: string, options?: { metadata?: Metadata }): Promise<Receipt> {
    return guarded(() => {
      const { metadata = {}, ...unknown } = object(options, 'options');
      known(unknown, ['metadata']);
      return this.#engine.update(text(id, 'id'), text(content, 'content'), object(metadata, 'metadata'));
    });
  }

  /** Memories in the order of their storing, a page at a time: `after` is the id that the page before ended with. */
  list(options?: ListOptions): Promise<Memory[]> {
    return guarded(() => this.#engine.list(object(options, 'options')));
  }

  /** All versions of a memory, oldest first; with `asOf` those known then, with `validAt` the one that was true then. */
  history(id: string, options?: When): Promise<Memory[]> {
    return guarded(() => this.#engine.history(text(id, 'id'), object(options, 'options')));
  }

  /** The decisions about a memory in all its versions, oldest first, each with its reasons; none for an id that names nothing. */
  why(id: string): Promise<LogEntry[]> {
    return guarded(async () => {
      const entries = new Map<string, LogEntry>();
      for (const { id: target } of await this.#engine.history(text(id, 'id'), {})) {
        const [found] = await this.#engine.log({ target });
        for (const entry of found) entries.set(entry.id, entry);
      }
      return [...entries.values()].sort((a, b) => a.seq - b.seq);
    });
  }

  /** Deletes memories, 1 to 1,000 at once, with all their versions. They are hidden, kept, and can be restored. */
  delete(ids: string | string[], options?: DeleteOptions): Promise<LogEntry> {
    return guarded(() => this.#engine.delete(list(ids), object(options, 'options')));
  }

  /** Brings a deleted memory back, with its versions and links. */
  restore(id: string): Promise<LogEntry> {
    return guarded(() => this.#engine.restore(text(id, 'id')));
  }

  /** Takes an entry of the log back. Rejects with `already_undone`, `has_dependents`, `forgotten` or `not_found`. */
  undo(entryId: string): Promise<LogEntry> {
    return guarded(() => this.#engine.undo(text(entryId, 'id')));
  }

  /**
   * Takes many entries of the log back, 1 to 1,000 at once, the latest first; much faster than one by one. Those that later ones
   * build on are `kept`; what was taken back before, did nothing or is gone is left out. `undoAll(entries)` of the answer does all of it again.
   */
  undoAll(entryIds: string[]): Promise<Undone> {
    return guarded(() => this.#engine.undoAll(list(entryIds)));
  }

  /** Does again what was taken back; takes the id of the entry or of its undo. */
  redo(entryId: string): Promise<LogEntry> {
    return guarded(() => this.#engine.redo(text(entryId, 'id')));
  }

  /** Empties this memory for good: what is known, its versions, and its log. Whoever has it open, here or elsewhere, finds it empty. */
  clear(): Promise<void> {
    return guarded(() => this.#held.clear());
  }

  /** Closes this memory and deletes it with its database. Whoever else has it open finds the connection lost. */
  destroy(): Promise<void> {
    return guarded(() => this.#held.destroy());
  }

  /**
   * Releases the store. What is under way is finished first (an import, a cycle or an exchange ends after the step that it does), so end
   * by its signal what you do not want to wait for. Every later call rejects with the code `closed`.
   */
  close(): Promise<void> {
    return guarded(() => this.#held.close());
  }
}
