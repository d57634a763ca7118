// Names for types of the package that are found by index.
import type { Embedder, Hit, LogEntry, Memories, Progress, ReviewItem } from 'memfold';

type Result<F extends (...args: never) => unknown> = Awaited<ReturnType<F>>;

export type Analytics = Result<Memories['log']['stats']>;
export type Conflict = NonNullable<LogEntry['conflict']>;
export type Day = Result<Memories['log']['metrics']>['days'][number];
export type DeletePreview = Result<Memories['previewDelete']>;
export type Estimate = Result<Memories['model']['estimate']>;
export type Factors = NonNullable<LogEntry['similarity']>['factors'];
export type Hears = Parameters<Memories['subscribe']>[0];
export type Highlight = Hit['highlights'][number];
export type MergeCandidates = Result<Memories['sleep']['candidates']>[number];
export type NodeHit = Result<Memories['graph']['nodes']>[number];
export type Place = Progress['next'];
export type Pulse = Result<Memories['log']['metrics']>;
export type Relationship = NonNullable<LogEntry['relationship']>;
export type Score = NonNullable<LogEntry['similarity']>;
export type Sent = Result<Memories['model']['sent']>[number];
export type StoredDraft = ReviewItem['draft'];
export type TextKind = Parameters<Embedder['embed']>[1]['kind'];
