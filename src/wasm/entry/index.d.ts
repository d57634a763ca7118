// The face of the package. Values are the Rust types, made into TypeScript by the build.
import type {
  Analytics, Category, Code, Comparison, Draft, Edge, Hit, ImportReport, ListOptions, LogEntry, LogQuery, Memory,
  Mode, OpenOptions, Receipt, Related, SearchOptions, IngestReport, MailReceipt,
} from './types.js';

export type * from './types.js';

/** Opens a memory. The engine is loaded at the first call. */
export function open(options?: Partial<OpenOptions>): Promise<Memories>;

/** Decides a single pair as an empty memory that holds `existing` would. Nothing is stored and nothing is asked. */
export function compare(existing: NewMemory, next: NewMemory, options?: { mode?: Mode }): Promise<Comparison>;
