// What the reader can do with what is known, as calls to the engine that leave the state right.
import { batch, effect, signal } from '@preact/signals';
import type { Draft, ImportReport, LogEntry, Memories, Memory, PendingReport, Receipt, SleepReport } from 'memfold';
import { engine } from './engine';
import { EngineError } from './engine/error';
import { t } from './i18n';
import { logOf } from './log';
import { drop, sourcesOf } from './mails';
import { chainOf } from './matters';
import { announce, edges, entries, fault, headOf, memories, phase, run, waiting, type Fault } from './state';
import { done } from './toast';
import { faultWords } from './words';

/** What is read at a time: more at once would hold the page's thread up while it arrives. */
const PAGE = 250;

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
  const [all, links, log, open] = await Promise.all([everyMemory(), engine.graph.edges(), logOf(), engine.review.list()]);
  batch(() => {
    memories.value = all;
    edges.value = links.filter((e) => all.has(e.from) && all.has(e.to));
    // A preview is no decision.
    entries.value = log.filter((e) => e.status !== 'dry_run');
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

/** What is done by hand is said where it was done, with the way back. */
async function told(work: Promise<LogEntry>, words: string, back = true): Promise<LogEntry> {
  const entry = await work;
  done(words, back ? () => quietly(undo(entry.id)) : undefined);
  return entry;
}

const quietly = (work: Promise<unknown>): Promise<void> => work.then(() => undefined, (reason) => done(faultWords(faultOf(reason))));

/** Takes a decision back. */
export async function undo(entryId: string): Promise<LogEntry> {
  const entry = await written(engine.undo(entryId));
  done(t('explain.undone'), () => quietly(redo(entryId)), true);
  return entry;
}

/** Does again what was taken back. */
export async function redo(entryId: string): Promise<LogEntry> {
  const entry = await written(engine.redo(entryId));
  done(t('explain.redone'), () => quietly(undo(entryId)));
  return entry;
}

/** Takes many decisions back, the latest first; how many of them could be. */
export async function undoAll(entryIds: readonly string[], onStep?: (n: number) => void): Promise<number> {
  let taken = 0;
  for (const id of [...entryIds].reverse()) {
    try {
      await engine.undo(id);
      taken++;
      if (taken % 10 === 0) onStep?.(taken);
    } catch (reason) {
      // What later decisions build on stays, and so does what was taken back by hand.
      if (!['has_dependents', 'already_undone', 'not_found', 'forgotten'].includes(faultOf(reason).code)) throw reason;
    }
  }
  await renew();
  tellTabs('changed');
  return taken;
}

/** Deletes memories with their versions; they can be restored. */
export const remove = (ids: string | string[], request?: string) =>
  told(written(engine.delete(ids, request === undefined ? {} : { request })), t('memory.deleted.n', { n: typeof ids === 'string' ? 1 : ids.length }));

export const restore = (id: string) => told(written(engine.restore(id)), t('memory.restored'));

/** Erases memories for good, and the text of the mails that they rest on. */
export async function forget(ids: string | string[]): Promise<LogEntry> {
  const sources = sourcesOf([ids].flat().flatMap((id) => {
    const memory = headOf(id);
    return memory ? chainOf(memory) : [];
  }));
  const entry = await told(written(engine.data.forget(ids)), t('memory.forgotten'), false);
  await drop(sources);
  return entry;
}

/** What its owner may say of a decision. */
export type Verdict = Parameters<Memories['review']['decide']>[1];

/** The owner's word on decisions, on several at once; how many of them took it. */
export async function review(answers: readonly { entryId: string; verdict: Verdict }[]): Promise<number> {
  const given: string[] = [];
  try {
    for (const { entryId, verdict } of answers) given.push((await engine.review.decide(entryId, verdict)).id);
  } finally {
    if (given.length > 0) {
      await renew();
      tellTabs('changed');
      done(t('review.done.n', { n: given.length }), async () => {
        const taken = await undoAll(given);
        done(t('undo.import.done', { n: taken }));
      });
    }
  }
  return given.length;
}
