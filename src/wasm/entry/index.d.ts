// The face of the package. Values are the Rust types, made into TypeScript by the build.
import type {
  AddOptions, Analytics, Answer, Answered, CheckReport, Code, Comparison, DeleteOptions, DeletePreview, Difference, Draft, Edge, Estimate, Feed, Finalized, Hit, ImportReport, IngestReport, ListOptions, LogEntry, LogQuery, MailReceipt,
  Memory, MergeCandidates, Mode, NodeHit, NodeQuery, OpenOptions as Settings, PendingOptions, PendingReport, Place, PolicyChange, Prompt, Proposal, Pulse, Receipt, Reembedding, Refused, Related, ReviewItem, ReviewOptions,
  SearchOptions, Sent, SleepOptions, SleepReport, Turn, Usage, When,
} from './types.js';

export type * from './types.js';

/** How a memory is opened. All fields are optional. */
export interface OpenOptions extends Omit<Settings, 'policy'> {
  /** How decisions are taken: a mode, or one with settings of its own; `balanced` where absent. */
  policy?: Mode | PolicyChange;
  /**
   * A model of the application's own. It is asked where the local analyst is not sure (`balanced`), or for whatever
   * is alike (`accurate`). What it answers is checked, and where it fails the local answer stands, flagged for review.
   * `runSleepCycle` asks it for tags and summaries, and `ask` for answers (`question.task`), but not in `fast` mode.
   */
  analyst?: ModelAnalyst;
  /** What the model behind `analyst` is called. With a name, its answers are kept in the store, as those of an endpoint are. */
  analystName?: string;
  /** A model endpoint instead of `analyst`; what is asked is sent there and nowhere else. */
  endpoint?: Endpoint;
  /** In a Cloudflare Worker: `ctx.storage` of the SQLite-backed Durable Object that holds this memory. */
  storage?: ObjectStorage;
  /** Milliseconds that `analyst` or `endpoint` may take for one question, tries included; 30,000 where absent. */
  analystTimeout?: number;
  /**
   * An embeddings endpoint: it finds what is meant where no word is shared. The built-in embedder serves wherever it
   * fails, and for memories that it has not seen; `reembed` sends it those.
   */
  embeddings?: EmbeddingsEndpoint;
  /** An embedder of the application's own instead of `embeddings`. */
  embedder?: Embedder;
  /** Milliseconds that `embeddings` or `embedder` may take for one call, tries included; 30,000 where absent. */
  embedderTimeout?: number;
}

/** An embeddings endpoint of the user's own. */
export interface EmbeddingsEndpoint {
  /** `openai` embeddings (also vLLM, LM Studio, llama.cpp, Azure, Mistral, Voyage, Jina), `gemini`, or Ollama's own. */
  dialect: 'openai' | 'gemini' | 'ollama';
  /** Its base, such as `https://api.openai.com/v1`, or the whole address; https except on this machine. */
  url: string;
  /** Also the tag of its vectors: another model makes all of them anew. */
  model: string;
  /** Sent to that address alone; redirects are refused. */
  key?: string;
  /** Asked for where the model can shorten its vectors, and checked; what the first reply has where absent. */
  dimensions?: number;
}

/** An embedder of the application's own. */
export interface Embedder {
  /** The tag of its vectors: another tag makes all of them anew. */
  model: string;
  /** The length of its vectors; what the first call gives where absent. */
  dimensions?: number;
  /** One vector for each text, in order, of any length but 0; they are brought to length 1. `signal` fires when time is up. */
  embed(texts: string[], call: { signal: AbortSignal }): Promise<(Float32Array | number[])[]> | (Float32Array | number[])[];
  /**
   * Where the application keeps the vectors of memories itself, as in a vector database: the memories nearest to a vector, with
   * theirs. Then none is kept here, and `reembed` has nothing to do; `changes` tells what to keep and what to remove.
   */
  nearest?(vector: Float32Array, call: { signal: AbortSignal }): Promise<{ id: string; vector: Float32Array | Float64Array | number[] }[]>;
}

/** How memories are embedded anew. */
export interface ReembedCall {
  /** At most so many texts are sent; with 0 it only tells how many lack a vector. */
  maxTexts?: number;
  /** Stops between two calls of the embedder; what is done stays. */
  signal?: AbortSignal;
  onProgress?(progress: Reembedding): void;
}

/** What is used of a `DurableObjectStorage`. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...bindings: any[]): unknown };
  transactionSync<T>(work: () => T): T;
}

/** A model endpoint of the user's own. */
export interface Endpoint {
  /** `openai` chat completions (also Ollama, LM Studio, llama.cpp, vLLM, OpenRouter, Azure), `anthropic` messages, or `gemini`. */
  dialect: 'openai' | 'anthropic' | 'gemini';
  /** Its base, such as `https://api.openai.com/v1`, or the whole address; https except on this machine. */
  url: string;
  model: string;
  /** Sent to that address alone; redirects are refused. */
  key?: string;
  /** How it is asked about mail: in `full`, or in `short`, for models of 2 to 8 billion parameters; guessed by the model's name where absent. */
  form?: 'full' | 'short';
}

/**
 * What an analyst is asked. `system`, `examples` and `text` are for a language model. Of a `mail`, `source` is its message id and
 * `candidates` are the stored memories that it is shown with; about `decisions`, `memories` and `candidates` say the same as data.
 */
export interface Question extends Omit<Prompt, 'schema'> {
  /** The JSON schema of the reply. */
  schema: object;
}

/**
 * What an analyst answers to a question about decisions. Anything else than these fields and values is refused: an
 * answer as a whole, of several answers each by itself.
 */
export type ModelReply = (Proposal | { answers: Proposal[] }) & {
  /** Tokens that were used, for the log and the budget; estimated where absent. */
  tokens?: number;
};

/** The text of a reply as a language model gave it, and what it used. */
export interface SpokenReply {
  text: string;
  tokens?: number;
}

/** Answers a question by a reply, or by the text of one as a language model gave it. `signal` fires when nobody waits any more. */
export interface ModelAnalyst {
  (question: Question, call: { signal: AbortSignal }): Promise<ModelReply | SpokenReply | string> | ModelReply | SpokenReply | string;
  /** Where it asks and what, for the list of what left this device (`sent`). */
  origin?: string;
  model?: string;
  form?: 'full' | 'short';
}

/**
 * The analyst that an endpoint is, where the engine runs in one place (a worker) and requests are made in another (the page,
 * whose content security policy bounds them). It rejects with an error that has a `refusal`, a code for the log.
 */
export function endpointAnalyst(endpoint: Endpoint): ModelAnalyst & ((question: Question, call: { signal: AbortSignal }) => Promise<SpokenReply>);

/** What is wrong with an endpoint, if anything is. */
export type EndpointCode =
  /** It works. */
  | 'ok'
  /** It works, without the reply's schema. */
  | 'downgraded'
  /** It works; an answer took more than 10 s. */
  | 'slow'
  /** An option is not valid (`field`), or the address is plain http and not on this machine; nothing was sent. */
  | 'invalid' | 'insecure'
  /** Nobody answers, or what answers does not allow this page (CORS), or the page may not ask it (content security policy, http from https). */
  | 'unreachable' | 'cors' | 'blocked' | 'mixed_content'
  /** It sends on to another address, where nothing is sent. */
  | 'redirected'
  /** The key; the path; the model; the quota; the request in any form. */
  | 'unauthorized' | 'not_found' | 'no_such_model' | 'rate_limited' | 'rejected'
  /** A page instead of an interface; an answer of more than a megabyte; a fault of the server; no answer in time. */
  | 'not_an_api' | 'too_large' | 'server_error' | 'timeout'
  /** It answers, but not in the form that was asked for. */
  | 'wrong_form'
  /** The caller gave up, or an analyst of the application threw. */
  | 'aborted' | 'failed';

/** What came of a test. */
export interface EndpointReport {
  ok: boolean;
  code: EndpointCode;
  /** What the endpoint said, without the key; empty where there is nothing to add to the code. */
  detail: string;
  /** The option at fault. */
  field?: string;
  /** What was found out, where it was asked. */
  features?: {
    /** Whether the reply's schema is taken, JSON alone, or neither; absent for an analyst of the application. */
    schema?: 'strict' | 'json' | 'none';
    /** Whether a temperature is taken. */
    temperature?: boolean;
    /** Whether tokens are told. */
    tokens: boolean;
    /** Whether the answer was the right one: an UPDATE. */
    right: boolean;
  };
  /** Milliseconds that answers took. */
  ms: number;
}

/** Asks an endpoint, or an analyst of the application, one question about two made-up notes; nothing of the user's is sent. */
export function testEndpoint(model: Endpoint | ModelAnalyst, options?: { signal?: AbortSignal; timeout?: number }): Promise<EndpointReport>;

/** Opens a memory. The engine is loaded by the first call. */
export function open(options?: OpenOptions): Promise<Memories>;

/** Decides a single pair as a memory that holds nothing but `existing` would. Nothing is stored, nobody is asked. */
export function compare(existing: Draft, next: Draft, options?: { mode?: Mode }): Promise<Comparison>;

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

/** What clients of one key tell each other through a hub that cannot read it. */
export interface Sealed {
  format: number;
  /** Which key it is sealed with; it says nothing about the key. */
  key: string;
  /** The steps begin after this number. */
  after: number;
  /** The number of the hub's last step, in its answer. */
  head?: number;
  /** In what a client tells, none or the one to append. */
  steps: string[];
  /** What these steps wrote and no later one has written again: a name and a sealed text each. */
  records: [string, string][];
}

/** One user's memory. Every method rejects with a `MemfoldError`. */
export class Memories {
  private constructor();
  /** By what vectors are scanned: `plain` where the engine has no SIMD (a slower search, with the same answers). */
  readonly scan: 'simd128' | 'plain';
  /** Compares a new memory with what is stored, decides, and writes the decision in one atomic step. */
  consolidate(draft: Draft, options?: ConsolidateCall): Promise<Receipt>;
  /**
   * Takes in a note of the owner's, or the turns of a chat: what the user says is `user_input`, what the assistant says
   * `tool_output`. A model reads it beside what is known where one is set, else rules do. What is named by `sourceId` is taken in once.
   */
  add(said: string | Turn[], options?: AddOptions & { signal?: AbortSignal }): Promise<MailReceipt>;
  /** Takes in one raw mail or a whole mbox. A mail that was taken in before changes nothing; a bad one stops nothing. */
  ingest(source: string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>, options?: IngestCall): Promise<IngestReport>;
  /** The memories that answer a question, how it was read, and why nothing was found where nothing was. */
  answer(text: string, options?: SearchOptions): Promise<Answer>;
  /** The memories that answer a question, best first. */
  search(text: string, options?: SearchCall): Promise<Hit[]>;
  /**
   * What the memories say to a question, in one call of `analyst` or `endpoint`: a sentence or two, and the memories that it rests
   * on. Every figure, time and name of it stands in one of them or in the question; else the sentence is left out (`refused`). Without
   * a model, in `fast` mode or where no usable answer comes, the hits of a search stand by themselves. Nothing is remembered of it.
   */
  ask(question: string, options?: AskCall): Promise<Answered>;
  /** One memory of any version, or `undefined`. */
  get(id: string): Promise<Memory | undefined>;
  /** Memories by ascending id, a page at a time. */
  list(options?: ListOptions): Promise<Memory[]>;
  /** All versions of a memory, oldest first; with `asOf` those known then, with `validAt` the one that was true then. */
  history(id: string, options?: When): Promise<Memory[]>;
  /** What differs between two versions: by property, and word by word. */
  diff(from: string, to: string): Promise<Difference>;
  /** The memories linked to this one, in their current versions. */
  related(id: string): Promise<Related[]>;
  /** Every link. */
  links(): Promise<Edge[]>;
  /** The log of decisions, oldest first. */
  log(query?: LogQuery): Promise<LogEntry[]>;
  /** The last requests that left this device for a model, newest first, with the texts as they were sent; 500 at most are kept. */
  sent(options?: { limit?: number }): Promise<Sent[]>;
  /** Forgets which requests left this device. */
  clearSent(): Promise<void>;
  /**
   * About what an import of this source would ask: a dry run that sends nothing. Of more than 4 MB, whole mails from 16
   * places are read and the figures scaled up; a stream is read to its end.
   */
  estimate(
    source: string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>,
    options?: { account?: string; signal?: AbortSignal },
  ): Promise<Estimate>;
  /**
   * Asks the questions that wait because nobody answered in time or within budget, and settles what is answered, as a
   * review would: only what its owner has not looked at and nothing builds on. Rejects with `unsupported` without a model.
   */
  askPending(options?: PendingOptions & { signal?: AbortSignal }): Promise<PendingReport>;
  /** What models were asked today, what is left of the day's budget, and what waits for an answer: for a meter. */
  usage(): Promise<Usage>;
  /** What the log adds up to. */
  analytics(): Promise<Analytics>;
  /** Everything, as JSON Lines. */
  export(): Promise<string>;
  /**
   * Takes in an export. What is there already stays as it is; a version that is new to a chain takes its place in it.
   * The report names the entries to `undo`, and has an export of what was stored before.
   */
  import(text: string): Promise<ImportReport>;
  /** What the hub of this name has not been told yet: one page of it. For transports of one's own; see `sync`. */
  changes(hub: string): Promise<Feed>;
  /** As a hub: takes in what a client tells, decides where both have changed the same, and answers. */
  apply(feed: Feed): Promise<Feed>;
  /** As a hub: keeps what a client has sealed, and answers with what others have. */
  apply(feed: Sealed): Promise<Sealed>;
  /** Takes over what a hub has answered to changes up to `upto`. True where there is more to tell or to be told. */
  settle(hub: string, upto: number, answer: Feed): Promise<boolean>;
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
  sync(url: string, token: string, options?: { key?: Uint8Array; again?: boolean; signal?: AbortSignal; fetch?: typeof fetch }): Promise<{ sent: number; received: number; refused?: Refused[] }>;
  /** What a request in words would delete; nothing is deleted. Confirm with `delete` or `forget` and the ids. */
  previewDelete(request: string): Promise<DeletePreview>;
  /** Deletes memories with all their versions. They are hidden, kept, and can be restored. */
  delete(ids: string | string[], options?: DeleteOptions): Promise<LogEntry>;
  /** Brings a deleted memory back, with its versions and links. */
  restore(id: string): Promise<LogEntry>;
  /** Erases memories for good: versions, vectors, links and every text of the log that could repeat them. */
  forget(ids: string | string[]): Promise<LogEntry>;
  /** Takes an entry of the log back. Rejects with `already_undone`, `has_dependents`, `forgotten` or `not_found`. */
  undo(entryId: string): Promise<LogEntry>;
  /** Does again what was taken back; takes the id of the entry or of its undo. */
  redo(entryId: string): Promise<LogEntry>;
  /** What waits for its owner's word: unsure decisions, withheld changes, mail that could not be read. */
  reviews(): Promise<ReviewItem[]>;
  /** Carries out its owner's word on a decision: that it was right or wrong, or what would have been right. */
  review(
    entryId: string,
    verdict: 'accept' | 'reject' | 'CREATE' | 'UPDATE' | 'SKIP' | 'CREATE_AND_LINK',
    options?: ReviewOptions,
  ): Promise<LogEntry>;
  /**
   * Adds a question to a session (`default`), or raises the repeat of the one that says the same. `search` with `session`
   * does this by itself, and what it finds is remembered better once the session ends.
   */
  upsertQuery(text: string, options?: { session?: string }): Promise<Memory>;
  /** Adds a tag to a session, or raises the repeat of the one with the same canonical key. */
  upsertTag(name: string, options?: { session?: string }): Promise<Memory>;
  /** Ties a question of a session to a tag of it; tying again strengthens. */
  linkTagToQuery(tagId: string, queryId: string, options?: { session?: string; weight?: number }): Promise<Edge>;
  /** The edges at a memory, question or tag: those of the long term, or of a session. */
  getEdges(id: string, options?: { session?: string }): Promise<Edge[]>;
  /** Questions or tags, best first. */
  nodes(query?: NodeQuery): Promise<NodeHit[]>;
  /** Its owner's word on a memory that was found. */
  feedback(id: string, word: 'up' | 'down', options?: { query?: string; session?: string }): Promise<Memory>;
  /** Names the tags of what was asked in a session so far; all its tags. */
  waitForTagging(session?: string): Promise<Memory[]>;
  /** Ends a session: hot questions and their tags are kept for the long term, and what was found is remembered better. */
  finalizeSession(session?: string): Promise<Finalized>;
  /** What a sleep cycle would merge. Nothing is written. */
  collectMergeCandidates(options?: SleepOptions): Promise<MergeCandidates[]>;
  /**
   * Runs the sleep cycle for a while: memories fade, get tags, and those that say nearly the same become one that keeps
   * every number and name; the originals are archived. Call it when a session ends, by the hour, or from an alarm: a run
   * looks at 500 memories, the next goes on behind them, and two at once never do the same work.
   *
   * With `analyst` or `endpoint`, tags and summaries are its own, within 30 % of the day's tokens and `maxTokens` a run (20,000
   * where absent; with 0 nobody is asked). A summary that lacks a number or name of its sources, or has one more, is refused
   * and logged; then, and where no answer comes, both are made by rule.
   */
  runSleepCycle(options?: SleepCall): Promise<SleepReport>;
  /** How well the memory does: merges, calls, tokens and the hit rate over the last days (90), and what might help. */
  pulse(options?: { days?: number }): Promise<Pulse>;
  /** The pairs that its owner has labelled by reviews, as JSON Lines: to fit the analyst on, or as examples. */
  corrections(): Promise<string>;
  /**
   * Sends the current memories that `embeddings` or `embedder` has made no vectors of. It can be stopped and goes on where
   * it was, one tab at a time; a failing embedder is told as `stopped`.
   */
  reembed(options?: ReembedCall): Promise<Reembedding>;
  /** Verifies every invariant of the store and names what is wrong. */
  check(): Promise<CheckReport>;
  /** Releases the store. Every later call rejects with the code `closed`. */
  close(): Promise<void>;
}

/** An error with a stable `code`. Branch on the code, never on the message. */
export class MemfoldError extends Error {
  private constructor();
  override readonly name: 'MemfoldError';
  readonly code: Code;
  /** Whether the same call may succeed later without being changed. */
  readonly retryable: boolean;
  /** The field at fault, such as `people[3]`. */
  readonly field?: string;
  /** What the layer below said. */
  override readonly cause?: unknown;
}
