// The owner's actions, as calls to the engine that keep the page's state in step.
import { batch, effect, signal } from '@preact/signals';
import type { Draft, ImportReport, LogEntry, Memories, Memory, Receipt, SleepReport } from 'memfold';
import { engine } from './engine';
import { faultOf as crossing, unlessMissing } from './engine/error';
import { offers } from './forbidden';
import { t } from './i18n';
import { daysAfter, todayOf } from './due';
import { logOf } from './log';
import { canRead, drop, keepMail, sourcesOf, type Mail } from './mails';
import { chainOf } from './matters';
import { owner } from './settings';
import { announce, edges, entries, fault, headOf, memories, openChanges, openItems, phase, run, type Fault } from './state';
import { statementsOf } from './statements';
import { done, type Offer } from './toast';
import { updatesIn } from './visit';
import { faultWords } from './words';

/** Items per read; larger reads would block the page's thread. */
const PAGE = 250;

export function faultOf(reason: unknown): Fault {
  const { code, message, field } = crossing(reason);
  return { code, message, field };
}

/** Opens the store with `open` and reads everything, or only what Today shows. */
export async function start(open: () => Promise<void>, what: 'all' | 'today' = 'all'): Promise<void> {
  phase.value = 'opening';
  fault.value = null;
  try {
    await open();
    await enqueueRead(what === 'all' ? readAll : readToday);
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

/** Ids of the log entries read so far, and the number of the last one. */
const seen = new Set<string>();
let lastSeq = 0;
/** Milliseconds of the last read. */
let lastReadMs = 0;
/** The last queued read; reads run one after another. */
let refreshing: Promise<void> = Promise.resolve();

function enqueueRead(work: () => Promise<void>): Promise<void> {
  const read = refreshing.then(async () => {
    const began = performance.now();
    await work();
    lastReadMs = performance.now() - began;
  });
  refreshing = read.catch(() => undefined);
  return read;
}

/** Whether everything has been read, or only what Today shows. */
export const isWhole = signal(false);

/** Rereads memories, links and log. */
export const refresh = (): Promise<void> => enqueueRead(readAll);
const reread = (): Promise<void> => (isWhole.peek() ? readAll() : readToday());

/** Up to this many changed memories are read one by one; beyond it, everything is reread. */
const MAX_SINGLE_READS = 400;
/** Node types that `list` returns. */
const LISTED: ReadonlySet<string> = new Set(['memory', 'summary']);
/** Actions that change earlier entries. */
const REWRITES: ReadonlySet<string> = new Set(['forget', 'import', 'sync']);

/** Makes views with their own queries repeat them. */
const repeatQueries = (): void => void (entries.value = entries.value.slice());

/**
 * Memories whose links may have changed: those written, and those of the decisions that a review or
 * an undo is about.
 */
function affectedIds(fresh: readonly LogEntry[]): string[] {
  const ids = new Set(fresh.flatMap((e) => e.touched));
  const about = new Set(fresh.flatMap((e) => e.about ?? []));
  for (const e of about.size > 0 ? [...fresh, ...entries.peek()] : []) {
    if (about.has(e.id)) for (const id of [e.memoryId, e.targetId, ...e.touched]) if (id) ids.add(id);
    // An undo of an undo is about the first decision.
    if (about.has(e.id) && e.about) about.add(e.about);
  }
  return [...ids];
}

/** Reads new log entries, the memories that they changed, and the links of these. */
const readChanges = (told: ReadonlySet<string> = new Set()): Promise<void> =>
  enqueueRead(async () => {
    if (phase.peek() !== 'ready' || lastSeq === 0) return reread();
    const fresh = await logOf({}, lastSeq);
    // The log was replaced or emptied.
    const isThere = new Set(fresh.map((e) => e.id));
    if ([...told].some((entry) => !seen.has(entry) && !isThere.has(entry))) return reread();
    const ids = affectedIds(fresh);
    if (ids.length > MAX_SINGLE_READS || fresh.some((e) => REWRITES.has(e.action ?? ''))) return reread();
    // Something outside the log may have changed, such as the sent requests.
    if (fresh.length === 0) return repeatQueries();
    const [items, changes] = await Promise.all([engine.review.list(), engine.review.changes()]);
    const [found, links] = await Promise.all([
      Promise.all(ids.map((id) => unlessMissing(engine.get(id)))),
      Promise.all(ids.map((id) => engine.graph.edges(id))),
    ]);
    const touched = new Set(ids);
    const known = new Map(memories.peek());
    ids.forEach((id, i) => {
      const memory = found[i];
      // Tags and queries are graph nodes, not memories.
      if (memory && LISTED.has(memory.nodeType)) known.set(id, memory);
      else known.delete(id);
    });
    const joined = new Map(links.flat().map((e) => [e.id, e]));
    markSeen(fresh);
    batch(() => {
      memories.value = known;
      edges.value = [...edges.peek().filter((e) => !touched.has(e.from) && !touched.has(e.to)), ...joined.values()].filter(
        (e) => known.has(e.from) && known.has(e.to),
      );
      entries.value = [...fresh.filter((e) => e.status !== 'dry_run'), ...entries.peek()];
      openItems.value = items;
      openChanges.value = changes;
    });
  });

const markSeen = (log: readonly LogEntry[]): void => {
  for (const e of log) seen.add(e.id);
  lastSeq = Math.max(lastSeq, log[0]?.seq ?? 0);
};

async function readAll(): Promise<void> {
  // The log is read first, so that entries written during the read are reported and read again.
  // Reviews come before memories, so that a settled decision's memories are current.
  const log = await logOf();
  const [items, changes] = await Promise.all([engine.review.list(), engine.review.changes()]);
  const [found, links] = await Promise.all([everyMemory(), engine.graph.edges()]);
  seen.clear();
  lastSeq = 0;
  markSeen(log);
  batch(() => {
    isWhole.value = true;
    memories.value = found;
    edges.value = links.filter((e) => found.has(e.from) && found.has(e.to));
    // A dry run is not a decision.
    entries.value = log.filter((e) => e.status !== 'dry_run');
    openItems.value = items;
    openChanges.value = changes;
  });
}

/** Newest entries read for Today, and newest updates whose versions are read. */
const RECENT = 500;
const MOST_CHANGED = 40;

/** All current memories with a day or deadline from `day` on. */
async function upcomingFrom(day: string): Promise<Memory[]> {
  const found: Memory[] = [];
  for (let after: string | undefined; ; ) {
    const page = await engine.list({ from: day, limit: PAGE, ...(after ? { after } : {}) });
    found.push(...page);
    const last = page.at(-1);
    if (page.length < PAGE || !last || last.id === after) return found;
    after = last.id;
  }
}

const versionsOf = (ids: Iterable<string>): Promise<Memory[]> =>
  Promise.all([...new Set(ids)].map((id) => engine.history(id).catch(() => []))).then((all) => all.flat());

/**
 * Reads what Today shows: newest and upcoming memories, changes since the last visit, and open
 * questions.
 */
async function readToday(): Promise<void> {
  if (isWhole.peek()) return;
  const recent = await engine.log.list({ newestFirst: true, limit: RECENT });
  const [items, changes, newest] = await Promise.all([engine.review.list(), engine.review.changes(), engine.list({ order: 'newest', limit: PAGE })]);
  const asked = [...items.flatMap(({ memory, existing }) => [memory, existing]), ...changes.map(({ memory }) => memory)].filter((m) => m !== undefined);
  const [ahead, versions, links] = await Promise.all([
    upcomingFrom(daysAfter(todayOf(newest), -1)),
    versionsOf([
      ...asked.flatMap((m) => (m.supersededBy ? m.id : [])),
      ...updatesIn(recent)
        .slice(0, MOST_CHANGED)
        .flatMap((e) => e.memoryId ?? []),
    ]),
    Promise.all([...new Set(asked.map((m) => m.id))].map((id) => engine.graph.edges(id))),
  ]);
  const found = new Map<string, Memory>([...newest, ...ahead, ...asked, ...versions].filter((m) => LISTED.has(m.nodeType)).map((m) => [m.id, m]));
  // Refreshes memories that other parts have read, for the open mail or a fact.
  const others = [...memories.peek().keys()].filter((id) => !found.has(id)).slice(0, PAGE);
  for (const memory of await Promise.all(others.map((id) => unlessMissing(engine.get(id))))) if (memory) found.set(memory.id, memory);
  const log = new Map([...recent, ...items.map(({ entry }) => entry)].map((e) => [e.id, e]));
  seen.clear();
  lastSeq = 0;
  markSeen(recent);
  batch(() => {
    memories.value = found;
    edges.value = [...new Map(links.flat().map((e) => [e.id, e])).values()].filter((e) => found.has(e.from) && found.has(e.to));
    entries.value = [...log.values()].filter((e) => e.status !== 'dry_run').sort((a, b) => b.seq - a.seq);
    openItems.value = items;
    openChanges.value = changes;
  });
}

/** If only a part is read: reads a memory's versions, links and the decision that made it. */
export async function readNeighbours(id: string): Promise<void> {
  if (isWhole.peek()) return;
  const [versions, links] = await Promise.all([versionsOf([id]), engine.graph.edges(id)]);
  const others = links.flatMap((e) => [e.from, e.to]).filter((one) => !memories.peek().has(one) && !versions.some((m) => m.id === one));
  const linked = (await Promise.all([...new Set(others)].map((one) => unlessMissing(engine.get(one))))).filter((m) => m !== undefined);
  const isMade = entries.peek().some((e) => e.memoryId === id);
  const log = isMade ? [] : await engine.log.list({ target: id });
  if (isWhole.peek()) return;
  batch(() => {
    memories.value = new Map([...memories.peek(), ...[...versions, ...linked].filter((m) => LISTED.has(m.nodeType)).map((m) => [m.id, m] as const)]);
    edges.value = [...new Map([...edges.peek(), ...links].map((e) => [e.id, e])).values()].filter(
      (e) => memories.peek().has(e.from) && memories.peek().has(e.to),
    );
    if (log.length > 0) entries.value = [...new Map([...entries.peek(), ...log].map((e) => [e.id, e])).values()].sort((a, b) => b.seq - a.seq);
  });
}

/**
 * Whether the page reads changes immediately. A page that shows only a part waits until it is
 * visible.
 */
export const readsImmediately = signal(true);
/** Reported entries that are still unread. */
let deferred: Set<string> | undefined;

/** Reads changes now, or when the page becomes visible. */
async function readOrDefer(told?: ReadonlySet<string>): Promise<void> {
  if (readsImmediately.value) return readChanges(told);
  deferred = new Set([...(deferred ?? []), ...(told ?? [])]);
  repeatQueries();
}

effect(() => {
  if (!readsImmediately.value || !deferred) return;
  const told = deferred;
  deferred = undefined;
  void readChanges(told).catch((reason) => (fault.value = faultOf(reason)));
});
/** This visit's session: memories found in it are retained better after it ends. */
export const session = `visit-${Date.now().toString(36)}`;

/** Most nodes of a sleep cycle that the owner starts. */
const MAX_NODES = 20_000;

/** Ends the session and runs a sleep cycle. */
export async function rest({
  signal: gone,
  onReport,
  maxNodes = MAX_NODES,
}: {
  signal?: AbortSignal;
  onReport?(report: SleepReport): void;
  maxNodes?: number;
} = {}): Promise<SleepReport> {
  await engine.sleep.endSession(session);
  const report = await engine.sleep.run({ maxNodes, ...(gone ? { signal: gone } : {}), ...(onReport ? { onProgress: onReport } : {}) });
  if (report.entries.length > 0) await readChanges();
  return report;
}

/** Stores the owner's rating of a search hit. */
export async function judge(id: string, word: 'up' | 'down', query: string): Promise<void> {
  await engine.review.feedback(id, word, { query, session });
  announce(t(word === 'up' ? 'search.judged.up' : 'search.judged.down'));
}

/** Milliseconds to collect changes before they are read. */
const COLLECT_MS = 25;
/**
 * Pause between reads as a multiple of the last read's duration, because another tab may be
 * importing.
 */
const PAUSE_FACTOR = 3;

/** Reported entries that may be unread. */
let reported = new Set<string>();
let reading: Promise<void> | undefined;
/** Whether many decisions are being undone; they are read together at the end. */
let isUndoing = false;

/** Reads reported entries, unless an action of this page has read them. */
async function catchUp(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, COLLECT_MS));
  for (;;) {
    await refreshing;
    const told = reported;
    reported = new Set();
    const unread = [...told].some((entry) => !seen.has(entry));
    // An import of this page shows its own changes and rereads everything at its end.
    if (!unread || isUndoing || run.value?.state === 'running') return;
    if (phase.value === 'ready' || !readsImmediately.value) await readOrDefer(told).catch(() => undefined);
    // This page never reads everything.
    else repeatQueries();
    if (reported.size > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_FACTOR * lastReadMs));
  }
}

engine.subscribe((changes) => {
  if (changes.some(({ action, own }) => action === 'clear' && !own)) return void location.reload();
  for (const { entry } of changes) reported.add(entry);
  reading ??= catchUp().finally(() => (reading = undefined));
});

/**
 * Stores words of a mail as the owner's note, with the mail as its source. Returns the message to
 * show and the entry to undo.
 */
export async function remember(mail: Mail, content: string): Promise<{ words: string; entry: string | undefined }> {
  const threadId = mail.thread ?? [...memories.value.values()].find((m) => m.sourceId === mail.id && m.threadId)?.threadId;
  const author = owner.value[0];
  const at = Date.parse(mail.at);
  const { entry } = await engine.add({
    content,
    sourceType: 'user_input',
    sourceId: mail.id,
    ...(mail.subject ? { subject: mail.subject } : {}),
    ...(threadId ? { threadId } : {}),
    ...(author ? { author } : {}),
    ...(Number.isNaN(at) ? {} : { statedAt: new Date(at).toISOString() }),
  });
  const isWritten = entry.touched.length > 0;
  if (isWritten) await keepMail(mail);
  await readOrDefer();
  const words = t(isWritten ? 'mail.remembered' : entry.needsReview ? 'mail.remembered.asked' : 'mail.remembered.known');
  done(words, isWritten ? () => showErrors(undo(entry.id)) : undefined);
  return { words, entry: isWritten ? entry.id : undefined };
}

/** Adds a text of the owner; `dryRun` writes nothing. */
export async function add(draft: Draft, dryRun: boolean): Promise<Receipt> {
  const receipt = await engine.add(draft, { dryRun });
  if (!dryRun) await readChanges();
  return receipt;
}

/** Outcomes of requests that reached the model or were given up. */
const REACHED: ReadonlySet<string> = new Set(['answered', 'wrong_form', 'given_up', 'unanswered']);

/** The outcome of the first mail request in this time that did not reach the model. */
export async function failedToReach(since: number, until = Date.now()): Promise<string | undefined> {
  const sent = await engine.model.sent({ limit: 500 });
  return sent.find(({ time, purpose, outcome }) => purpose === 'mail' && Date.parse(time) >= since && Date.parse(time) <= until && !REACHED.has(outcome))
    ?.outcome;
}

export async function importText(text: string): Promise<ImportReport> {
  const report = await engine.data.import(text);
  await refresh();
  return report;
}

async function afterWrite(work: Promise<Receipt>): Promise<LogEntry> {
  const { entry } = await work;
  await readOrDefer();
  return entry;
}

/** Shows a toast with an undo for an action of the owner. */
async function showDone(work: Promise<LogEntry>, words: string, back = true, never: readonly Offer[] = []): Promise<LogEntry> {
  const entry = await work;
  done(words, back ? () => showErrors(undo(entry.id)) : undefined, false, never);
  return entry;
}

const showErrors = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    (reason) => done(faultWords(faultOf(reason))),
  );

/** Undoes a decision. */
export async function undo(entryId: string): Promise<LogEntry> {
  const entry = await afterWrite(engine.undo(entryId));
  done(t('explain.undone'), () => showErrors(redo(entryId)), true);
  return entry;
}

/** Redoes an undone decision. */
export async function redo(entryId: string): Promise<LogEntry> {
  const entry = await afterWrite(engine.redo(entryId));
  done(t('explain.redone'), () => showErrors(undo(entryId)));
  return entry;
}

/** Decisions undone in one step, so that progress can be shown. */
const AT_ONCE = 50;

/**
 * Undoes decisions, newest first. `taken` counts them and `by` lists the undo entries; `stay`
 * counts those that later entries depend on. Already undone ones are skipped.
 */
export async function undoAll(entryIds: readonly string[], onStep?: (n: number) => void): Promise<{ taken: number; stay: number; by: string[] }> {
  const by: string[] = [];
  let stay = 0;
  isUndoing = true;
  try {
    for (let end = entryIds.length; end > 0; end -= AT_ONCE) {
      const { entries: undos, kept } = await engine.undoAll(entryIds.slice(Math.max(0, end - AT_ONCE), end));
      by.push(...undos);
      stay += kept.length;
      onStep?.(by.length);
    }
  } finally {
    isUndoing = false;
    await readOrDefer();
  }
  return { taken: by.length, stay, by };
}

/** Saves the owner's text as the next version of a memory. */
export const correct = (id: string, content: string) => showDone(afterWrite(engine.update(id, content)), t('memory.corrected'));

/** Offers for the "Never remember" list after a deletion: the only sender and the only subject. */
function offersAfterDeletion(ids: string | string[]): Offer[] {
  const gone = [ids].flat().flatMap((id) => headOf(id) ?? []);
  const senders = new Set(gone.flatMap((m) => statementsOf(m).flatMap((s) => s.author?.toLowerCase() ?? [])));
  for (const own of owner.value) senders.delete(own.toLowerCase());
  const subjects = new Set(gone.map((m) => m.subject ?? ''));
  return offers([...senders], subjects.size === 1 && gone.every((m) => m.sourceType !== 'user_input') ? [...subjects][0] : undefined);
}

/** Deletes memories with all versions; they can be restored. */
export function remove(ids: string | string[], request?: string): Promise<LogEntry> {
  const never = offersAfterDeletion(ids);
  return showDone(
    afterWrite(engine.delete(ids, request === undefined ? {} : { request })),
    t('memory.deleted.n', { n: typeof ids === 'string' ? 1 : ids.length }),
    true,
    never,
  );
}

export const restore = (id: string) => showDone(afterWrite(engine.restore(id)), t('memory.restored'));

/** Confirms a change by an unauthorised sender. */
export const confirmChange = (id: string) => showDone(afterWrite(engine.review.confirm(id)), t('change.confirmed'));

/** Reverts a change by an unauthorised sender. */
export const revertChange = (id: string) => showDone(afterWrite(engine.review.revert(id)), t('change.reverted'));

/** The source mails of these memories: `own` support no other memory, `shared` do. */
export function sourceMailsOf(ids: string | string[]): { own: string[]; shared: string[] } {
  // Without stored mails nothing is shared.
  if (!canRead()) return { own: [], shared: [] };
  const versions = new Set(
    [ids].flat().flatMap((id) => {
      const memory = headOf(id);
      return memory ? chainOf(memory) : [];
    }),
  );
  const others = new Set(sourcesOf([...memories.value.values()].filter((m) => !versions.has(m) && m.content !== '')));
  const own = sourcesOf([...versions]);
  return { own: own.filter((source) => !others.has(source)), shared: own.filter((source) => others.has(source)) };
}

/** Permanently erases memories, and the stored text of mails that support no other memory. */
export async function forget(ids: string | string[]): Promise<LogEntry> {
  const { own, shared } = sourceMailsOf(ids);
  const never = offersAfterDeletion(ids);
  const entry = await showDone(
    afterWrite(engine.erase(ids)),
    t(shared.length > 0 ? 'memory.forgotten.mails' : 'memory.forgotten', { n: shared.length }),
    false,
    never,
  );
  await drop(own);
  return entry;
}

/** A review verdict on a decision. */
export type Verdict = Parameters<Memories['review']['decide']>[1];

/** Stores the owner's verdicts on decisions; returns how many were applied. */
export async function review(answers: readonly { entryId: string; verdict: Verdict }[]): Promise<number> {
  const given: string[] = [];
  try {
    for (const { entryId, verdict } of answers) given.push((await engine.review.decide(entryId, verdict)).entry.id);
  } finally {
    if (given.length > 0) {
      await readOrDefer();
      done(t('review.done.n', { n: given.length }), async () => {
        const { taken } = await undoAll(given);
        done(t('undo.import.done', { n: taken }));
      });
    }
  }
  return given.length;
}
