// One user's memory. It converts and streams; it holds no rule.
import { check, invalid, list, named, object, split, text } from './arguments.js';
import type { Held, Verbs } from './engine.js';
import { MemfoldError, guarded } from './error.js';
import { sample } from './estimate.js';
import { exchanges } from './exchange.js';
import { hub as hubOf, type Sealed } from './holding.js';
import { pieces, turn, type Source } from './source.js';
import type {
  AddOptions, Analytics, Answer, Answered, CheckReport, DeleteOptions, DeletePreview, Difference, Draft, Edge, Estimate, Feed, Finalized, Hit, ImportReport, IngestReport, ListOptions, LogEntry, LogQuery, MailReceipt, Memory,
  MergeCandidates, NodeHit, NodeQuery, PendingOptions, PendingReport, Place, Pulse, Receipt, Reembedding, Refused, Related, ReviewItem, ReviewOptions, SearchOptions, Sent, SleepOptions, SleepReport, Turn, Usage, When,
} from './types.js';

/** How memories are embedded anew. */
export interface ReembedCall {
  /** At most so many texts are sent; with 0 it only tells how many lack a vector. */
  maxTexts?: number;
  /** Stops between two calls of the embedder; what is done stays. */
  signal?: AbortSignal;
  onProgress?(progress: Reembedding): void;
}

/** How one new memory is consolidated. */
export interface ConsolidateCall {
  /** Decide, but write nothing. */
  dryRun?: boolean;
  /** A second call with the same key changes nothing. */
  key?: string;
  /** Gives up; nothing is written once it has fired. */
  signal?: AbortSignal;
}

/** What a search is limited to, and who is told of what is found. */
export interface SearchCall extends SearchOptions {
  /** Called with the hits that are at hand while an embedder elsewhere is awaited, then with all; once where there is none. */
  onHits?(hits: Hit[]): void;
}

/** What a question is limited to; `k` is from 1 to 30, and where absent 20, or 30 of a span of time. */
export interface AskCall extends Omit<SearchOptions, 'session'> {
  /** Gives up; whoever is asked is told so. */
  signal?: AbortSignal;
}

/** How mail is taken in. */
export interface IngestCall {
  /** The mail account; a mail is handled once for each. */
  account?: string;
  /** Decide, but write nothing. */
  dryRun?: boolean;
  /** Where an earlier import of the same source stopped, as its progress and report told it; a stream begins there. */
  resume?: Place;
  /** Tokens that a model may use for this import; what is not asked waits for `askPending`. */
  importTokens?: number;
  /**
   * Mails that a model is asked about at the same time, 1 to 8; 8 where absent. It changes no result: a mail waits for earlier ones
   * that share its thread, its people or what it is shown, and is asked about again where what is known has changed meanwhile.
   */
  concurrency?: number;
  /** Stops between two mails; what is done stays. */
  signal?: AbortSignal;
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

/** How far a sleep cycle goes. */
export interface SleepCall extends SleepOptions {
  /** Stops between two steps; what is done stays, and the report says so. */
  signal?: AbortSignal;
  /** Called as the work goes on, with what was done so far. */
  onProgress?(report: SleepReport): void;
}
/** How a client exchanges what has changed. */
export interface SyncCall {
  /** 32 random bytes, by which everything is sealed. */
  key?: Uint8Array;
  /** Begins anew with what the hub has. */
  again?: boolean;
  /** Stops between two steps; the next exchange goes on there. */
  signal?: AbortSignal;
  /** Instead of the host's. */
  fetch?: typeof fetch;
}

/** What an exchange has sent and received, in entries of the log. */
export interface Exchanged {
  sent: number;
  received: number;
  /** Memories in the clear that were not taken in. */
  refused?: Refused[];
}

/** Memories that one step of a sleep cycle looks at. */
const SLICE = 100;
/** Texts that one step of re-embedding takes. */
const STEP = 64;
/** Milliseconds of work after which the page gets its turn. */
const TURN = 12;

/** Two reports of a sleep cycle, one after the other, as one. */
function added(a: SleepReport, b: SleepReport): SleepReport {
  const sum: SleepReport = { ...b, before: a.before, entries: [...a.entries, ...b.entries] };
  for (const field of ['lookedAt', 'merges', 'folded', 'tagged', 'moved', 'promoted', 'sessions', 'calls', 'tokens', 'millis'] as const) {
    sum[field] = a[field] + b[field];
  }
  const why = [...new Set([...a.skipped, ...b.skipped].map((s) => s.why))];
  const times = (list: SleepReport['skipped'], of: string) => list.find((s) => s.why === of)?.count ?? 0;
  sum.skipped = why.map((of) => ({ why: of, count: times(a.skipped, of) + times(b.skipped, of) }));
  return sum;
}

/** Does `work` while no other tab does the same, where the host can tell; the next in turn finds the work done. */
function alone<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  return locks ? (locks.request(name, signal ? { signal } : {}, work) as Promise<T>) : work();
}

/** One user's memory, made by `open`. Every method rejects with a `MemfoldError`. */
export class Memories {
  readonly #held: Held;
  /** The methods of the engine, each as a promise. */
  readonly #engine: Verbs;
  readonly #name: string;
  readonly #elsewhere: boolean;

  private constructor(held: Held, name: string, elsewhere: boolean) {
    this.#held = held;
    this.#engine = new Proxy({} as Verbs, { get: (_, verb) => (...args: never) => held.call(verb as keyof Verbs, args) });
    this.#name = name;
    this.#elsewhere = elsewhere;
  }

  /**
   * Over an engine that runs, in a database of this name; `elsewhere` where an embedder is asked.
   * @internal
   */
  static over(held: Held, name = 'memfold', elsewhere = false): Memories {
    return new Memories(held, name, elsewhere);
  }

  /** By what vectors are scanned: `plain` where the engine has no SIMD (a slower search, with the same answers). */
  get scan(): 'simd128' | 'plain' {
    return this.#held.scan as 'simd128' | 'plain';
  }

  /** Compares a new memory with what is stored, decides, and writes the decision in one atomic step. */
  consolidate(draft: Draft, options?: ConsolidateCall): Promise<Receipt> {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.consolidate(object(draft ?? null, 'draft'), rest, signal);
    });
  }

  /**
   * Takes in a note of the owner's, or the turns of a chat: what the user says is `user_input`, what the assistant says
   * `tool_output`. A model reads it beside what is known where one is set, else rules do. What is named by `sourceId` is taken in once.
   */
  add(said: string | Turn[], options?: AddOptions & { signal?: AbortSignal }): Promise<MailReceipt> {
    return guarded(async () => {
      const [rest, signal] = split(options);
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
      const intake = await this.#held.intake(rest, signal, false);
      let bytes = rest.resume?.bytes ?? 0;
      const { chunks, totalBytes } = pieces(source, bytes);
      let rested = performance.now();
      const tell = (receipts: MailReceipt[]) => {
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

  /** The memories that answer a question, how it was read, and why nothing was found where nothing was. */
  answer(query: string, options?: SearchOptions): Promise<Answer> {
    return guarded(() => this.#engine.answer(text(query, 'text'), object(options, 'options')));
  }

  /** The memories that answer a question, best first. */
  search(query: string, options?: SearchCall): Promise<Hit[]> {
    return guarded(async () => {
      const { onHits, ...rest } = object(options, 'options');
      if (onHits !== undefined && typeof onHits !== 'function') throw invalid('onHits', 'is not a function');
      // The question counts once, as it is answered in the end.
      if (onHits && this.#elsewhere && !rest.atHand) {
        const { session: _, ...unheard } = rest;
        onHits(await this.#engine.search(text(query, 'text'), { ...unheard, atHand: true }));
      }
      const hits = await this.#engine.search(text(query, 'text'), rest);
      onHits?.(hits);
      return hits;
    });
  }

  /**
   * What the memories say to a question, in one call of `analyst` or `endpoint`: a sentence or two, and the memories that it rests
   * on. Every figure, time and name of it stands in one of them or in the question; else the sentence is left out (`refused`). Without
   * a model, in `fast` mode or where no usable answer comes, the hits of a search stand by themselves. Nothing is remembered of it.
   */
  ask(question: string, options?: AskCall): Promise<Answered> {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.ask(text(question, 'question'), rest, signal);
    });
  }

  /** One memory of any version, or `undefined`. */
  get(id: string): Promise<Memory | undefined> {
    return guarded(async () => (await this.#engine.get(text(id, 'id'))) ?? undefined);
  }

  /** Memories by ascending id, a page at a time. */
  list(options?: ListOptions): Promise<Memory[]> {
    return guarded(() => this.#engine.list(object(options, 'options')));
  }

  /** All versions of a memory, oldest first; with `asOf` those known then, with `validAt` the one that was true then. */
  history(id: string, options?: When): Promise<Memory[]> {
    return guarded(() => this.#engine.history(text(id, 'id'), object(options, 'options')));
  }

  /** What differs between two versions: by property, and word by word. */
  diff(from: string, to: string): Promise<Difference> {
    return guarded(() => this.#engine.diff(text(from, 'from'), text(to, 'to')));
  }

  /** The memories linked to this one, in their current versions. */
  related(id: string): Promise<Related[]> {
    return guarded(() => this.#engine.related(text(id, 'id')));
  }

  /** Every link. */
  links(): Promise<Edge[]> {
    return guarded(() => this.#engine.links());
  }

  /** The log of decisions, oldest first. */
  log(query?: LogQuery): Promise<LogEntry[]> {
    return guarded(() => this.#engine.log(object(query, 'query')));
  }

  /** The last requests that left this device for a model, newest first, with the texts as they were sent; 500 at most are kept. */
  sent(options?: { limit?: number }): Promise<Sent[]> {
    return guarded(() => {
      const { limit } = object(options, 'options');
      if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) throw invalid('limit', 'is not a number of requests');
      return this.#engine.sent(limit);
    });
  }

  /** Forgets which requests left this device. */
  clearSent(): Promise<void> {
    return guarded(async () => void (await this.#engine.clearSent()));
  }

  /** What the log adds up to. */
  analytics(): Promise<Analytics> {
    return guarded(() => this.#engine.analytics());
  }

  /**
   * About what an import of this source would ask: a dry run that sends nothing. Of more than 4 MB, whole mails from 16
   * places are read and the figures scaled up; a stream is read to its end.
   */
  estimate(source: Source, options?: { account?: string; signal?: AbortSignal }): Promise<Estimate> {
    return guarded(async () => {
      const [rest, signal] = split(options);
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
      const scaled = (n: number) => Math.round(n * times);
      return { mails: scaled(mails), drafts: scaled(drafts), calls: scaled(calls), tokens: scaled(tokens) };
    });
  }

  /**
   * Asks the questions that wait because nobody answered in time or within budget, and settles what is answered, as a
   * review would: only what its owner has not looked at and nothing builds on. Rejects with `unsupported` without a model.
   */
  askPending(options?: PendingOptions & { signal?: AbortSignal }): Promise<PendingReport> {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.askPending(rest, signal);
    });
  }

  /** What models were asked today, what is left of the day's budget, and what waits for an answer: for a meter. */
  usage(): Promise<Usage> {
    return guarded(() => this.#engine.usage());
  }

  /** Everything, as JSON Lines. */
  export(): Promise<string> {
    return guarded(() => this.#engine.export());
  }

  /**
   * Takes in an export. What is there already stays as it is; a version that is new to a chain takes its place in it.
   * The report names the entries to `undo`, and has an export of what was stored before.
   */
  import(lines: string): Promise<ImportReport> {
    return guarded(() => this.#engine.import(text(lines, 'text')));
  }

  /** What the hub of this name has not been told yet: one page of it. For transports of one's own; see `sync`. */
  changes(hub: string): Promise<Feed> {
    return guarded(() => this.#engine.changes(text(hub, 'hub')));
  }

  /** As a hub: takes in what a client tells, decides where both have changed the same, and answers. */
  apply(feed: Feed): Promise<Feed>;
  /** As a hub: keeps what a client has sealed, and answers with what others have. */
  apply(feed: Sealed): Promise<Sealed>;
  apply(feed: Feed | Sealed): Promise<Feed | Sealed> {
    return guarded((): Promise<Feed | Sealed> => {
      const told = object(feed ?? null, 'feed');
      const { hold, sameKey } = hubOf(this.#engine, (...what) => new MemfoldError(...what));
      return 'steps' in told ? hold(told) : sameKey(told.key).then(() => this.#engine.apply(told));
    });
  }

  /** Takes over what a hub has answered to changes up to `upto`. True where there is more to tell or to be told. */
  settle(hub: string, upto: number, answer: Feed): Promise<boolean> {
    return guarded(() => {
      if (!Number.isSafeInteger(upto) || upto < 0) throw invalid('upto', 'is not the number of an entry');
      return this.#engine.settle(text(hub, 'hub'), upto, object(answer ?? null, 'answer'));
    });
  }

  /**
   * As a client: tells the hub at this address (`POST`, with a bearer token) what has changed here, and takes over what came of
   * both, until neither has more to say. Broken off, it goes on where it was. Gives the entries sent and received. The address
   * is https, or http on this machine (`localhost`, `127.0.0.0/8`, `[::1]`); of an answer 64 MiB are read, else it is `too_large`.
   *
   * With a `key` of 32 random bytes, which all clients of this owner share and the hub never sees, everything goes out sealed
   * and is verified when it comes back; see "Sealed" in docs/sync.md for what the hub still sees and can do. Rejects with
   * `wrong_key`; with `tampered` where anything was put in, changed or taken out; with `rolled_back` where the hub has less than
   * it had, until `again: true` begins anew with what it has. `refused` are memories in the clear that were not taken in.
   */
  sync(url: string, token: string, options?: SyncCall): Promise<Exchanged> {
    return guarded(async () => {
      const { signal, key, again = false, fetch = globalThis.fetch, ...unknown } = object(options, 'options');
      const [extra] = Object.keys(unknown);
      if (extra !== undefined) throw new MemfoldError('unknown_field', `unknown field \`${extra}\``, { field: extra });
      const [, watch] = split(signal && { signal });
      const how = { url: text(url, 'url'), token: text(token, 'token'), fetch, key, again, signal, watched: watch, check: () => check(signal) };
      return exchanges(this.#engine, (...what: ConstructorParameters<typeof MemfoldError>) => new MemfoldError(...what), how)() as Promise<Exchanged>;
    });
  }

  /** What a request in words would delete; nothing is deleted. Confirm with `delete` or `forget` and the ids. */
  previewDelete(request: string): Promise<DeletePreview> {
    return guarded(() => this.#engine.previewDelete(text(request, 'request')));
  }

  /** Deletes memories with all their versions. They are hidden, kept, and can be restored. */
  delete(ids: string | string[], options?: DeleteOptions): Promise<LogEntry> {
    return guarded(() => this.#engine.delete(list(ids), object(options, 'options')));
  }

  /** Brings a deleted memory back, with its versions and links. */
  restore(id: string): Promise<LogEntry> {
    return guarded(() => this.#engine.restore(text(id, 'id')));
  }

  /** Erases memories for good: versions, vectors, links and every text of the log that could repeat them. */
  forget(ids: string | string[]): Promise<LogEntry> {
    return guarded(() => this.#engine.forget(list(ids)));
  }

  /** Takes an entry of the log back. Rejects with `already_undone`, `has_dependents`, `forgotten` or `not_found`. */
  undo(entryId: string): Promise<LogEntry> {
    return guarded(() => this.#engine.undo(text(entryId, 'id')));
  }

  /** Does again what was taken back; takes the id of the entry or of its undo. */
  redo(entryId: string): Promise<LogEntry> {
    return guarded(() => this.#engine.redo(text(entryId, 'id')));
  }

  /** What waits for its owner's word: unsure decisions, withheld changes, mail that could not be read. */
  reviews(): Promise<ReviewItem[]> {
    return guarded(() => this.#engine.reviews());
  }

  /** Carries out its owner's word on a decision: that it was right or wrong, or what would have been right. */
  review(
    entryId: string,
    verdict: 'accept' | 'reject' | 'CREATE' | 'UPDATE' | 'SKIP' | 'CREATE_AND_LINK',
    options?: ReviewOptions,
  ): Promise<LogEntry> {
    return guarded(() => this.#engine.review(text(entryId, 'id'), text(verdict, 'verdict'), object(options, 'options')));
  }

  /**
   * Adds a question to a session (`default`), or raises the repeat of the one that says the same. `search` with `session`
   * does this by itself, and what it finds is remembered better once the session ends.
   */
  upsertQuery(query: string, options?: { session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.upsertQuery(text(query, 'text'), object(options, 'options')));
  }

  /** Adds a tag to a session, or raises the repeat of the one with the same canonical key. */
  upsertTag(name: string, options?: { session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.upsertTag(text(name, 'name'), object(options, 'options')));
  }

  /** Ties a question of a session to a tag of it; tying again strengthens. */
  linkTagToQuery(tag: string, query: string, options?: { session?: string; weight?: number }): Promise<Edge> {
    return guarded(() => this.#engine.linkTagToQuery(text(tag, 'tag'), text(query, 'query'), object(options, 'options')));
  }

  /** The edges at a memory, question or tag: those of the long term, or of a session. */
  getEdges(id: string, options?: { session?: string }): Promise<Edge[]> {
    return guarded(() => this.#engine.getEdges(text(id, 'id'), object(options, 'options')));
  }

  /** Questions or tags, best first. */
  nodes(query?: NodeQuery): Promise<NodeHit[]> {
    return guarded(() => this.#engine.nodes(object(query, 'query')));
  }

  /** Its owner's word on a memory that was found. */
  feedback(id: string, word: 'up' | 'down', options?: { query?: string; session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.feedback(text(id, 'id'), text(word, 'word'), object(options, 'options')));
  }

  /** Names the tags of what was asked in a session so far; all its tags. */
  waitForTagging(session?: string): Promise<Memory[]> {
    return guarded(() => this.#engine.waitForTagging(named(session)));
  }

  /** Ends a session: hot questions and their tags are kept for the long term, and what was found is remembered better. */
  finalizeSession(session?: string): Promise<Finalized> {
    return guarded(() => this.#engine.finalizeSession(named(session)));
  }

  /** What a sleep cycle would merge. Nothing is written. */
  collectMergeCandidates(options?: SleepOptions): Promise<MergeCandidates[]> {
    return guarded(() => this.#engine.collectMergeCandidates(object(options, 'options')));
  }

  /**
   * Runs the sleep cycle for a while: memories fade, get tags, and those that say nearly the same become one that keeps
   * every number and name; the originals are archived. Call it when a session ends, by the hour, or from an alarm: a run
   * looks at 500 memories, the next goes on behind them, and two at once never do the same work.
   *
   * With `analyst` or `endpoint`, tags and summaries are its own, within 30 % of the day's tokens and `maxTokens` a run (20,000
   * where absent; with 0 nobody is asked). A summary that lacks a number or name of its sources, or has one more, is refused
   * and logged; then, and where no answer comes, both are made by rule.
   */
  runSleepCycle(options?: SleepCall): Promise<SleepReport> {
    return guarded(async () => {
      const [{ onProgress, ...rest }, signal] = split(options);
      const maxNodes = rest.maxNodes ?? 0;
      if (rest.dryRun || !(maxNodes > SLICE)) {
        const report = await this.#engine.runSleepCycle(rest, signal);
        onProgress?.(report);
        return report;
      }
      // In slices, so that others get their turn and whoever looks sees it go on.
      let sum: SleepReport | undefined;
      for (let left = maxNodes; left > 0; ) {
        const maxTokens = typeof rest.maxTokens !== 'number' ? {} : { maxTokens: Math.max(0, rest.maxTokens - (sum?.tokens ?? 0)) };
        const next = await this.#engine.runSleepCycle({ ...rest, ...maxTokens, maxNodes: Math.min(SLICE, left) }, signal);
        left -= SLICE;
        sum = sum ? added(sum, next) : next;
        onProgress?.(sum);
        if (next.finished || signal?.aborted || next.skipped.some((s) => s.why === 'leased')) break;
        await turn();
      }
      return sum!;
    });
  }

  /** How well the memory does: merges, calls, tokens and the hit rate over the last days (90), and what might help. */
  pulse(options?: { days?: number }): Promise<Pulse> {
    return guarded(() => {
      const { days = 90 } = object(options, 'options');
      if (!Number.isInteger(days)) throw invalid('days', 'is not a whole number');
      return this.#engine.pulse(days);
    });
  }

  /** The pairs that its owner has labelled by reviews, as JSON Lines: to fit the analyst on, or as examples. */
  corrections(): Promise<string> {
    return guarded(() => this.#engine.corrections());
  }

  /**
   * Sends the current memories that `embeddings` or `embedder` has made no vectors of. It can be stopped and goes on where
   * it was, one tab at a time; a failing embedder is told as `stopped`.
   */
  reembed(options?: ReembedCall): Promise<Reembedding> {
    return guarded(async () => {
      const [{ onProgress, maxTexts = Infinity, ...unknown }, signal] = split(options);
      const [extra] = Object.keys(unknown);
      if (extra !== undefined) throw invalid(extra, 'is not known');
      if (typeof maxTexts !== 'number' || !(maxTexts >= 0)) throw invalid('maxTexts', 'is not a number from 0');
      check(signal);
      const work = async (): Promise<Reembedding> => {
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

  /** Verifies every invariant of the store and names what is wrong. */
  check(): Promise<CheckReport> {
    return guarded(() => this.#engine.check());
  }

  /** Releases the store. Every later call rejects with the code `closed`. */
  close(): Promise<void> {
    return guarded(() => this.#held.close());
  }
}

