// What every entry of the package gives beside its way to the engine. Types of values are those of Rust.
export { MemfoldError } from './error.js';
export { endpointAnalyst } from './model.js';
export { Memories } from './memories.js';
export type { Embedder, EmbeddingsEndpoint } from './embeddings.js';
export type { Sealed } from './holding.js';
export type { AskCall, ConsolidateCall, Exchanged, IngestCall, Progress, ReembedCall, SearchCall, SleepCall, SyncCall } from './memories.js';
export type { Endpoint, EndpointCode, EndpointReport, ModelAnalyst, ModelReply, Question, SpokenReply } from './model.js';
export type { ObjectStorage, OpenOptions } from './open.js';
export type { Source } from './source.js';
export type * from './types.js';
