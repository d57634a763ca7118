// What the reader can do, as calls to the engine that leave the state right.
import { batch, effect, signal } from '@preact/signals';
import type { Decision, Draft, ImportReport, LogEntry, Memory, PendingReport, Place, Receipt, SleepReport } from 'memfold';
import { ask } from './engine/client';
import { EngineError } from './engine/error';
import type { Event } from './engine/protocol';
import { t } from './i18n';
import { asksOf, dropKey, named } from './model';
import { forgetOwners, ofSample, owners, whose } from './owner';
import { keepOwner, keepUnfinished, mode, save } from './settings';
import { announce, edges, entries, fault, memories, phase, run, unfinished, waiting, type Fault, type Run, type Unfinished } from './state';

const PAGE = 1000;
const SPEAK_EVERY_MS = 4000;

const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('memfold-demo') : undefined;
let stop: AbortController | undefined;
let told = 0;

export const faultOf = (reason: unknown): Fault =>
  reason instanceof EngineError
    ? { code: reason.code, message: reason.message, field: reason.field }
    : { code: 'internal', message: reason instanceof Error ? reason.message : String(reason) };

async function opened(): Promise<void> {
  const owner = owners();
  await ask('open', [
    {
      name: 'memfold-demo',
      policy: mode.value,
      zone: -new Date().getTimezoneOffset(),
      ...(owner.length > 0 ? { owner } : {}),
      ...(named.value ? { mask: named.value.mask, analystTimeout: 60_000 } : {}),
      ...(named.value?.dailyTokens === undefined ? {} : { dailyTokens: named.value.dailyTokens }),
    },
    named.value && asksOf(named.value),
  ]);
}

export async function start(): Promise<void> {
  phase.value = 'opening';
  fault.value = null;
  try {
    await opened();
    await refresh();
    phase.value = 'ready';
  } catch (reason) {
    fault.value = faultOf(reason);
    phase.value = 'failed';
  }
}

/** Opens the store again after a setting that it is opened with has changed. */
export async function reopen(): Promise<void> {
  try {
    await opened();
  } catch (reason) {
    fault.value = faultOf(reason);
    phase.value = 'failed';
  }
}

async function everyMemory(): Promise<Map<string, Memory>> {
  const all = new Map<string, Memory>();
  for (let after: string | undefined; ; ) {
    const page = await ask('list', [{ limit: PAGE, includeSuperseded: true, ...(after ? { after } : {}) }]);
    for (const memory of page) all.set(memory.id, memory);
    const last = page.at(-1);
    if (page.length < PAGE || !last || last.id === after) return all;
    after = last.id;
  }
}

/** Reads memories, links and log anew. */
export async function refresh(): Promise<void> {
  const [all, links, log, open] = await Promise.all([everyMemory(), ask('links', []), ask('log', [{ newestFirst: true }]), ask('reviews', [])]);
  batch(() => {
    memories.value = all;
    edges.value = links.filter((e) => all.has(e.from) && all.has(e.to));
    entries.value = log;
    waiting.value = open.length;
  });
}

/** Whether everything is kept read. A page that shows a part of it lets the rest wait until somebody looks. */
export const keepsUp = signal(true);
let behind = false;

/** Something was written: it is read anew, or when it is next looked at. */
async function renew(): Promise<void> {
  if (keepsUp.value) return refresh();
  behind = true;
  // Whoever asks the engine by themselves asks again.
  entries.value = entries.value.slice();
}

effect(() => {
  if (!keepsUp.value || !behind) return;
  behind = false;
  void refresh().catch((reason) => (fault.value = faultOf(reason)));
});
/** The session of this visit: what is searched in it is remembered better once it ends. */
export const session = `visit-${Date.now().toString(36)}`;

/** Nodes that a run of the sleep cycle looks at: as many as asked for by hand, or by the hour. */
const BY_HAND = 20_000;
const BY_THE_HOUR = 500;
const HOUR_MS = 3_600_000;

/** Lets the memory rest: ends the session, then fades, tags and folds. */
export async function rest({ signal: gone, onReport, maxNodes = BY_HAND }: {
  signal?: AbortSignal;
  onReport?(report: SleepReport): void;
  maxNodes?: number;
} = {}): Promise<SleepReport> {
  await ask('finalizeSession', [session]);
  const onEvent = ({ report }: Event) => report && onReport?.(report);
  const report = await ask('runSleepCycle', [maxNodes], { ...(gone ? { signal: gone } : {}), onEvent });
  if (report.entries.length > 0) {
    await refresh();
    changed();
  }
  return report;
}

/** Lets the memory rest a little by the hour, for as long as the page is open. */
export function restByTheHour(): void {
  setInterval(() => {
    if (phase.value === 'ready' && run.value?.state !== 'running') void rest({ maxNodes: BY_THE_HOUR }).catch(() => undefined);
  }, HOUR_MS);
}

/** The reader's word on what a search found. */
export async function judge(id: string, word: 'up' | 'down', query: string): Promise<void> {
  await ask('feedback', [id, word, query, session]);
  announce(t(word === 'up' ? 'search.judged.up' : 'search.judged.down'));
}

/** Tells the other tabs that there is something new to read. */
function changed(): void {
  tabs?.postMessage('changed');
}

if (tabs) {
  let reading: Promise<void> | undefined;
  let again = false;
  tabs.onmessage = ({ data }) => {
    if (data === 'erased') return void location.reload();
    if ((phase.value !== 'ready' && keepsUp.value) || run.value?.state === 'running') return;
    if (reading) {
      again = true;
      return;
    }
    const read = async (): Promise<void> => {
      await renew().catch(() => undefined);
      if (!again) return;
      again = false;
      await read();
    };
    reading = read().finally(() => (reading = undefined));
  };
}

const noCounts = (): Record<Decision, number> => ({ CREATE: 0, UPDATE: 0, CREATE_AND_LINK: 0, SKIP: 0, DELETE: 0 });

/** By what a file is known again when the page is opened anew; a text that was typed is not. */
function identity(source: Blob | string, name: string): Omit<Unfinished, 'next'> | undefined {
  if (typeof source === 'string') return undefined;
  return { name, size: source.size, modified: source instanceof File ? source.lastModified : 0 };
}

/** Where an earlier import of the same file stopped. */
function stoppedAt(source: Blob | string, name: string): Place | undefined {
  const [left, file] = [unfinished.value, identity(source, name)];
  const same = left && file && left.name === file.name && left.size === file.size && left.modified === file.modified;
  return same ? left.next : undefined;
}

/** Whether an import is about to begin: its file is looked into, or the reader is asked whose it is. */
let begins = false;

/**
 * Folds mail in, with progress, from where an earlier import of the same file stopped. The promise settles when the run
 * has ended, however it ended: with whether all of it was read.
 */
export async function ingest(source: Blob | string, name: string, isSample = false): Promise<boolean> {
  if (begins || run.value?.state === 'running') return false;
  begins = true;
  try {
    const known = isSample ? ofSample() : typeof source === 'string' ? { isNew: false } : await whose(source, name);
    if (known === 'cancel') return false;
    if (known.isNew) await reopen();
    const { owner, sample } = { owner: known.address, sample: isSample };
    return await folded(source, name, { ...(owner ? { owner } : {}), sample });
  } catch (reason) {
    fault.value = faultOf(reason);
    return false;
  } finally {
    begins = false;
  }
}

async function folded(source: Blob | string, name: string, whoseItIs: Pick<Run, 'owner' | 'sample'>): Promise<boolean> {
  const totalBytes = typeof source === 'string' ? undefined : source.size;
  const started = performance.now();
  const from = stoppedAt(source, name) ?? { bytes: 0, mails: 0 };
  stop = new AbortController();
  told = started;
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
    counts: noCounts(),
    replayed: 0,
  };
  let end: Partial<Run>;
  try {
    const report = await ask('ingest', [source, from], { signal: stop.signal, onEvent: onRunEvent });
    end = { state: 'done', report };
    keepUnfinished(null);
  } catch (reason) {
    const problem = faultOf(reason);
    const aborted: Partial<Run> = { state: stop.signal.reason === 'pause' ? 'paused' : 'cancelled' };
    end = problem.code === 'aborted' ? aborted : { state: 'failed', fault: problem };
    if (end.state === 'cancelled') keepUnfinished(null);
  }
  await refresh().catch((reason) => (fault.value = faultOf(reason)));
  const seconds = (performance.now() - started) / 1000;
  run.value = { ...run.value, ...end, seconds };
  announce(outcome(run.value));
  changed();
  return run.value.state === 'done';
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
      const report = await ask('ingest', [bytes.slice(0, one.end), { bytes: one.start, mails: one.index }]);
      still.push(...report.failed.map((f) => ({ ...f, subject: one.subject })));
    } catch (reason) {
      fault.value = faultOf(reason);
      still.push(one);
    }
  }
  await refresh().catch((reason) => (fault.value = faultOf(reason)));
  if (run.value) run.value = { ...run.value, failed: still };
  announce(t('run.unread', { n: still.length }));
  changed();
}

/** Seconds that the rest will take, by what this run has done so far; absent while nothing can be said. */
export function secondsLeft({ progress, from, seconds }: Run): number | undefined {
  const done = progress.bytes - from.bytes;
  if (progress.totalBytes === undefined || seconds < 1 || done <= 0) return undefined;
  return ((progress.totalBytes - progress.bytes) * seconds) / done;
}

function onRunEvent({ progress, receipts }: Event): void {
  const now = run.value;
  if (!now) return;
  const next: Run = { ...now, seconds: (performance.now() - now.startedAt) / 1000 };
  if (progress) next.progress = { ...next.progress, ...progress };
  const fresh: LogEntry[] = [];
  const unread = (receipts ?? []).flatMap((m) => (m.failed ? [{ ...m.failed, subject: m.subject }] : []));
  if (unread.length > 0) next.failed = [...next.failed, ...unread];
  const file = identity(now.source, now.name);
  if (file && progress && progress.next.bytes > now.progress.next.bytes) keepUnfinished({ ...file, next: progress.next });
  for (const mail of receipts ?? []) {
    for (const receipt of mail.receipts) {
      next.now = { entry: receipt.entry, subject: mail.subject };
      if (receipt.replayed) next.replayed++;
      else fresh.unshift(receipt.entry);
    }
  }
  if (fresh.length > 0) {
    next.counts = { ...next.counts };
    for (const entry of fresh) next.counts[entry.decision]++;
  }
  batch(() => {
    run.value = next;
    if (fresh.length > 0) {
      entries.value = [...fresh, ...entries.value];
      keep((receipts ?? []).flatMap((m) => m.receipts));
    }
  });
  // A screen reader that is told everything tells nothing: now and then is enough.
  if (performance.now() - told > SPEAK_EVERY_MS) {
    told = performance.now();
    announce(runningWords(next));
    changed();
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
    created: r.counts.CREATE,
    updated: r.counts.UPDATE,
    linked: r.counts.CREATE_AND_LINK,
    skipped: r.counts.SKIP,
  });

export function outcome(r: Run): string {
  const mails = r.report?.mails ?? r.progress.mails;
  switch (r.state) {
    case 'running':
      return runningWords(r);
    case 'done':
      return t('run.done', { mails, seconds: (Math.round(r.seconds * 10) / 10).toString() });
    case 'paused':
      return t('run.paused', { mails: r.progress.next.mails });
    case 'cancelled':
      return t('run.cancelled', { mails });
    case 'failed':
      return t('run.failed', { mails });
  }
}

/** Decides about a memory that the reader wrote; with `dryRun` nothing is written. */
export async function consolidate(draft: Draft, dryRun: boolean): Promise<Receipt> {
  const receipt = await ask('consolidate', [draft, dryRun]);
  if (!dryRun) {
    await refresh();
    changed();
  }
  return receipt;
}

/** Asks what waits because nobody answered in time or within the day's budget. */
export async function askPending(): Promise<PendingReport> {
  const report = await ask('askPending', []);
  await refresh();
  changed();
  return report;
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

export async function importText(text: string): Promise<ImportReport> {
  const report = await ask('import', [text]);
  await refresh();
  changed();
  return report;
}

async function written(work: Promise<LogEntry>): Promise<LogEntry> {
  const entry = await work;
  await renew();
  changed();
  return entry;
}

/** Takes a decision back. */
export const undo = (entryId: string) => written(ask('undo', [entryId]));

/** Does again what was taken back. */
export const redo = (entryId: string) => written(ask('redo', [entryId]));

/** Deletes memories with their versions; they can be restored. */
export const remove = (ids: string | string[], request?: string) => written(ask('delete', request === undefined ? [ids] : [ids, request]));

export const restore = (id: string) => written(ask('restore', [id]));

/** Erases memories for good. */
export const forget = (ids: string | string[]) => written(ask('forget', [ids]));

/** The owner's word on a decision. */
export const review = (entryId: string, verdict: string) => written(ask('review', [entryId, verdict]));

export async function erase(): Promise<void> {
  dropKey();
  keepUnfinished(null);
  forgetOwners();
  await ask('erase', []);
  tabs?.postMessage('erased');
  run.value = null;
  await start();
}
