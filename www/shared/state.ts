// What the page knows: the memories, links and log as last read, and the run under way.
import { computed, signal } from '@preact/signals';
import type { Edge, LogEntry, Memory } from 'memfold';
import type { Failure, IngestReport, Place, Progress } from 'memfold';

/** A failure as the page shows it. */
export type Fault = { code: string; message: string; field?: string | undefined };

export type Run = {
  name: string;
  state: 'running' | 'done' | 'paused' | 'cancelled' | 'failed';
  /** What is read, while the page has it. */
  source: Blob | string;
  /** Whose mailbox it is, where that was told for this run. */
  owner?: string;
  /** Which sample it is, if it is one. */
  sample: 'en' | 'ko' | undefined;
  /** Where this run began: behind what an earlier one had done. */
  from: Place;
  /** Mails that could not be read, each with what the header told. */
  failed: readonly Unread[];
  startedAt: number;
  seconds: number;
  progress: Progress;
  /** What became of what was found. */
  sum: Sum;
  replayed: number;
  /** The decisions of an earlier reading that were met again. */
  replays: Set<string>;
  /** The commit before the first of this import: what an undo of it takes back lies behind. */
  after: number;
  /** The commit before the first of this run, which may go on from an earlier one. */
  begun: number;
  /** What was decided, oldest first. At its end all that it wrote, told or not: what an undo of the import takes back. */
  entries: readonly string[];
  /** The mails that taught something. */
  sources: Set<string>;
  /** How many mails were skipped since they are never remembered. */
  skipped: number;
  /** How many mails taught nothing, and the first of them. */
  taughtNothing: { n: number; listed: readonly { id: string | undefined; subject: string; from: string }[] };
  now?: { entry: LogEntry; subject?: string | undefined };
  report?: IngestReport;
  /** Why the model was not reached, if it was not. */
  unreached?: string | undefined;
  fault?: Fault;
};

/** What was found, by what became of it; together they are all that was found. */
export type Sum = { kept: number; merged: number; skipped: number; aside: number };

/** A mail that could not be handled. */
export type Unread = Failure & { subject?: string | undefined };

/** An import that has not come to its end: which file, and how far it came. */
export type Unfinished = { name: string; size: number; modified: number; next: Place; after?: number };

export const phase = signal<'opening' | 'ready' | 'failed'>('opening');
export const fault = signal<Fault | null>(null);
export const memories = signal<ReadonlyMap<string, Memory>>(new Map());
export const edges = signal<readonly Edge[]>([]);
/** Newest first. */
export const entries = signal<readonly LogEntry[]>([]);
export const run = signal<Run | null>(null);
/** What an earlier visit, or this one, left unfinished. */
export const unfinished = signal<Unfinished | null>(null);
/** How many decisions wait for a review. */
export const waiting = signal(0);
/** What the screen reader is told; set through `announce`. */
export const spoken = signal('');

/** What is known now: neither superseded nor deleted, and a summary instead of what it stands for. */
export const current = computed(() =>
  [...memories.value.values()].filter((m) => !m.supersededBy && !m.deletedAt && m.generation !== 'archived'),
);


/** The entries that were taken back and not done again; an undo that was itself undone does not count. */
export const takenBack = computed(() => {
  const gone = new Set<string>();
  for (const entry of entries.value) if (entry.action === 'undo' && entry.about && !gone.has(entry.id)) gone.add(entry.about);
  return gone;
});

/** What its owner deleted or turned down, while that stands. */
const takenAway = computed(() => {
  const away = new Set<string>();
  for (const e of entries.value) {
    const isDeed = e.action === 'delete' || (e.action === 'review' && e.reasons.some((r) => r.kind === 'rejected'));
    if (isDeed && !takenBack.value.has(e.id)) for (const id of e.touched) away.add(id);
  }
  return away;
});

/** Memories that their owner deleted and that can come back, the last of each chain; what an undo left of a version is none. */
export const deleted = computed(() =>
  [...memories.value.values()].filter((m) => !m.supersededBy && m.deletedAt && m.content && m.nodeType === 'memory' && takenAway.value.has(m.id)),
);

const entryOf = computed(() => new Map(entries.value.map((e) => [e.id, e])));

/** What an entry is about: an undo has no words of its own and is about what it took back. */
function subjectOf(entry: LogEntry): LogEntry {
  let at = entry;
  for (let hops = 0; !at.input && at.about && hops < 10; hops++) {
    const next = entryOf.value.get(at.about);
    if (!next) break;
    at = next;
  }
  return at;
}

/** The words that an entry is about, or those of the memories that it was done to; none where they are erased, or are not meant one by one. */
export function inputOf(entry: LogEntry): { text: string; others: number; subject: LogEntry } {
  const subject = subjectOf(entry);
  if (subject.input || subject.action === 'tend') return { text: subject.input, others: 0, subject };
  const heads = subject.touched.flatMap((id) => memories.value.get(id) ?? []).filter((m) => m.content && !(m.supersededBy && subject.touched.includes(m.supersededBy)));
  return { text: heads[0]?.content ?? '', others: Math.max(0, heads.length - 1), subject };
}

/** The edges at each memory. */
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

/** The version of a memory's chain that holds now. */
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
