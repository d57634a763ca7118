// What the reader can do with what is known, as calls to the engine that leave the state right.
import { batch, effect, signal } from '@preact/signals';
import type { Draft, ImportReport, LogEntry, Memories, Memory, PendingReport, Receipt, SleepReport } from 'memfold';
import { engine } from './engine';
import { EngineError } from './engine/error';
import { t } from './i18n';
import { announce, edges, entries, fault, memories, phase, run, waiting, type Fault } from './state';

const PAGE = 1000;

const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('memfold-demo') : undefined;

export const faultOf = (reason: unknown): Fault =>
  reason instanceof EngineError
    ? { code: reason.code, message: reason.message, field: reason.field }
    : { code: 'internal', message: reason instanceof Error ? reason.message : String(reason) };

/** Opens the store by `open`, and reads what is there. */
export async function start(open: () => Promise<void>): Promise<void> {
  phase.value = 'opening';
  fault.value = null;
  try {
    await open();
    await refresh();
    phase.value = 'ready';
  } catch (reason) {
    fault.value = faultOf(reason);
    phase.value = 'failed';
  }
}

async function everyMemory(): Promise<Map<string, Memory>> {
  const all = new Map<string, Memory>();
  for (let after: string | undefined; ; ) {
    const page = await engine.list({ limit: PAGE, includeSuperseded: true, ...(after ? { after } : {}) });
    for (const memory of page) all.set(memory.id, memory);
    const last = page.at(-1);
    if (page.length < PAGE || !last || last.id === after) return all;
    after = last.id;
  }
}

/** Reads memories, links and log anew. */
export async function refresh(): Promise<void> {
  const [all, links, log, open] = await Promise.all([everyMemory(), engine.graph.edges(), engine.data.log({ newestFirst: true }), engine.review.list()]);
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

/** Nodes that a run of the sleep cycle looks at where it is asked for by hand. */
const BY_HAND = 20_000;

/** Lets the memory rest: ends the session, then fades, tags and folds. */
export async function rest({ signal: gone, onReport, maxNodes = BY_HAND }: {
  signal?: AbortSignal;
  onReport?(report: SleepReport): void;
  maxNodes?: number;
} = {}): Promise<SleepReport> {
  await engine.sleep.endSession(session);
  const report = await engine.sleep.run({ maxNodes, ...(gone ? { signal: gone } : {}), ...(onReport ? { onProgress: onReport } : {}) });
  if (report.entries.length > 0) {
    await refresh();
    tellTabs('changed');
  }
  return report;
}

/** The reader's word on what a search found. */
export async function judge(id: string, word: 'up' | 'down', query: string): Promise<void> {
  await engine.review.feedback(id, word, { query, session });
  announce(t(word === 'up' ? 'search.judged.up' : 'search.judged.down'));
}

/** Tells the other tabs that there is something new to read, or that all is gone. */
export function tellTabs(what: 'changed' | 'erased'): void {
  tabs?.postMessage(what);
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

/** Decides about a memory that the reader wrote; with `dryRun` nothing is written. */
export async function consolidate(draft: Draft, dryRun: boolean): Promise<Receipt> {
  const receipt = await engine.consolidate(draft, { dryRun });
  if (!dryRun) {
    await refresh();
    tellTabs('changed');
  }
  return receipt;
}

/** Asks what waits because nobody answered in time or within the day's budget. */
export async function askPending(): Promise<PendingReport> {
  const report = await engine.model.askPending();
  await refresh();
  tellTabs('changed');
  return report;
}

export async function importText(text: string): Promise<ImportReport> {
  const report = await engine.data.import(text);
  await refresh();
  tellTabs('changed');
  return report;
}

async function written(work: Promise<LogEntry>): Promise<LogEntry> {
  const entry = await work;
  await renew();
  tellTabs('changed');
  return entry;
}

/** Takes a decision back. */
export const undo = (entryId: string) => written(engine.undo(entryId));

/** Does again what was taken back. */
export const redo = (entryId: string) => written(engine.redo(entryId));

/** Deletes memories with their versions; they can be restored. */
export const remove = (ids: string | string[], request?: string) => written(engine.delete(ids, request === undefined ? {} : { request }));

export const restore = (id: string) => written(engine.restore(id));

/** Erases memories for good. */
export const forget = (ids: string | string[]) => written(engine.data.forget(ids));

/** What its owner may say of a decision. */
export type Verdict = Parameters<Memories['review']['decide']>[1];

/** The owner's word on a decision. */
export const review = (entryId: string, verdict: Verdict) => written(engine.review.decide(entryId, verdict));

