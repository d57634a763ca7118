// Exports that all entry points share. Types of the engine's values are generated; the others are found by index, such as
// `Memory['statements']`.
export { MemfoldError } from './error.js';
export { Memories } from './memories.js';

// Opening.
export type { OpenOptions, StorageOptions } from './options.js';
export type { Durability, ObjectStorage, Scope } from './place.js';
export type { StorageAdapter } from './storage.js';
export type { Change, Stop } from './changes.js';
export type { Trouble } from './troubles.js';

// Models and embedders.
export type { Endpoint, EndpointReport, ModelAnalyst, ModelOptions, Question, SpokenReply } from './model.js';
export type { Embedder, EmbeddingsEndpoint } from './embeddings.js';
export type { ModelFault, Usage } from './types.js';

// Adding.
export type { AddOptions, DraftOptions, ImportMailOptions, Progress, TextOptions } from './memories.js';
export type { MailReceipt, Receipt, Receipts } from './receipts.js';
export type { Source } from './source.js';
export type { Draft, Failure, MailImportReport, Metadata, Turn } from './types.js';

// Memories, and finding them.
export type { AskOptions } from './memories.js';
export type { ContextOptions, PromptText } from './context.js';
export type { Answered, Category, Edge, Hit, ListOptions, Memory, Relation, SearchOptions, Statement } from './types.js';

// Decisions and the log.
export type {
  ChangeToConfirm,
  Code,
  Comparison,
  Decision,
  KeyFactor,
  LogEntry,
  LogQuery,
  PropertyChange,
  Reason,
  ReviewItem,
  Status,
} from './types.js';

// Sync, sleep and the whole store.
export type { Feed, ImportReport, SleepReport } from './types.js';
