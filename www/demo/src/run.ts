// Opening the store with the user's settings, and importing mailboxes.
import { batch, effect, signal } from '@preact/signals';
import type { LogEntry, MailReceipt, ModelAnalyst, ModelOptions, Progress, Receipt } from 'memfold';
import { faultOf, refresh, rest, start, undoAll, failedToReach } from '../../shared/actions';
import { zone } from '../../shared/days';
import { never } from '../../shared/forbidden';
import { engine, emitChanges } from '../../shared/engine';
import { seconds, t } from '../../shared/i18n';
import { goTo, route } from '../../shared/router';
import { keepOwner, keepUnfinished, mode, save } from '../../shared/settings';
import { forget as forgetQuestion } from '../../shared/searched';
import { done } from '../../shared/toast';
import { announce, entries, fault, memories, phase, run, takenBack, unfinished, type Run, type Sum, type Unfinished } from '../../shared/state';
import { actionOf } from '../../shared/words';
import { thread } from './engine/client';
import { answer, modelAndOrigin, dropKey, named, type Named } from './model';
import { forgetMails, storeMails } from './mails';
import { forgetOwners, owners, findOwner, sampleOwner } from './owner';
import type { Reread } from './reread';
import type { SampleName } from './samples';

const SPEAK_EVERY_MS = 4000;
/** Interval for showing import progress, because each update blocks the page's thread briefly. */
const SHOW_EVERY_MS = 250;
/** Most nodes of the hourly sleep cycle. */
const HOURLY_NODES = 500;
const HOUR_MS = 3_600_000;
/** Mails without a memory that are listed by name. */
const LISTED = 50;

let stop: AbortController | undefined;
let spokenAt = 0;
/** Offset up to which this run's mails are stored. */
let storedUpTo = 0;

/** The page calls the model, because the worker may not send requests. */
const analyst: ModelAnalyst = (question, { signal }) => answer(question, signal);

const modelOptions = (chosen: Named): ModelOptions => ({
  analyst: Object.assign(analyst.bind(undefined), modelAndOrigin(chosen)),
  mask: chosen.mask,
  timeout: 60_000,
  ...(chosen.dailyTokens === undefined ? {} : { dailyTokens: chosen.dailyTokens }),
});

async function opened(): Promise<void> {
  const owner = owners();
  await thread.open({
    name: 'memfold-demo',
    tell: emitChanges,
    policy: mode.value,
    zone: zone(),
    ...(owner.length > 0 ? { owner } : {}),
    ...(named.value ? { model: modelOptions(named.value) } : {}),
  });
}

export const begin = (): Promise<void> => start(opened);

let reopening: Promise<void> = Promise.resolve();

/** Reopens the store after a changed setting. */
export function reopen(): Promise<void> {
  return (reopening = reopening.then(opened).catch((reason) => {
    fault.value = faultOf(reason);
    phase.value = 'failed';
  }));
}

/** Whether mails are being read, for the first time or again. */
export const isReading = (): boolean => run.value?.state === 'running' || rereading.value?.state === 'running';

/** Waits until no import runs, since reopening the store would stop it. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = effect(() => {
      if (phase.value !== 'ready' || isReading()) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });

/** Runs a short sleep cycle every hour while the page is open. */
export function startHourlyRest(): void {
  setInterval(() => {
    if (phase.value === 'ready' && !isReading()) void rest({ maxNodes: HOURLY_NODES }).catch(() => undefined);
  }, HOUR_MS);
}

const emptySum: Sum = { kept: 0, merged: 0, skipped: 0, aside: 0 };

/** The counter of a decision; each decision counts once. */
function placeOf({ entry, replayed }: Pick<Receipt, 'entry' | 'replayed'>): keyof Sum {
  if (replayed) return 'skipped';
  if (entry.status === 'error' || (entry.needsReview && entry.touched.length === 0)) return 'aside';
  return entry.decision === 'UPDATE' ? 'merged' : entry.decision === 'SKIP' ? 'skipped' : 'kept';
}

/** Identifies a file across visits; typed text has no identity. */
function identity(source: Blob | string, name: string): Omit<Unfinished, 'next'> | undefined {
  if (typeof source === 'string') return undefined;
  return { name, size: source.size, modified: source instanceof File ? source.lastModified : 0 };
}

/** Where an earlier import of the same file stopped. */
function stoppedAt(source: Blob | string, name: string): Unfinished | undefined {
  const [left, file] = [unfinished.value, identity(source, name)];
  const same = left && file && left.name === file.name && left.size === file.size && left.modified === file.modified;
  return same ? left : undefined;
}

/**
 * Bytes after which the mails read so far are stored, so that an interrupted import keeps most of
 * them.
 */
const STORE_EVERY = 2 ** 18;

// Asks before the page is closed during an import.
addEventListener('beforeunload', (event) => {
  if (isReading() || undoProgress.value !== null || redoProgress.value !== null) event.preventDefault();
});

/** Entries written by other tabs. */
const foreignEntries = new Set<string>();
engine.subscribe((changes) => {
  for (const { entry, own } of changes) if (!own) foreignEntries.add(entry);
});

/** The entries that this page has written since, oldest first. */
export const ownEntriesAfter = (after: number): LogEntry[] => entries.value.filter((e) => e.seq > after && !foreignEntries.has(e.id)).reverse();

/** The entries of an import, oldest first, from the log: a stopped mail has no receipt. */
const entriesAfter = (after: number): LogEntry[] => ownEntriesAfter(after).filter((e) => e.sourceId && actionOf(e) === 'consolidate');

/** The reread that runs, or the last one. */
export const rereading = signal<Reread | null>(null);

/** Whether an import is about to start, while its file or owner is checked. */
let isStarting = false;

/**
 * Imports mail with progress, continuing an earlier import of the same file. Resolves when the run
 * ends, with whether all of it was read.
 */
export async function importMail(source: Blob | string, name: string, sample?: SampleName): Promise<boolean> {
  if (isStarting || isReading()) return false;
  isStarting = true;
  try {
    const known = sample ? sampleOwner(sample) : typeof source === 'string' ? { isNew: false } : await findOwner(source, name);
    if (known === 'cancel') return false;
    if (known.isNew) await reopen();
    return await folded(source, name, { ...(known.address ? { owner: known.address } : {}), sample });
  } catch (reason) {
    fault.value = faultOf(reason);
    return false;
  } finally {
    isStarting = false;
  }
}

async function folded(source: Blob | string, name: string, whoseItIs: Pick<Run, 'owner' | 'sample'>): Promise<boolean> {
  await reopening;
  const totalBytes = typeof source === 'string' ? undefined : source.size;
  const started = performance.now();
  const since = Date.now();
  const left = stoppedAt(source, name);
  const begun = entries.value[0]?.seq ?? 0;
  const from = left?.next ?? { bytes: 0, mails: 0 };
  storedUpTo = from.bytes;
  stop = new AbortController();
  spokenAt = started;
  run.value = {
    name,
    state: 'running',
    source,
    byRules: named.value === undefined,
    ...whoseItIs,
    from,
    failed: [],
    startedAt: started,
    seconds: 0,
    progress: { mails: 0, bytes: from.bytes, drafts: 0, next: from, ...(totalBytes === undefined ? {} : { totalBytes }) },
    sum: emptySum,
    replayed: 0,
    replays: new Set(),
    after: left?.after ?? begun,
    begun,
    entries: [],
    sources: new Set(),
    skipped: 0,
    taughtNothing: { n: 0, listed: [] },
  };
  // Stored before the first mail, so that a later visit knows about the import.
  const file = identity(source, name);
  if (file) keepUnfinished({ ...file, next: from, after: run.value.after });
  const told = collectUpdates();
  let end: Partial<Run>;
  try {
    const report = await thread.importMail(source, {
      never: never.value,
      resume: from,
      signal: stop.signal,
      onProgress: told.onProgress,
      onReceipt: told.onReceipt,
    });
    told.show();
    // Suspicious texts have no receipt.
    const sum = { ...(run.value?.sum ?? emptySum) };
    end = { state: 'done', report, sum: { ...sum, aside: sum.aside + report.suspected } };
    keepUnfinished(null);
  } catch (reason) {
    told.show();
    const problem = faultOf(reason);
    const aborted: Partial<Run> = { state: stop.signal.reason === 'pause' ? 'paused' : 'cancelled' };
    end = problem.code === 'aborted' ? aborted : { state: 'failed', fault: problem };
    if (end.state === 'cancelled') keepUnfinished(null);
  }
  await refresh().catch((reason) => (fault.value = faultOf(reason)));
  end = { ...end, ...totalsOf({ ...run.value, ...end }) };
  if (named.value) end.unreached = await failedToReach(since).catch(() => undefined);
  run.value = { ...run.value, ...end, seconds: (performance.now() - started) / 1000 };
  announce(outcome(run.value));
  // An import ends on Today, unless the user has opened another view.
  if (route.value.view === 'inbox') goTo('today');
  const isDone = run.value.state === 'done';
  // A text without memories is stored too if a question refers to its mail.
  const sources = new Set([...run.value.sources, ...entriesAfter(run.value.after).flatMap((e) => e.sourceId ?? [])]);
  // Earlier parts may contain mails of such questions or of an interrupted visit.
  const all = typeof source === 'string' ? new Blob([source]) : source;
  for (const piece of [all.slice(storedUpTo), all.slice(0, storedUpTo)]) void storeMails(piece, sources).catch((reason) => (fault.value = faultOf(reason)));
  return isDone;
}

/** The results of an import, with entries that had no receipt. */
function totalsOf(now: Run): Pick<Run, 'entries' | 'sum' | 'progress'> {
  const written = entriesAfter(now.after);
  const told = new Set(now.entries);
  const untold = now.state === 'done' ? [] : written.filter((e) => !told.has(e.id) && e.seq > now.begun);
  const sum = { ...now.sum };
  const mails = new Set<string>();
  for (const entry of untold) {
    sum[placeOf({ entry, replayed: false })]++;
    if (entry.sourceId && !now.sources.has(entry.sourceId)) mails.add(entry.sourceId);
  }
  for (const id of mails) now.sources.add(id);
  return { entries: written.map((e) => e.id), sum, progress: { ...now.progress, mails: now.progress.mails + mails.size } };
}

export const cancel = (): void => stop?.abort();
export const pause = (): void => stop?.abort('pause');

/** Retries the mails that could not be read, one by one. */
export async function retry(): Promise<void> {
  const before = run.value;
  if (!before || before.state === 'running') return;
  const still: Run['failed'][number][] = [];
  for (const one of before.failed) {
    // The byte range of this mail.
    const { source } = before;
    const bytes = typeof source === 'string' ? new Blob([source]) : source;
    try {
      const report = await thread.importMail(bytes.slice(0, one.end), { never: never.value, resume: { bytes: one.start, mails: one.index } });
      still.push(...report.failed.map((f) => ({ ...f, subject: one.subject })));
    } catch (reason) {
      fault.value = faultOf(reason);
      still.push(one);
    }
  }
  await refresh().catch((reason) => (fault.value = faultOf(reason)));
  if (run.value) run.value = { ...run.value, failed: still, entries: entriesAfter(run.value.after).map((e) => e.id) };
  announce(t('run.unread', { n: still.length }));
}

/** Estimated remaining seconds; undefined if too early. */
export function secondsLeft({ progress, from, seconds }: Run): number | undefined {
  const done = progress.bytes - from.bytes;
  if (progress.totalBytes === undefined || seconds < 1 || done <= 0) return undefined;
  return ((progress.totalBytes - progress.bytes) * seconds) / done;
}

/** Collects progress and receipts; `show` displays the rest at once. */
function collectUpdates(): { onProgress(progress: Progress): void; onReceipt(receipt: MailReceipt): void; show(): void } {
  let progress: Progress | undefined;
  let receipts: MailReceipt[] = [];
  let due: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    clearTimeout(due);
    due = undefined;
    const news = { progress, receipts };
    [progress, receipts] = [undefined, []];
    if (news.progress || news.receipts.length > 0) onRunEvent(news);
  };
  const soon = () => void (due ??= setTimeout(show, SHOW_EVERY_MS));
  return {
    onProgress: (next) => ((progress = next), soon()),
    onReceipt: (receipt) => (receipts.push(receipt), soon()),
    show,
  };
}

function onRunEvent({ progress, receipts }: { progress: Progress | undefined; receipts: MailReceipt[] }): void {
  const now = run.value;
  if (!now) return;
  const next: Run = { ...now, seconds: (performance.now() - now.startedAt) / 1000 };
  if (progress) next.progress = { ...next.progress, ...progress };
  const fresh: LogEntry[] = [];
  const { sources } = next;
  const unread = receipts.flatMap((m) => (m.failed ? [{ ...m.failed, subject: m.subject }] : []));
  if (unread.length > 0) next.failed = [...next.failed, ...unread];
  const file = identity(now.source, now.name);
  if (file && progress && progress.next.bytes > now.progress.next.bytes) keepUnfinished({ ...file, next: progress.next, after: now.after });
  for (const mail of receipts) {
    for (const receipt of mail.receipts) {
      next.now = { entry: receipt.entry, subject: mail.subject };
      if (receipt.replayed) {
        next.replayed++;
        next.replays.add(receipt.entry.id);
      } else fresh.unshift(receipt.entry);
    }
  }
  const sum = { ...next.sum };
  next.skipped += receipts.filter((mail) => mail.excluded).length;
  const silent = receipts.filter((mail) => mail.receipts.length === 0 && !mail.failed && !mail.excluded);
  if (silent.length > 0) {
    const { n, listed } = next.taughtNothing;
    const more = silent.slice(0, LISTED - listed.length).map(({ messageId, subject = '', from = '' }) => ({ id: messageId, subject, from }));
    next.taughtNothing = { n: n + silent.length, listed: [...listed, ...more] };
  }
  for (const mail of receipts) {
    for (const receipt of mail.receipts) sum[placeOf(receipt)]++;
    if (mail.messageId && mail.receipts.length > 0) sources.add(mail.messageId);
  }
  next.sum = sum;
  if (progress && typeof now.source !== 'string' && progress.next.bytes - storedUpTo >= STORE_EVERY) {
    const piece = now.source.slice(storedUpTo, progress.next.bytes);
    storedUpTo = progress.next.bytes;
    void storeMails(piece, new Set(sources)).catch((reason) => (fault.value = faultOf(reason)));
  }
  if (fresh.length > 0) next.entries = [...next.entries, ...fresh.map((e) => e.id).reverse()];
  batch(() => {
    run.value = next;
    if (fresh.length > 0) {
      entries.value = [...fresh, ...entries.value];
      keep(receipts.flatMap((m) => m.receipts));
    }
  });
  // Announcements are limited, so that a screen reader is not flooded.
  if (performance.now() - spokenAt > SPEAK_EVERY_MS) {
    spokenAt = performance.now();
    announce(runningWords(next));
  }
}

/** Shows new memories before the next full read. */
function keep(receipts: readonly Receipt[]): void {
  const all = new Map(memories.value);
  for (const { memory } of receipts) {
    if (!memory) continue;
    all.set(memory.id, memory);
    const before = memory.previousVersionId && all.get(memory.previousVersionId);
    if (before && !before.supersededBy) all.set(before.id, { ...before, supersededBy: memory.id });
  }
  memories.value = all;
}

const runningWords = (r: Run): string =>
  t('run.live', {
    mails: r.progress.mails,
    ...r.sum,
  });

export function outcome(r: Run): string {
  const mails = r.report?.mails ?? r.progress.mails;
  switch (r.state) {
    case 'running':
      return runningWords(r);
    case 'done':
      return t('run.done', { mails, time: seconds(r.seconds) });
    case 'paused':
      return t('run.paused', { mails: r.progress.next.mails });
    case 'cancelled':
      return t('run.cancelled', { mails });
    case 'failed':
      return t('run.failed', { mails });
  }
}

/** Progress of undoing an import, while it runs. */
export const undoProgress = signal<number | null>(null);

/** The entries of an import that an earlier visit did not finish. */
export const unfinishedEntries = (): string[] => entriesAfter(unfinished.value?.after ?? Infinity).map((e) => e.id);

/** Undoes the last import, or one that an earlier visit did not finish. */
export async function undoImport(): Promise<void> {
  const now = run.value;
  if (isReading() || undoProgress.value !== null || redoProgress.value !== null) return;
  rereading.value = null;
  undoProgress.value = 0;
  try {
    const { taken, stay } = await undoAll(now?.entries ?? unfinishedEntries(), (n) => (undoProgress.value = n));
    run.value = null;
    // Its state can no longer be resumed.
    if (!now || stoppedAt(now.source, now.name)) keepUnfinished(null);
    done([t('undo.import.done', { n: taken }), ...(stay > 0 ? [t('undo.import.stay', { n: stay })] : [])].join(' '));
  } catch (reason) {
    fault.value = faultOf(reason);
  } finally {
    undoProgress.value = null;
  }
}

/** Progress of redoing an undone import, while it runs. */
export const redoProgress = signal<number | null>(null);

/**
 * Undone decisions about the mails of a run: a mail is read only once, so they were not decided
 * again.
 */
export const undoneBefore = ({ replays }: Run): string[] => [...replays].filter((id) => takenBack.value.has(id));

/** Redoes undone decisions about mails that were read again. */
export async function redoImport(): Promise<void> {
  const now = run.value;
  if (!now || now.state === 'running' || undoProgress.value !== null || redoProgress.value !== null) return;
  redoProgress.value = 0;
  try {
    const gone = new Set(undoneBefore(now));
    // Undoing an undo is a redo; the first decision comes first, because it was undone last.
    const undos = entries.value.filter((e) => e.action === 'undo' && e.about && gone.has(e.about) && !takenBack.value.has(e.id)).map((e) => e.id);
    const { taken, stay, by } = await undoAll(undos.reverse(), (n) => (redoProgress.value = n));
    const words = [t('again.done', { n: taken }), ...(stay > 0 ? [t('again.stay', { n: stay })] : [])].join(' ');
    done(words, async () => {
      const { taken: again } = await undoAll(by);
      done(t('undo.import.done', { n: again }));
    });
  } catch (reason) {
    fault.value = faultOf(reason);
  } finally {
    redoProgress.value = null;
  }
}

export async function setMode(next: 'fast' | 'balanced'): Promise<void> {
  mode.value = next;
  save({ mode: next });
  await reopen();
}

export async function setOwner(addresses: string[]): Promise<void> {
  keepOwner(addresses, false);
  await reopen();
}

export async function erase(): Promise<void> {
  dropKey();
  keepUnfinished(null);
  forgetOwners();
  await forgetMails().catch(() => undefined);
  await thread.erase();
  run.value = null;
  forgetQuestion();
  await begin();
}
