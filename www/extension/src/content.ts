// In Gmail's page: notices that a mail is open, has it read, and shows what became of it. It decides nothing, keeps nothing,
// and calls nobody but the extension's own worker; whatever fails here, Gmail goes on.
import { Chip } from './chip';
import { asShown, isPrinted, legible, missing, openThread, original, shouldBeOpen, textOf, type View } from './gmail';
import { isAskText, MOST_RAW, type FromMail, type Read, type TextReply, type ToMail } from './messages';

/** Milliseconds between a change of the page and a look at it. */
const SOON = 30;
/** Milliseconds after which a reading that goes on is told. */
const SLOW = 700;
/** Milliseconds that Gmail may take to draw a thread before the reader says that it found nothing. */
const PATIENCE = 8_000;
const TRIES = 4;
/** Milliseconds after a navigation at which the page is looked at: what Gmail only makes visible changes no node. */
const LOOKS = [SOON, 150, 500, 1_500];

const chip = new Chip(() => void tell({ say: 'panel' }).catch(() => undefined));
let last = '';
let run = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let looks: ReturnType<typeof setTimeout>[] = [];
let unread: ReturnType<typeof setTimeout> | undefined;
/** Originals in a row that Gmail has not given, and until when none is asked for: what the page shows has no checks of its sender, so it proves nothing. */
let refused = 0;
let refusedUntil = 0;
/** Milliseconds after which it is asked again. */
const AGAIN = 30_000;

const alive = (): boolean => chrome.runtime?.id !== undefined;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Says something to the worker; one that was stopped in the middle is asked again. */
async function tell(message: FromMail): Promise<ToMail> {
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

/** Has a thread read and shows the outcome, unless another was opened in the meantime. */
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
    const first = await tell({ say: 'opened', view: view.opened });
    if (first.fault || first.off || !first.wanted?.length) return show(first);
    const mails = await read(view, first.wanted);
    show(await tell({ say: 'mails', view: view.opened, mails }));
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
    // What is said of one thread never stands beside another; one that grew keeps its chip until there is news.
    if (!view || !last.startsWith(`${view.opened.account} ${view.opened.thread} `)) chip.clear();
    last = now;
    looks.forEach(clearTimeout);
    clearTimeout(unread);
    if (view) return void follow(view);
    run++;
    expect();
  } catch {
    // A page that nobody foresaw: said by the self-test, and never felt by Gmail.
    expect();
  }
}

/** The self-test: where the address bar names a thread and the reader finds none, it says so. */
function expect(): void {
  clearTimeout(unread);
  if (!shouldBeOpen(location)) return;
  unread = setTimeout(() => {
    if (!alive() || !shouldBeOpen(location) || document.hidden) return;
    let lost: string[] = ['thread'];
    try {
      if (openThread(document)) return;
      lost = missing(document);
    } catch {
      // Then the whole thread is what could not be read.
    }
    if (lost.length === 0) return;
    chip.trouble('changed', undefined);
    void tell({ say: 'reader', missing: lost }).catch(() => undefined);
  }, PATIENCE);
}

/** The texts of the open thread, for the panel that is open beside it. */
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
  if (last === '') expect();
}

function stop(): void {
  observer.disconnect();
  removeEventListener('hashchange', moved);
  chip.clear();
}

if (window.top === window && isPrinted(location)) chip.trouble('printed', undefined);
else if (window.top === window) {
  // Only the extension itself can send a message to this script.
  chrome.runtime.onMessage.addListener((message: unknown, { id }, reply: (answer: unknown) => void) => {
    if (id === chrome.runtime.id && isAskText(message)) reply(shownText());
  });
  // A message that was just sent gets its number later.
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-legacy-message-id'] });
  addEventListener('hashchange', moved);
  look();
  expect();
}
