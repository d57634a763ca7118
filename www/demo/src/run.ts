// What this page alone can do: it opens the store as its reader has chosen, and reads mailboxes.
import { batch, effect, signal } from '@preact/signals';
import type { LogEntry, MailReceipt, ModelAnalyst, Progress, Receipt } from 'memfold';
import { faultOf, refresh, rest, start, undoAll, unreached } from '../../shared/actions';
import { zone } from '../../shared/days';
import { never } from '../../shared/forbidden';
import { SKIPPED } from '../../shared/never';
import { engine, hear } from '../../shared/engine';
import { seconds, t } from '../../shared/i18n';
import { goTo, route } from '../../shared/router';
import { keepOwner, keepUnfinished, mode, save } from '../../shared/settings';
import { forget as forgetQuestion } from '../../shared/searched';
import { done } from '../../shared/toast';
import { announce, entries, fault, memories, phase, run, takenBack, unfinished, type Run, type Sum, type Unfinished } from '../../shared/state';
import { actionOf } from '../../shared/words';
import { thread } from './engine/client';
import { answer, asksOf, dropKey, named } from './model';
import { forgetMails, putAway } from './mails';
import { forgetOwners, ofSample, owners, whose } from './owner';
import type { SampleName } from './samples';

const SPEAK_EVERY_MS = 4000;
/** For so long what an import tells is taken together: each showing of it costs the page's thread a moment. */
const SHOW_EVERY_MS = 250;
/** Nodes that a run of the sleep cycle looks at by the hour. */
const BY_THE_HOUR = 500;
const HOUR_MS = 3_600_000;
/** Mails without a memory that are kept by name. */
const LISTED = 50;

let stop: AbortController | undefined;
let spokenAt = 0;
/** Up to where the mails of the run under way are put away. */
let put = 0;

/** The page asks in place of the engine's thread, which has no way out. */
const analyst: ModelAnalyst = (question, { signal }) => answer(question, signal);

async function opened(): Promise<void> {
  const owner = owners();
  await thread.open({
    name: 'memfold-demo',
    tell: hear,
    policy: mode.value,
    zone: zone(),
    ...(owner.length > 0 ? { owner } : {}),
    ...(named.value ? { analyst: Object.assign(analyst.bind(undefined), asksOf(named.value)), mask: named.value.mask, analystTimeout: 60_000 } : {}),
    ...(named.value?.dailyTokens === undefined ? {} : { dailyTokens: named.value.dailyTokens }),
  });
}

export const begin = (): Promise<void> => start(opened);

let reopening: Promise<void> = Promise.resolve();

/** Opens the store again after a setting that it is opened with has changed. */
export function reopen(): Promise<void> {
  return (reopening = reopening.then(opened).catch((reason) => {
    fault.value = faultOf(reason);
    phase.value = 'failed';
  }));
}

/** Waits until no import runs: reopening the store would end it. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = effect(() => {
      if (phase.value !== 'ready' || run.value?.state === 'running') return;
      resolve();
      queueMicrotask(() => stop());
    });
  });

/** Lets the memory rest a little by the hour, for as long as the page is open. */
export function restByTheHour(): void {
  setInterval(() => {
    if (phase.value === 'ready' && run.value?.state !== 'running') void rest({ maxNodes: BY_THE_HOUR }).catch(() => undefined);
  }, HOUR_MS);
}

const nothing: Sum = { kept: 0, merged: 0, skipped: 0, aside: 0 };

/** Where a decision counts: every one in one place, so that the sum is what was found. */
function placeOf({ entry, replayed }: Pick<Receipt, 'entry' | 'replayed'>): keyof Sum {
  if (replayed) return 'skipped';
  if (entry.status === 'error' || (entry.needsReview && entry.touched.length === 0)) return 'aside';
  return entry.decision === 'UPDATE' ? 'merged' : entry.decision === 'SKIP' ? 'skipped' : 'kept';
}

/** By what a file is known again when the page is opened anew; a text that was typed is not. */
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

/** Bytes of a mailbox behind which its mails are put away while it is read: of an import that breaks off most are there. */
const PUT_EVERY = 2 ** 18;

// Whoever closes the page in the middle of an import is asked once more.
addEventListener('beforeunload', (event) => {
  if (run.value?.state === 'running' || takingBack.value !== null || bringingBack.value !== null) event.preventDefault();
});

/** What other tabs have written while this page is open. */
const elsewhere = new Set<string>();
engine.subscribe((changes) => {
  for (const { entry, own } of changes) if (!own) elsewhere.add(entry);
});

/** All that an import wrote, oldest first, as the log has it: what was in work when it was stopped comes with no receipt. */
const writtenBehind = (after: number): LogEntry[] =>
  entries.value.filter((e) => e.seq > after && e.sourceId && actionOf(e) === 'consolidate' && !elsewhere.has(e.id)).reverse();

/** Whether an import is about to begin: its file is looked into, or the reader is asked whose it is. */
let begins = false;

/**
 * Folds mail in, with progress, from where an earlier import of the same file stopped. The promise settles when the run
 * has ended, however it ended: with whether all of it was read.
 */
export async function ingest(source: Blob | string, name: string, sample?: SampleName): Promise<boolean> {
  if (begins || run.value?.state === 'running') return false;
  begins = true;
  try {
    const known = sample ? await ofSample(sample) : typeof source === 'string' ? { isNew: false } : await whose(source, name);
    if (known === 'cancel') return false;
    if (known.isNew) await reopen();
    return await folded(source, name, { ...(known.address ? { owner: known.address } : {}), sample });
  } catch (reason) {
    fault.value = faultOf(reason);
    return false;
  } finally {
    begins = false;
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
  put = from.bytes;
  stop = new AbortController();
  spokenAt = started;
  run.value = {
    name,
    state: 'running',
    source,
    ...whoseItIs,
    from,
    failed: [],
    startedAt: started,
    seconds: 0,
    progress: { mails: 0, bytes: from.bytes, drafts: 0, next: from, ...(totalBytes === undefined ? {} : { totalBytes }) },
    sum: nothing,
    replayed: 0,
    replays: new Set(),
    after: left?.after ?? begun,
    begun,
    entries: [],
    sources: new Set(),
    skipped: 0,
    taughtNothing: { n: 0, listed: [] },
  };
  // Also where not a piece of it has been read by then, a next visit knows that it was begun.
  const file = identity(source, name);
  if (file) keepUnfinished({ ...file, next: from, after: run.value.after });
  const told = gathered();
  let end: Partial<Run>;
  try {
    const report = await thread.ingest(source, { never: never.value, resume: from, signal: stop.signal, onProgress: told.onProgress, onReceipt: told.onReceipt });
    told.show();
    // What speaks to an assistant comes with no receipt.
    const sum = { ...(run.value?.sum ?? nothing) };
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
  end = { ...end, ...allOf({ ...run.value, ...end }) };
  if (named.value) end.unreached = await unreached(since).catch(() => undefined);
  run.value = { ...run.value, ...end, seconds: (performance.now() - started) / 1000 };
  announce(outcome(run.value));
  // An import ends on Today, unless its reader looks at something else.
  if (route.value.view === 'inbox') goTo('today');
  const isDone = run.value.state === 'done';
  // A text of which nothing was made waits with its question, which leads to its mail.
  const sources = new Set([...run.value.sources, ...writtenBehind(run.value.after).flatMap((e) => e.sourceId ?? [])]);
  // Before what is left there may be mails of such questions, and those of an earlier visit that broke off.
  const all = typeof source === 'string' ? new Blob([source]) : source;
  for (const piece of [all.slice(put), all.slice(0, put)]) void putAway(piece, sources).catch((reason) => (fault.value = faultOf(reason)));
  return isDone;
}

/** What an import came to, with what it wrote and did not tell. */
function allOf(now: Run): Pick<Run, 'entries' | 'sum' | 'progress'> {
  const written = writtenBehind(now.after);
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

/** Reads again the mails that could not be read, one by one. */
export async function retry(): Promise<void> {
  const before = run.value;
  if (!before || before.state === 'running') return;
  const still: Run['failed'][number][] = [];
  for (const one of before.failed) {
    // The bytes to its end, from where it begins: this mail alone.
    const { source } = before;
    const bytes = typeof source === 'string' ? new Blob([source]) : source;
    try {
      const report = await thread.ingest(bytes.slice(0, one.end), { never: never.value, resume: { bytes: one.start, mails: one.index } });
      still.push(...report.failed.map((f) => ({ ...f, subject: one.subject })));
    } catch (reason) {
      fault.value = faultOf(reason);
      still.push(one);
    }
  }
  await refresh().catch((reason) => (fault.value = faultOf(reason)));
  if (run.value) run.value = { ...run.value, failed: still, entries: writtenBehind(run.value.after).map((e) => e.id) };
  announce(t('run.unread', { n: still.length }));
}

/** Seconds that the rest will take, by what this run has done so far; absent while nothing can be said. */
export function secondsLeft({ progress, from, seconds }: Run): number | undefined {
  const done = progress.bytes - from.bytes;
  if (progress.totalBytes === undefined || seconds < 1 || done <= 0) return undefined;
  return ((progress.totalBytes - progress.bytes) * seconds) / done;
}

/** What an import tells, taken together; `show` shows the rest of it at once. */
function gathered(): { onProgress(progress: Progress): void; onReceipt(receipt: MailReceipt): void; show(): void } {
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

const isSkipped = ({ from }: MailReceipt): boolean => from === SKIPPED;

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
  next.skipped += receipts.filter(isSkipped).length;
  const silent = receipts.filter((mail) => mail.receipts.length === 0 && !mail.failed && !isSkipped(mail));
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
  if (progress && typeof now.source !== 'string' && progress.next.bytes - put >= PUT_EVERY) {
    const piece = now.source.slice(put, progress.next.bytes);
    put = progress.next.bytes;
    void putAway(piece, new Set(sources)).catch((reason) => (fault.value = faultOf(reason)));
  }
  if (fresh.length > 0) next.entries = [...next.entries, ...fresh.map((e) => e.id).reverse()];
  batch(() => {
    run.value = next;
    if (fresh.length > 0) {
      entries.value = [...fresh, ...entries.value];
      keep(receipts.flatMap((m) => m.receipts));
    }
  });
  // A screen reader that is told everything tells nothing: now and then is enough.
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

/** How far the taking back of an import is, while it is under way. */
export const takingBack = signal<number | null>(null);

/** What the import that an earlier visit did not finish has written. */
export const writtenBefore = (): string[] => writtenBehind(unfinished.value?.after ?? Infinity).map((e) => e.id);

/** Takes back everything that the last import decided, or the one that an earlier visit did not finish. */
export async function undoImport(): Promise<void> {
  const now = run.value;
  if (now?.state === 'running' || takingBack.value !== null || bringingBack.value !== null) return;
  takingBack.value = 0;
  try {
    const { taken, stay } = await undoAll(now?.entries ?? writtenBefore(), (n) => (takingBack.value = n));
    run.value = null;
    // What it would go on from is gone.
    if (!now || stoppedAt(now.source, now.name)) keepUnfinished(null);
    done([t('undo.import.done', { n: taken }), ...(stay > 0 ? [t('undo.import.stay', { n: stay })] : [])].join(' '));
  } catch (reason) {
    fault.value = faultOf(reason);
  } finally {
    takingBack.value = null;
  }
}

/** How far the bringing back of what was taken back is, while it is under way. */
export const bringingBack = signal<number | null>(null);

/** The decisions about the mails of a run that were taken back before: a mail is read once, so nothing came of them. */
export const goneBefore = ({ replays }: Run): string[] => [...replays].filter((id) => takenBack.value.has(id));

/** Does again what an earlier reading of the same mails decided and its reader took back. */
export async function bringBack(): Promise<void> {
  const now = run.value;
  if (!now || now.state === 'running' || takingBack.value !== null || bringingBack.value !== null) return;
  bringingBack.value = 0;
  try {
    const gone = new Set(goneBefore(now));
    // To take an undo back is to do it again, the first decision first: it was taken back last.
    const undos = entries.value.filter((e) => e.action === 'undo' && e.about && gone.has(e.about) && !takenBack.value.has(e.id)).map((e) => e.id);
    const { taken, stay, by } = await undoAll(undos.reverse(), (n) => (bringingBack.value = n));
    const words = [t('again.done', { n: taken }), ...(stay > 0 ? [t('again.stay', { n: stay })] : [])].join(' ');
    done(words, async () => {
      const { taken: again } = await undoAll(by);
      done(t('undo.import.done', { n: again }));
    });
  } catch (reason) {
    fault.value = faultOf(reason);
  } finally {
    bringingBack.value = null;
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
