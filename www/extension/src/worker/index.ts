// The service worker: checks senders of messages and handles events. It may be stopped at any time,
// so all state is stored.
import { faultOf } from '../../../shared/engine/error';
import { isFromMail, isFromPage, type FromMail, type FromPage, type ToMail, type ToPage } from '../messages';
import * as archive from './archive';
import { asides, dropAside } from './base';
import { badge } from './changed';
import * as digest from './digest';
import * as pause from './pause';
import { copy, memories } from './engine';
import { codeOf } from './fault';
import { discard, keep, kept, settings } from './keep';
import { notifyPages } from './news';
import { drain, onMails, onOpened } from './queue';
import { rest } from './rest';
import { answered } from './verbs';

const GMAIL = 'https://mail.google.com';
const PAGES = new Set(['/panel.html', '/options.html', '/welcome.html']);

type Sender = chrome.runtime.MessageSender;

/** Whether the sender is our content script in a tab's top frame of Gmail. */
const isGmail = (s: Sender): boolean =>
  s.id === chrome.runtime.id && s.origin === GMAIL && s.frameId === 0 && s.tab?.id !== undefined && new URL(s.url ?? 'about:blank').origin === GMAIL;

/** Whether the sender is one of the extension's pages. */
const isOwn = (s: Sender): boolean => {
  const url = new URL(s.url ?? 'about:blank');
  return s.id === chrome.runtime.id && url.origin === location.origin && PAGES.has(url.pathname);
};

async function mail(message: FromMail, tab: chrome.tabs.Tab): Promise<ToMail> {
  switch (message.say) {
    case 'opened':
      await chrome.storage.session.set({
        [`tab:${tab.id}`]: {
          account: message.view.account,
          thread: message.view.thread,
          subject: message.view.subject,
          labels: message.view.labels,
          senders: [...new Set(message.view.messages.map((m) => m.from))],
          at: Date.now(),
        },
      });
      if (await kept('missing')) await discard('missing');
      return guarded(() => onOpened(message.view));
    case 'mails':
      return guarded(() => onMails(message.view, message.mails));
    case 'reader':
      await keep('missing', message.missing);
      await badge();
      notifyPages();
      return {};
    case 'panel':
      return {};
  }
}

async function guarded(work: () => Promise<ToMail>): Promise<ToMail> {
  try {
    return await work();
  } catch (reason) {
    console.warn('memfold:', reason);
    return { fault: codeOf(reason) };
  }
}

async function page({ ask, args }: FromPage): Promise<ToPage> {
  try {
    return { value: await answered(ask, args) };
  } catch (reason) {
    return { fault: faultOf(reason) };
  }
}

chrome.runtime.onMessage.addListener((message: unknown, sender, reply) => {
  if (isFromMail(message) && isGmail(sender) && sender.tab) {
    // Synchronous, because a panel opens only in response to the click.
    if (message.say === 'panel') void chrome.sidePanel.open({ tabId: sender.tab.id! }).catch(() => undefined);
    void mail(message, sender.tab).then(reply);
    return true;
  }
  if (isFromPage(message) && isOwn(sender)) {
    void page(message).then(reply);
    return true;
  }
  return false;
});

// Content scripts must not read settings or the wrapped key.
void chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' });
void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });

chrome.runtime.onInstalled.addListener(({ reason }) => {
  void chrome.alarms.create('rest', { delayInMinutes: 30, periodInMinutes: 60 });
  void chrome.alarms.create('daily', { delayInMinutes: 10, periodInMinutes: 720 });
  void digest.setAlarm();
  if (reason === 'install') void first();
});
digest.listen();

/** Opens the first-run page once. */
async function first(): Promise<void> {
  if (await kept('welcomed')) return;
  await keep('welcomed', true);
  await chrome.tabs.create({ url: chrome.runtime.getURL('welcome.html') });
}

const ALARMS: Record<string, () => Promise<unknown>> = {
  queue: drain,
  archive: archive.resume,
  copy,
  rest,
  [digest.ALARM]: digest.tell,
  [pause.ALARM]: pause.end,
  daily: async () => {
    await expire();
    await copy();
  },
};

chrome.alarms.onAlarm.addListener(({ name }) => {
  if (Object.hasOwn(ALARMS, name)) void ALARMS[name]!().catch((reason) => console.warn('memfold:', name, reason));
});

chrome.tabs.onRemoved.addListener((id) => void chrome.storage.session.remove(`tab:${id}`));

/** Most memories erased in one daily run. */
const MOST = 500;
const DAY = 86_400_000;

/** Erases memories older than the retention period, except core ones. */
async function expire(): Promise<void> {
  const { retentionDays } = await settings();
  if (retentionDays === 0) return;
  const engine = await memories();
  const before = Date.now() - retentionDays * DAY;
  const old: string[] = [];
  for (let after: string | undefined; old.length < MOST; ) {
    const some = await engine.list({ limit: 1_000, ...(after ? { after } : {}) });
    old.push(...some.filter((m) => m.retention !== 'core' && Date.parse(m.createdAt) < before).map((m) => m.id));
    after = some.at(-1)?.id;
    if (some.length < 1_000) break;
  }
  if (old.length > 0) await answered('erase', [old.slice(0, MOST)]);
  for (const mail of await asides()) if (mail.asideAt < before) await dropAside(mail.key);
}

// Resumes unfinished work after every start.
void drain().catch((reason) => console.warn('memfold:', reason));
void archive
  .running()
  .then((yes) => (yes ? archive.resume() : undefined))
  .catch((reason) => console.warn('memfold:', reason));
