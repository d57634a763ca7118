// What the page and the engine's worker say to each other.
import type {
  Analytics,
  Answered,
  AskCall,
  CheckReport,
  Comparison,
  DeletePreview,
  Difference,
  Draft,
  Edge,
  Hit,
  ImportReport,
  IngestReport,
  ListOptions,
  LogEntry,
  LogQuery,
  MailReceipt,
  Memory,
  MergeCandidates,
  Mode,
  NodeHit,
  NodeQuery,
  OpenOptions,
  PendingReport,
  Place,
  Question,
  Pulse,
  Receipt,
  Related,
  ReviewItem,
  SearchOptions,
  Sent,
  SleepOptions,
  SleepReport,
  Usage,
} from 'memfold';

export type Progress = { mails: number; bytes: number; totalBytes?: number; drafts: number; next: Place };
export type Event = { progress?: Progress; receipts?: MailReceipt[]; report?: SleepReport };

/** The engine's verbs, as the page calls them. */
export interface Engine {
  /** With `asks`, questions come back to the page, which says where it asks. */
  open(options: OpenOptions, asks?: { origin?: string; model: string }): void;
  consolidate(draft: Draft, dryRun: boolean): Receipt;
  ingest(source: Blob | string, resume?: Place): IngestReport;
  search(text: string, options: SearchOptions): Hit[];
  ask(question: string, options: AskCall): Answered;
  list(options: ListOptions): Memory[];
  history(id: string): Memory[];
  related(id: string): Related[];
  links(): Edge[];
  log(query: LogQuery): LogEntry[];
  analytics(): Analytics;
  compare(existing: Draft, next: Draft, mode: Mode): Comparison;
  export(): string;
  import(text: string): ImportReport;
  undo(entryId: string): LogEntry;
  redo(entryId: string): LogEntry;
  previewDelete(request: string): DeletePreview;
  delete(ids: string | string[], request?: string): LogEntry;
  restore(id: string): LogEntry;
  forget(ids: string | string[]): LogEntry;
  reviews(): ReviewItem[];
  review(entryId: string, verdict: string): LogEntry;
  diff(from: string, to: string): Difference;
  check(): CheckReport;
  usage(): Usage;
  askPending(): PendingReport;
  sent(limit: number): Sent[];
  clearSent(): void;
  feedback(id: string, word: 'up' | 'down', query: string, session: string): Memory;
  nodes(query: NodeQuery): NodeHit[];
  pulse(days: number): Pulse;
  collectMergeCandidates(options: SleepOptions): MergeCandidates[];
  runSleepCycle(maxNodes: number): SleepReport;
  finalizeSession(session: string): void;
  erase(): void;
}

export type Verb = keyof Engine;
export type Fault = { code: string; message: string; retryable: boolean; field?: string };

export type ToEngine =
  | { id: number; verb: Verb; args: unknown[] }
  | { abort: number }
  | { answered: number; reply: unknown }
  | { answered: number; refusal: string };
export type FromEngine =
  | { id: number; value: unknown }
  | { id: number; fault: Fault }
  | { id: number; event: Event }
  | { question: number; asked: Question }
  | { question: number; gone: true };
