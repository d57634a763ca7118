// The queue of opened mails: wanted, waiting, counted, processed by the engine, then stored as
// handled or set aside after three tries. The worker may stop at any step and continues from the
// stored state.
import type { LogEntry, MailReceipt } from 'memfold';
import { placeOf, type Opened, type Outcome, type Read, type Settings, type ToMail } from '../messages';
import { blame, count, enqueue, handled, isWaiting, next, setAside, settle, uncount, waiting, type Handled, type Waiting } from './base';
import { changed } from './changed';
import { replaceEngine, lacksModel, memories, updateBuiltInModel, markStored, ensureEngine } from './engine';
import { TRIES, codeOf, isTheMails, withPatience } from './fault';
import { isPerson, isTopic } from '../../../shared/never';
import { settings } from './keep';
import { learn, signed } from './names';
import { isPaused, paused } from './pause';

const keyOf = (account: string, id: string): string => `${account}\n${id}`;

const holds = (labels: readonly string[], wanted: string): boolean => labels.some((l) => l.trim().toLowerCase() === wanted.trim().toLowerCase());

/** Whether mails of this thread are read at all. */
export function readable(view: Opened, s: Settings): boolean {
  if (s.read === 'never' || s.ignoreLabels.some((label) => holds(view.labels, label)) || isTopic(view.subject, s.ignoreTopics)) return false;
  return s.read === 'open' || (s.label !== '' && holds(view.labels, s.label));
}

/** Why a thread is not read now, if so. */
function reasonToSkip(view: Opened, s: Settings): ToMail | undefined {
  if (!readable(view, s)) return { off: 'alone' };
  const pause = paused(view, s);
  return pause && { off: 'paused', until: pause.until };
}

/** Reports a chosen model that is missing; the device then works alone. */
const withoutModel = async (s: Settings): Promise<ToMail> => ((s.endpoint !== null || s.builtIn) && (await lacksModel()) ? { lacksModel: true } : {});

/** The readable messages of a thread, with their keys. */
const readableMessages = (view: Opened, s: Settings): { id: string; key: string }[] =>
  view.messages.filter((m) => !isPerson(m.from, s.ignorePeople) && !isPaused(m.from, s)).map(({ id }) => ({ id, key: keyOf(view.account, id) }));

function sum(found: readonly Handled[], open: number): Outcome {
  const outcome: Outcome = { remembered: 0, updated: 0, known: 0, waiting: 0, failed: 0, open, suspected: 0 };
  for (const mail of found) {
    if (mail.fault) outcome.failed++;
    for (const entry of mail.entries) {
      if (entry.suspected) outcome.suspected++;
      if (entry.review) outcome.waiting++;
      outcome[placeOf(entry)]++;
    }
  }
  return outcome;
}

/** The messages of an opened thread to read, and the result of the others. */
export async function onOpened(view: Opened): Promise<ToMail> {
  const s = await settings();
  const off = reasonToSkip(view, s);
  if (off) return off;
  const messages = readableMessages(view, s);
  if (messages.length === 0) return { off: 'alone' };
  await learn(view.messages.map((m) => [m.from, m.name]));
  const found = await handled(messages.map((m) => m.key));
  const known = new Set(found.map((h) => h.key));
  const open = messages.filter((m) => !known.has(m.key));
  const queued = await Promise.all(open.map((m) => isWaiting(m.key)));
  const wanted = open.filter((_, i) => !queued[i]).map((m) => m.id);
  if (open.length > 0 && wanted.length === 0) {
    await drain();
    return resultOf(messages);
  }
  return { wanted, outcome: sum(found, open.length), ...(await withoutModel(s)) };
}

/** The result of messages, or why the queue is blocked. */
async function resultOf(messages: readonly { key: string }[]): Promise<ToMail> {
  const found = await handled(messages.map((m) => m.key));
  if (found.length < messages.length && trouble) return { fault: trouble };
  return { outcome: sum(found, messages.length - found.length), ...(await withoutModel(await settings())) };
}

/** Takes mails in and answers with what became of them. */
export async function onMails(view: Opened, mails: readonly Read[]): Promise<ToMail> {
  const s = await settings();
  const off = reasonToSkip(view, s);
  if (off) return off;
  const messages = readableMessages(view, s);
  const asked = new Set(messages.map((m) => m.id));
  const writer = new Map(view.messages.map((m) => [m.id, m.from]));
  const at = Date.now();
  const queued = mails
    .filter((m) => asked.has(m.id))
    .map(
      ({ id, raw }): Waiting => ({
        key: keyOf(view.account, id),
        account: view.account,
        thread: view.thread,
        id,
        at,
        tries: 0,
        subject: view.subject,
        from: writer.get(id) ?? '',
        raw,
      }),
    );
  await enqueue(queued);
  // Set before the work, to resume it if the worker is stopped.
  await chrome.alarms.create('queue', { delayInMinutes: 0.5 });
  await drain();
  return resultOf(messages);
}

/** Why the queue is blocked, if so. */
let trouble: string | undefined;
let draining: Promise<void> | undefined;

/**
 * Processes waiting mails one after another; a second call waits for the first, then checks again.
 */
export async function drain(): Promise<void> {
  while (draining) await draining;
  draining = work().finally(() => (draining = undefined));
  await draining;
}

async function work(): Promise<void> {
  let any = false;
  let reviews = 0;
  try {
    if ((await waiting()) > 0) await updateBuiltInModel();
    for (let mail = await next(); mail; mail = await next()) {
      any = true;
      if (mail.tries >= TRIES) {
        await setAside(mail);
        continue;
      }
      const more = await one(mail);
      if (more === undefined) break;
      reviews += more;
    }
  } finally {
    if ((await waiting()) === 0) await chrome.alarms.clear('queue');
    else await chrome.alarms.create('queue', { delayInMinutes: 0.5 });
    // The chip does not wait for the badge.
    if (any) void changed({ reviews: reviews > 0 }).catch(() => undefined);
  }
}

/**
 * Processes one mail. Returns its number of pending reviews, or undefined if the queue is blocked.
 */
async function one(mail: Waiting): Promise<number | undefined> {
  const { key, account, thread, id } = mail;
  let suspected: LogEntry[] = [];
  const decided = (receipt: MailReceipt | undefined): LogEntry[] => [...(receipt?.receipts ?? []).map(({ entry }) => entry), ...suspected];
  const end = (receipt: MailReceipt | undefined, fault: string | undefined): Promise<void> =>
    settle({
      key,
      account,
      thread,
      id,
      at: Date.now(),
      subject: receipt?.subject ?? '',
      ...(receipt?.messageId ? { source: receipt.messageId } : {}),
      since:
        decided(receipt)
          .map(({ time }) => time)
          .sort()[0] ?? new Date().toISOString(),
      entries: decided(receipt).map((entry) => ({
        id: entry.id,
        decision: entry.decision,
        review: entry.needsReview === true || entry.confirmation === 'provisional',
        wrote: entry.touched.length > 0,
        suspected: suspected.includes(entry),
      })),
      ...(fault ? { fault } : {}),
    });
  let receipt: MailReceipt | undefined;
  const text = mail.raw;
  // Gmail's page names the thread but not whether the account sent the mail (gmail.ts), so `sent`
  // is omitted. Mails of an archive have no thread here.
  const read = async () => {
    const report = await (await memories()).importMail(text, { account, ...(thread ? { thread } : {}), onReceipt: (r) => (receipt = r) });
    // Suspicious texts have their own entries in the review.
    const source = receipt?.messageId;
    if (report.suspected > 0 && source)
      suspected = (await (await memories()).log.list({ source, needsReview: true })).filter((e) => e.reasons.some((r) => r.kind === 'suspected'));
    return report;
  };
  // Saved settings close the engine; the mail is then read with the new ones.
  const readAgain = (reason: unknown) => {
    if (codeOf(reason) === 'closed') return read();
    throw reason;
  };
  // A broken engine before the try is not the mail's fault.
  await ensureEngine();
  await count(key);
  try {
    await withPatience(() => read().catch(readAgain));
  } catch (reason) {
    if (!isTheMails(reason)) {
      trouble = codeOf(reason);
      await uncount(key);
      return undefined;
    }
    await blame(key, codeOf(reason));
    await replaceEngine();
    return 0;
  }
  trouble = undefined;
  if (receipt) await learn(signed(receipt));
  await markStored();
  await end(receipt, receipt?.failed?.code);
  const fresh = (receipt?.receipts ?? []).filter((r) => !r.replayed).map(({ entry }) => entry);
  return [...fresh, ...suspected].filter((e) => e.needsReview || e.confirmation === 'provisional').length;
}
