// The content script in Gmail: detects open mails, sends them to the extension's worker and shows
// the result. A failure here must not affect Gmail.
import { Chip } from './chip';
import { asShown, isPrinted, legible, missing, openThread, original, shouldBeOpen, textOf, type View } from './gmail';
import { isAskText, MOST_RAW, type FromMail, type Read, type TextReply, type ToMail } from './messages';

/** Milliseconds from a page change to the next check. */
const SOON = 30;
/** Milliseconds after which progress is shown. */
const SLOW = 700;
/** Milliseconds that Gmail may take to render a thread before an error is shown. */
const PATIENCE = 8_000;
const TRIES = 4;
/** Milliseconds after a navigation to check the page, because Gmail may only change visibility. */
const LOOKS = [SOON, 150, 500, 1_500];

const chip = new Chip(() => void sendToWorker({ say: 'panel' }).catch(() => undefined));
let last = '';
let run = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let looks: ReturnType<typeof setTimeout>[] = [];
let unread: ReturnType<typeof setTimeout> | undefined;
/**
 * Consecutive failures to fetch originals, and until when none is fetched. Text from the page has
 * no authentication results.
 */
let refused = 0;
let refusedUntil = 0;
/** Milliseconds until the next try. */
const AGAIN = 30_000;

const alive = (): boolean => chrome.runtime?.id !== undefined;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a message to the worker, and again if the worker was stopped. */
async function sendToWorker(message: FromMail): Promise<ToMail> {
  for (let tries = 1; ; tries++) {
    try {
      const answer = (await chrome.runtime.sendMessage(message)) as ToMail | undefined;
      if (answer) return answer;
      throw new Error('no answer');
    } catch (reason) {
      if (!alive() || tries >= TRIES) throw reason;
      await pause(100 * 2 ** tries);
    }
  }
}

async function read(view: View, wanted: readonly string[]): Promise<Read[]> {
  const one = async (id: string): Promise<Read | undefined> => {
    const message = view.messages.find((m) => m.id === id);
    if (!message) return undefined;
    let raw: string | undefined;
    if (Date.now() >= refusedUntil) {
      raw = await original(document, message.perm).catch(() => undefined);
      refused = raw === undefined ? refused + 1 : 0;
      if (refused >= 2) [refused, refusedUntil] = [0, Date.now() + AGAIN];
    }
    const shown = asShown(view, message);
    return { id, raw: (raw === undefined ? shown : legible(raw, shown)).slice(0, MOST_RAW), original: raw !== undefined };
  };
  return (await Promise.all(wanted.map(one))).filter((r) => r !== undefined);
}

/** Has a thread read and shows the result, unless another one was opened meanwhile. */
async function follow(view: View): Promise<void> {
  const mine = ++run;
  const heading = () => (view.heading.isConnected ? view.heading : openThread(document)?.heading);
  const show = ({ outcome, off, fault, until, lacksModel }: ToMail) => {
    clearTimeout(slow);
    const at = heading();
    if (mine !== run || !at) return;
    if (fault) chip.trouble(fault === 'unsupported' || fault === 'worker' ? 'broken' : 'failed', at);
    else if (off === 'paused') chip.say({ state: 'paused', until: until ?? null }, at);
    else if (off || !outcome) chip.clear();
    else if (outcome.failed > 0 && outcome.remembered + outcome.updated + outcome.known === 0) chip.trouble('failed', at);
    else chip.say({ state: 'done', outcome, lacksModel: lacksModel === true }, at);
  };
  const slow = setTimeout(() => {
    const at = heading();
    if (mine === run && at) chip.say({ state: 'working' }, at);
  }, SLOW);
  try {
    const first = await sendToWorker({ say: 'opened', view: view.opened });
    if (first.fault || first.off || !first.wanted?.length) return show(first);
    const mails = await read(view, first.wanted);
    show(await sendToWorker({ say: 'mails', view: view.opened, mails }));
  } catch {
    clearTimeout(slow);
    if (alive()) show({ fault: 'worker' });
  }
}

function look(): void {
  clearTimeout(timer);
  timer = undefined;
  if (!alive()) return stop();
  try {
    const view = openThread(document);
    const now = view ? `${view.opened.account} ${view.opened.thread} ${view.messages.map((m) => m.id).join()}` : '';
    if (now === last) return;
    // A thread's chip is removed with it; a thread with new messages keeps its chip until the next
    // result.
    if (!view || !last.startsWith(`${view.opened.account} ${view.opened.thread} `)) chip.clear();
    last = now;
    looks.forEach(clearTimeout);
    clearTimeout(unread);
    if (view) return void follow(view);
    run++;
    checkReader();
  } catch {
    // An unexpected page: the self-test reports it, and Gmail is not affected.
    checkReader();
  }
}

/** Self-test: reports if the URL names a thread but none is found. */
function checkReader(): void {
  clearTimeout(unread);
  if (!shouldBeOpen(location)) return;
  unread = setTimeout(() => {
    if (!alive() || !shouldBeOpen(location) || document.hidden) return;
    let lost: string[] = ['thread'];
    try {
      if (openThread(document)) return;
      lost = missing(document);
    } catch {
      // Then the whole thread could not be read.
    }
    if (lost.length === 0) return;
    chip.trouble('changed', undefined);
    void sendToWorker({ say: 'reader', missing: lost }).catch(() => undefined);
  }, PATIENCE);
}

/** The texts of the open thread, for the side panel. */
function shownText(): TextReply | undefined {
  const view = openThread(document);
  return view && { account: view.opened.account, thread: view.opened.thread, subject: view.opened.subject, mails: view.messages.map(textOf) };
}

const soon = (): void => {
  timer ??= setTimeout(look, SOON);
};
const observer = new MutationObserver(soon);

function moved(): void {
  looks.forEach(clearTimeout);
  looks = LOOKS.map((ms) => setTimeout(look, ms));
  if (last === '') checkReader();
}

function stop(): void {
  observer.disconnect();
  removeEventListener('hashchange', moved);
  chip.clear();
}

if (window.top === window && isPrinted(location)) chip.trouble('printed', undefined);
else if (window.top === window) {
  // Only the extension can send messages to this script.
  chrome.runtime.onMessage.addListener((message: unknown, { id }, reply: (answer: unknown) => void) => {
    if (id === chrome.runtime.id && isAskText(message)) reply(shownText());
  });
  // A sent message gets its id later.
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-legacy-message-id'] });
  addEventListener('hashchange', moved);
  look();
  checkReader();
}
