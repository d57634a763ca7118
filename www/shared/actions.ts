// What the reader can do with what is known, as calls to the engine that leave the state right.
import { batch, effect, signal } from '@preact/signals';
import type { Draft, ImportReport, LogEntry, Memories, Memory, PendingReport, Receipt, SleepReport } from 'memfold';
import { waitingFrom } from './doubts';
import { engine } from './engine';
import { faultOf as crossing } from './engine/error';
import { offers } from './forbidden';
import { t } from './i18n';
import { daysAfter, todayOf } from './due';
import { logOf } from './log';
import { canRead, drop, keepMail, sourcesOf, type Mail } from './mails';
import { chainOf } from './matters';
import { owner } from './settings';
import { announce, edges, entries, fault, headOf, memories, phase, run, waiting, type Fault } from './state';
import { statementsOf } from './statements';
import { done, type Offer } from './toast';
import { updatesIn } from './visit';
import { faultWords } from './words';

/** What is read at a time: more at once would hold the page's thread up while it arrives. */
const PAGE = 250;

export function faultOf(reason: unknown): Fault {
  const { code, message, field } = crossing(reason);
  return { code, message, field };
}

/** Opens the store by `open`, and reads what is there: all of it, or what Today shows. */
export async function start(open: () => Promise<void>, what: 'all' | 'today' = 'all'): Promise<void> {
  phase.value = 'opening';
  fault.value = null;
  try {
    await open();
    await inTurn(what === 'all' ? all : todaysPart);
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

/** What has been read of the log, and the number of its last entry. */
const seen = new Set<string>();
let lastSeq = 0;
/** How long the last reading took. */
let took = 0;
/** Readings, one after the other. */
let refreshing: Promise<void> = Promise.resolve();

function inTurn(work: () => Promise<void>): Promise<void> {
  const read = refreshing.then(async () => {
    const began = performance.now();
    await work();
    took = performance.now() - began;
  });
  refreshing = read.catch(() => undefined);
  return read;
}

/** Whether all that is known is read, or only what Today shows. */
export const isWhole = signal(false);

/** Reads memories, links and log anew. */
export const refresh = (): Promise<void> => inTurn(all);
const reread = (): Promise<void> => (isWhole.peek() ? all() : todaysPart());

/** So many memories are read one by one; of more, all are. */
const MOST_TOUCHED = 400;
/** Nodes that a list of memories has. */
const LISTED: ReadonlySet<string> = new Set(['memory', 'summary']);
/** After these, entries that were read before may read otherwise. */
const REWRITES: ReadonlySet<string> = new Set(['forget', 'import', 'sync']);

/** Lets whoever asks the engine by themselves ask again. */
const askAgain = (): void => void (entries.value = entries.value.slice());

/** The memories that entries wrote, and those that a word on an earlier decision is about: their links may be others. */
function reachOf(fresh: readonly LogEntry[]): string[] {
  const ids = new Set(fresh.flatMap((e) => e.touched));
  const about = new Set(fresh.flatMap((e) => e.about ?? []));
  for (const e of about.size > 0 ? [...fresh, ...entries.peek()] : []) {
    if (about.has(e.id)) for (const id of [e.memoryId, e.targetId, ...e.touched]) if (id) ids.add(id);
    // An undo of an undo is about the first decision.
    if (about.has(e.id) && e.about) about.add(e.about);
  }
  return [...ids];
}

/** Reads what was written since the last reading: the new entries of the log, the memories that they touched, and the links at these. */
const follow = (told: ReadonlySet<string> = new Set()): Promise<void> =>
  inTurn(async () => {
    if (phase.peek() !== 'ready' || lastSeq === 0) return reread();
    const fresh = await logOf({}, lastSeq);
    // Another log stands there now, or none.
    const isThere = new Set(fresh.map((e) => e.id));
    if ([...told].some((entry) => !seen.has(entry) && !isThere.has(entry))) return reread();
    const ids = reachOf(fresh);
    if (ids.length > MOST_TOUCHED || fresh.some((e) => REWRITES.has(e.action ?? ''))) return reread();
    // What is no entry of the log may be another all the same, as what a model was asked.
    if (fresh.length === 0) return askAgain();
    const [items, changes] = await Promise.all([engine.review.list(), engine.review.changes()]);
    const [found, links] = await Promise.all([Promise.all(ids.map((id) => engine.get(id))), Promise.all(ids.map((id) => engine.graph.edges(id)))]);
    const touched = new Set(ids);
    const known = new Map(memories.peek());
    ids.forEach((id, i) => {
      const memory = found[i];
      // Tags and questions are nodes of the graph and no memories.
      if (memory && LISTED.has(memory.nodeType)) known.set(id, memory);
      else known.delete(id);
    });
    const joined = new Map(links.flat().map((e) => [e.id, e]));
    noted(fresh);
    batch(() => {
      memories.value = known;
      edges.value = [...edges.peek().filter((e) => !touched.has(e.from) && !touched.has(e.to)), ...joined.values()].filter((e) => known.has(e.from) && known.has(e.to));
      entries.value = [...fresh.filter((e) => e.status !== 'dry_run'), ...entries.peek()];
      waiting.value = waitingFrom(items, changes);
    });
  });

const noted = (log: readonly LogEntry[]): void => {
  for (const e of log) seen.add(e.id);
  lastSeq = Math.max(lastSeq, log[0]?.seq ?? 0);
};

async function all(): Promise<void> {
  // The log first: what is written meanwhile is told after it, and read again. And what waits before the memories: a decision that
  // no longer waits is then one whose memories are read as it left them.
  const log = await logOf();
  const [items, changes] = await Promise.all([engine.review.list(), engine.review.changes()]);
  const [found, links] = await Promise.all([everyMemory(), engine.graph.edges()]);
  seen.clear();
  lastSeq = 0;
  noted(log);
  batch(() => {
    isWhole.value = true;
    memories.value = found;
    edges.value = links.filter((e) => found.has(e.from) && found.has(e.to));
    // A preview is no decision.
    entries.value = log.filter((e) => e.status !== 'dry_run');
    waiting.value = waitingFrom(items, changes);
  });
}

/** So many of the newest entries are read for Today, and so many of the newest updates with their versions. */
const RECENT = 500;
const MOST_CHANGED = 40;

/** Every current memory that happens or falls due from a day on. */
async function aheadOf(day: string): Promise<Memory[]> {
  const found: Memory[] = [];
  for (let after: string | undefined; ; ) {
    const page = await engine.list({ from: day, limit: PAGE, ...(after ? { after } : {}) });
    found.push(...page);
    const last = page.at(-1);
    if (page.length < PAGE || !last || last.id === after) return found;
    after = last.id;
  }
}

const versionsOf = (ids: Iterable<string>): Promise<Memory[]> => Promise.all([...new Set(ids)].map((id) => engine.history(id).catch(() => []))).then((all) => all.flat());

/** Reads what Today shows: the newest memories, what is ahead, what changed since the last visit, and what is asked about. */
async function todaysPart(): Promise<void> {
  if (isWhole.peek()) return;
  const recent = await engine.data.log({ newestFirst: true, limit: RECENT });
  const [items, changes, newest] = await Promise.all([engine.review.list(), engine.review.changes(), engine.list({ order: 'newest', limit: PAGE })]);
  const asked = [...items.flatMap(({ memory, existing, other }) => [memory, existing, other]), ...changes.map(({ memory }) => memory)].filter((m) => m !== undefined);
  const [ahead, versions, links] = await Promise.all([
    aheadOf(daysAfter(todayOf(newest), -1)),
    versionsOf([...asked.flatMap((m) => (m.supersededBy ? m.id : [])), ...updatesIn(recent).slice(0, MOST_CHANGED).flatMap((e) => e.memoryId ?? [])]),
    Promise.all([...new Set(asked.map((m) => m.id))].map((id) => engine.graph.edges(id))),
  ]);
  const found = new Map<string, Memory>([...newest, ...ahead, ...asked, ...versions].filter((m) => LISTED.has(m.nodeType)).map((m) => [m.id, m]));
  // What was read beside it, for the open mail or a fact, stays in its current form.
  const others = [...memories.peek().keys()].filter((id) => !found.has(id)).slice(0, PAGE);
  for (const memory of await Promise.all(others.map((id) => engine.get(id)))) if (memory) found.set(memory.id, memory);
  const log = new Map([...recent, ...items.map(({ entry }) => entry)].map((e) => [e.id, e]));
  seen.clear();
  lastSeq = 0;
  noted(recent);
  batch(() => {
    memories.value = found;
    edges.value = [...new Map(links.flat().map((e) => [e.id, e])).values()].filter((e) => found.has(e.from) && found.has(e.to));
    entries.value = [...log.values()].filter((e) => e.status !== 'dry_run').sort((a, b) => b.seq - a.seq);
    waiting.value = waitingFrom(items, changes);
  });
}

/** Reads the versions and links of a memory, and the decision that made it, where only a part is read. */
export async function readAround(id: string): Promise<void> {
  if (isWhole.peek()) return;
  const [versions, links] = await Promise.all([versionsOf([id]), engine.graph.edges(id)]);
  const others = links.flatMap((e) => [e.from, e.to]).filter((one) => !memories.peek().has(one) && !versions.some((m) => m.id === one));
  const linked = (await Promise.all([...new Set(others)].map((one) => engine.get(one)))).filter((m) => m !== undefined);
  const isMade = entries.peek().some((e) => e.memoryId === id);
  const log = isMade ? [] : await engine.data.log({ target: id });
  if (isWhole.peek()) return;
  batch(() => {
    memories.value = new Map([...memories.peek(), ...[...versions, ...linked].filter((m) => LISTED.has(m.nodeType)).map((m) => [m.id, m] as const)]);
    edges.value = [...new Map([...edges.peek(), ...links].map((e) => [e.id, e])).values()].filter((e) => memories.peek().has(e.from) && memories.peek().has(e.to));
    if (log.length > 0) entries.value = [...new Map([...entries.peek(), ...log].map((e) => [e.id, e])).values()].sort((a, b) => b.seq - a.seq);
  });
}

/** Whether everything is kept read. A page that shows a part of it lets the rest wait until somebody looks. */
export const keepsUp = signal(true);
/** Entries that were told of meanwhile. */
let behind: Set<string> | undefined;

/** Something was written: it is read anew, or when it is next looked at. */
async function renew(told?: ReadonlySet<string>): Promise<void> {
  if (keepsUp.value) return follow(told);
  behind = new Set([...(behind ?? []), ...(told ?? [])]);
  askAgain();
}

effect(() => {
  if (!keepsUp.value || !behind) return;
  const told = behind;
  behind = undefined;
  void follow(told).catch((reason) => (fault.value = faultOf(reason)));
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
  if (report.entries.length > 0) await follow();
  return report;
}

/** The reader's word on what a search found. */
export async function judge(id: string, word: 'up' | 'down', query: string): Promise<void> {
  await engine.review.feedback(id, word, { query, session });
  announce(t(word === 'up' ? 'search.judged.up' : 'search.judged.down'));
}

/** Milliseconds for which news are gathered before all is read. */
const GATHERED = 25;
/** So many times as long as it has read, a page waits before it reads again: another tab may be importing. */
const SHARE = 3;

/** Entries that were told of and are not known to be read. */
let news = new Set<string>();
let reading: Promise<void> | undefined;
/** Whether many decisions are being taken back: all is read when they are. */
let takesBack = false;

/** Reads what was told of, unless an action of this page has read it by now. */
async function catchUp(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, GATHERED));
  for (;;) {
    await refreshing;
    const told = news;
    news = new Set();
    const unread = [...told].some((entry) => !seen.has(entry));
    // A run of its own shows what it writes, and reads all of it in the end.
    if (!unread || takesBack || run.value?.state === 'running') return;
    if (phase.value === 'ready' || !keepsUp.value) await renew(told).catch(() => undefined);
    // A page that never reads everything.
    else askAgain();
    if (news.size > 0) await new Promise((resolve) => setTimeout(resolve, SHARE * took));
  }
}

engine.subscribe((changes) => {
  if (changes.some(({ action, own }) => action === 'clear' && !own)) return void location.reload();
  for (const { entry } of changes) news.add(entry);
  reading ??= catchUp().finally(() => (reading = undefined));
});

/** Remembers words of a mail as the owner's own note, with that mail as its source. Gives what came of it, and the entry that an undo takes back. */
export async function remember(mail: Mail, content: string): Promise<{ words: string; entry: string | undefined }> {
  const threadId = mail.thread ?? [...memories.value.values()].find((m) => m.sourceId === mail.id && m.threadId)?.threadId;
  const author = owner.value[0];
  const at = Date.parse(mail.at);
  const { entry } = await engine.consolidate({
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
  await renew();
  const words = t(isWritten ? 'mail.remembered' : entry.needsReview ? 'mail.remembered.asked' : 'mail.remembered.known');
  done(words, isWritten ? () => quietly(undo(entry.id)) : undefined);
  return { words, entry: isWritten ? entry.id : undefined };
}

/** Decides about a memory that the reader wrote; with `dryRun` nothing is written. */
export async function consolidate(draft: Draft, dryRun: boolean): Promise<Receipt> {
  const receipt = await engine.consolidate(draft, { dryRun });
  if (!dryRun) await follow();
  return receipt;
}

/** What becomes of a request that reached its model, or that nobody waited for. */
const REACHED: ReadonlySet<string> = new Set(['answered', 'wrong_form', 'given_up', 'unanswered']);

/** Why the model that was to read mail was not reached in that time, if it was not. */
export async function unreached(since: number, until = Date.now()): Promise<string | undefined> {
  const sent = await engine.model.sent({ limit: 500 });
  return sent.find(({ time, purpose, outcome }) => purpose === 'mail' && Date.parse(time) >= since && Date.parse(time) <= until && !REACHED.has(outcome))?.outcome;
}

/** Asks what waits because nobody answered in time or within the day's budget. */
export async function askPending(): Promise<PendingReport> {
  const report = await engine.model.askPending();
  await follow();
  return report;
}

export async function importText(text: string): Promise<ImportReport> {
  const report = await engine.data.import(text);
  await refresh();
  return report;
}

async function written(work: Promise<LogEntry>): Promise<LogEntry> {
  const entry = await work;
  await renew();
  return entry;
}

/** What is done by hand is said where it was done, with the way back. */
async function told(work: Promise<LogEntry>, words: string, back = true, never: readonly Offer[] = []): Promise<LogEntry> {
  const entry = await work;
  done(words, back ? () => quietly(undo(entry.id)) : undefined, false, never);
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

/** So many are taken back at a time: after each some are told. */
const AT_ONCE = 50;

/**
 * Takes many decisions back, the latest first; how many of them could be, by which entries, and how many stay since later ones build
 * on them. What was taken back by hand is gone already.
 */
export async function undoAll(entryIds: readonly string[], onStep?: (n: number) => void): Promise<{ taken: number; stay: number; by: string[] }> {
  const by: string[] = [];
  let stay = 0;
  takesBack = true;
  try {
    for (let end = entryIds.length; end > 0; end -= AT_ONCE) {
      const { entries: undos, kept } = await engine.undoAll(entryIds.slice(Math.max(0, end - AT_ONCE), end));
      by.push(...undos);
      stay += kept.length;
      onStep?.(by.length);
    }
  } finally {
    takesBack = false;
    await renew();
  }
  return { taken: by.length, stay, by };
}

/** Makes the owner's words the next version of a memory. */
export const correct = (id: string, content: string) => told(written(engine.update(id, content).then(({ entry }) => entry)), t('memory.corrected'));

/** What of the deleted memories may be on the list of what is never remembered: their one sender, and their one subject. */
function offersAfter(ids: string | string[]): Offer[] {
  const gone = [ids].flat().flatMap((id) => headOf(id) ?? []);
  const senders = new Set(gone.flatMap((m) => statementsOf(m).flatMap((s) => s.author?.toLowerCase() ?? [])));
  for (const own of owner.value) senders.delete(own.toLowerCase());
  const subjects = new Set(gone.map((m) => m.subject ?? ''));
  return offers([...senders], subjects.size === 1 && gone.every((m) => m.sourceType !== 'user_input') ? [...subjects][0] : undefined);
}

/** Deletes memories with their versions; they can be restored. */
export function remove(ids: string | string[], request?: string): Promise<LogEntry> {
  const never = offersAfter(ids);
  return told(written(engine.delete(ids, request === undefined ? {} : { request })), t('memory.deleted.n', { n: typeof ids === 'string' ? 1 : ids.length }), true, never);
}

export const restore = (id: string) => told(written(engine.restore(id)), t('memory.restored'));

/** Confirms a change that somebody without standing reported. */
export const confirmChange = (id: string) => told(written(engine.review.confirm(id)), t('change.confirmed'));

/** Takes such a change back. */
export const revertChange = (id: string) => told(written(engine.review.revert(id)), t('change.reverted'));

/** The mails that these memories rest on: those of no other memory, and those that are kept for the others. */
export function mailsBehind(ids: string | string[]): { own: string[]; shared: string[] } {
  // Where no mails are kept there is nothing to share.
  if (!canRead()) return { own: [], shared: [] };
  const versions = new Set([ids].flat().flatMap((id) => {
    const memory = headOf(id);
    return memory ? chainOf(memory) : [];
  }));
  const others = new Set(sourcesOf([...memories.value.values()].filter((m) => !versions.has(m) && m.content !== '')));
  const own = sourcesOf([...versions]);
  return { own: own.filter((source) => !others.has(source)), shared: own.filter((source) => others.has(source)) };
}

/** Erases memories for good, and the text of the mails that no other memory rests on. */
export async function forget(ids: string | string[]): Promise<LogEntry> {
  const { own, shared } = mailsBehind(ids);
  const never = offersAfter(ids);
  const entry = await told(written(engine.data.forget(ids)), t(shared.length > 0 ? 'memory.forgotten.mails' : 'memory.forgotten', { n: shared.length }), false, never);
  await drop(own);
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
      done(t('review.done.n', { n: given.length }), async () => {
        const { taken } = await undoAll(given);
        done(t('undo.import.done', { n: taken }));
      });
    }
  }
  return given.length;
}
