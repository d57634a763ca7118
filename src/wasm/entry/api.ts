// What every entry of the package gives beside its way to the engine. Types of values are those of Rust.
export { MemfoldError } from './error.js';
export { Memories } from './memories.js';
export type { Change, Hears, Stop, Writer } from './changes.js';
export type { Embedder, EmbeddingsEndpoint } from './embeddings.js';
export type { Sealed } from './holding.js';
export type { Data, LoggedEntry } from './data.js';
export type { Graph } from './graph.js';
export type { Live, LiveSource } from './live.js';
export type { AskCall, ConsolidateCall, IngestCall, Progress, SearchCall } from './memories.js';
export type { Endpoint, EndpointCode, EndpointReport, ModelAnalyst, ModelReply, Question, SpokenAnalyst, SpokenReply } from './model.js';
export type { LastFailure, Models, ReembedCall } from './models.js';
export type { OpenOptions } from './open.js';
export type { Durability, ObjectStorage, Scope } from './place.js';
export type { Review } from './review.js';
export type { Sleep, SleepCall } from './sleep.js';
export type { Source } from './source.js';
export type { Exchanged, Sync, SyncCall } from './sync.js';
export type * from './types.js';
