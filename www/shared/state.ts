// The page's state: memories, links and log as last read, and the running import.
import { computed, signal } from '@preact/signals';
import type { ChangeToConfirm, Edge, LogEntry, Memory, ReviewItem } from 'memfold';
import type { Failure, MailImportReport, Progress } from 'memfold';
import type { Place } from './types';

/** An error as shown on the page. */
export type Fault = { code: string; message: string; field?: string | undefined };

export type Run = {
  name: string;
  state: 'running' | 'done' | 'paused' | 'cancelled' | 'failed';
  /** The mailbox, while the page has it. */
  source: Blob | string;
  /** The mailbox's owner, if given for this import. */
  owner?: string;
  /** Whether rules alone read it. */
  byRules: boolean;
  /** The sample, if it is one. */
  sample: 'en' | 'ko' | undefined;
  /** The offset where this run started. */
  from: Place;
  /** Mails that could not be read, with their header data. */
  failed: readonly Unread[];
  startedAt: number;
  seconds: number;
  progress: Progress;
  /** Results by outcome. */
  sum: Sum;
  replayed: number;
  /** Earlier decisions that were found again. */
  replays: Set<string>;
  /** The last commit before this import; undoing the import undoes what follows. */
  after: number;
  /** The last commit before this run, which may continue an earlier one. */
  begun: number;
  /** The decisions, oldest first; at the end all entries that an undo of the import undoes. */
  entries: readonly string[];
  /** Mails that yielded memories. */
  sources: Set<string>;
  /** Mails on the "Never remember" list. */
  skipped: number;
  /** Mails without memories: their number and the first of them. */
  taughtNothing: { n: number; listed: readonly { id: string | undefined; subject: string; from: string }[] };
  now?: { entry: LogEntry; subject?: string | undefined };
  report?: MailImportReport;
  /** Why the model was not reached, if so. */
  unreached?: string | undefined;
  fault?: Fault;
};

/** The number of drafts by outcome. */
export type Sum = { kept: number; merged: number; skipped: number; aside: number };

/** A mail that could not be processed. */
export type Unread = Failure & { subject?: string | undefined };

/** An unfinished import: its file and offset. */
export type Unfinished = { name: string; size: number; modified: number; next: Place; after?: number };

export const phase = signal<'opening' | 'ready' | 'failed'>('opening');
export const fault = signal<Fault | null>(null);
export const memories = signal<ReadonlyMap<string, Memory>>(new Map());
export const edges = signal<readonly Edge[]>([]);
/** Newest first. */
export const entries = signal<readonly LogEntry[]>([]);
export const run = signal<Run | null>(null);
/** An unfinished import of this or an earlier visit. */
export const unfinished = signal<Unfinished | null>(null);
/** Pending reviews and changes to confirm, read with the log; `null` until then. */
export const openItems = signal<readonly ReviewItem[] | null>(null);
export const openChanges = signal<readonly ChangeToConfirm[]>([]);
/** The screen reader announcement; set by `announce`. */
export const spoken = signal('');

/** Current memories: neither superseded nor deleted; a summary replaces its sources. */
export const current = computed(() => [...memories.value.values()].filter((m) => !m.supersededBy && !m.deletedAt && m.generation !== 'archived'));

/** Undone entries, without those that were redone. */
export const takenBack = computed(() => {
  const gone = new Set<string>();
  for (const entry of entries.value) if (entry.action === 'undo' && entry.about && !gone.has(entry.id)) gone.add(entry.about);
  return gone;
});

/** Memories that the owner deleted or rejected, unless undone. */
const takenAway = computed(() => {
  const away = new Set<string>();
  for (const e of entries.value) {
    const isDeed = e.action === 'delete' || (e.action === 'review' && e.reasons.some((r) => r.kind === 'rejected'));
    if (isDeed && !takenBack.value.has(e.id)) for (const id of e.touched) away.add(id);
  }
  return away;
});

/**
 * Deleted memories that can be restored, the last of each chain; versions removed by an undo do not
 * count.
 */
export const deleted = computed(() =>
  [...memories.value.values()].filter((m) => !m.supersededBy && m.deletedAt && m.content && m.nodeType === 'memory' && takenAway.value.has(m.id)),
);

const entryOf = computed(() => new Map(entries.value.map((e) => [e.id, e])));

/** The entry whose text describes this one: an undo refers to what it undid. */
function subjectOf(entry: LogEntry): LogEntry {
  let at = entry;
  for (let hops = 0; !at.input && at.about && hops < 10; hops++) {
    const next = entryOf.value.get(at.about);
    if (!next) break;
    at = next;
  }
  return at;
}

/**
 * The text of an entry, or of its memories; empty if erased or if they are not named one by one.
 */
export function inputOf(entry: LogEntry): { text: string; others: number; subject: LogEntry } {
  const subject = subjectOf(entry);
  if (subject.input || subject.action === 'tend') return { text: subject.input, others: 0, subject };
  const heads = subject.touched
    .flatMap((id) => memories.value.get(id) ?? [])
    .filter((m) => m.content && !(m.supersededBy && subject.touched.includes(m.supersededBy)));
  return { text: heads[0]?.content ?? '', others: Math.max(0, heads.length - 1), subject };
}

/** The edges of each memory. */
export const edgesOf = computed(() => {
  const of = new Map<string, Edge[]>();
  for (const edge of edges.value) {
    for (const id of [edge.from, edge.to]) {
      const list = of.get(id);
      if (list) list.push(edge);
      else of.set(id, [edge]);
    }
  }
  return of;
});

/** The current version of a memory. */
export function headOf(id: string): Memory | undefined {
  let memory = memories.value.get(id);
  for (let hops = 0; memory?.supersededBy && hops < 10_000; hops++) {
    const next = memories.value.get(memory.supersededBy);
    if (!next) break;
    memory = next;
  }
  return memory;
}

export const announce = (text: string): void => {
  spoken.value = text;
};
