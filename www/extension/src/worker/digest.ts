// The optional daily notification with the number of new, changed, open and due items. It has no
// content, because others may see notifications.
import { dayAt, dayOf, daysAfter, isDay } from '../../../shared/days';
import { memories } from './engine';
import { keep, kept, settings } from './keep';

export const ALARM = 'digest';
const DAY = 86_400_000;
/** The hour of the notification. */
const HOUR = 8;

const WORDS = {
  en: {
    title: 'memfold: since yesterday',
    words: (d: Digest) => `${d.fresh} new, ${d.changed} changed. ${d.due} due today or tomorrow, ${d.asked} to answer.`,
  },
  ko: {
    title: 'memfold: 어제부터',
    words: (d: Digest) => `새 기억 ${d.fresh}개, 바뀐 기억 ${d.changed}개. 오늘과 내일 예정 ${d.due}건, 답할 질문 ${d.asked}건.`,
  },
} as const;

export type Digest = { fresh: number; changed: number; due: number; asked: number };

/** Sets or clears the alarm according to the settings. */
export async function setAlarm(): Promise<void> {
  const { digest } = await settings();
  if (!digest) return void (await chrome.alarms.clear(ALARM));
  if (await chrome.alarms.get(ALARM)) return;
  const next = new Date();
  next.setHours(HOUR, 0, 0, 0);
  if (next.getTime() <= Date.now()) next.setDate(next.getDate() + 1);
  await chrome.alarms.create(ALARM, { when: next.getTime(), periodInMinutes: 1_440 });
}

/** The counts since the last digest. */
export async function gathered(now = Date.now()): Promise<Digest> {
  const engine = await memories();
  const since = (await kept('digestAt')) ?? now - DAY;
  const log = await engine.log.list({ from: new Date(since).toISOString() });
  const wrote = log.filter((e) => e.action === 'consolidate' && e.status === 'success' && e.touched.length > 0);
  const today = dayOf(new Date(now));
  const days = [today, daysAfter(today, 1)];
  const due = (await engine.list({ limit: 1_000 })).filter((m) => {
    const at = m.validUntil ?? m.occurredAt;
    const said = m.statedAt ?? m.createdAt;
    const isAhead = m.validUntil !== undefined || (isDay(at) ? at >= dayAt(said) : Date.parse(at) > Date.parse(said));
    return m.category !== 'ads' && isAhead && days.includes(dayAt(at)) && (isDay(at) || Date.parse(at) >= now);
  });
  const changed = wrote.filter((e) => e.decision === 'UPDATE').length;
  return { fresh: wrote.length - changed, changed, due: due.length, asked: (await engine.review.list()).length + (await engine.review.changes()).length };
}

/** Shows the digest, if it is not empty and still wanted. */
export async function tell(): Promise<void> {
  const { digest } = await settings();
  if (!digest || !(await chrome.permissions.contains({ permissions: ['notifications'] }))) return;
  const now = Date.now();
  const found = await gathered(now);
  await keep('digestAt', now);
  if (Object.values(found).every((n) => n === 0)) return;
  const w = WORDS[/^ko\b/i.test(chrome.i18n.getUILanguage()) ? 'ko' : 'en'];
  await chrome.notifications.create('digest', { type: 'basic', iconUrl: chrome.runtime.getURL('icons/128.png'), title: w.title, message: w.words(found) });
}

/** A click on the notification opens the panel's page. */
export function listen(): void {
  chrome.notifications?.onClicked.addListener((id) => {
    if (id !== 'digest') return;
    void chrome.notifications.clear(id);
    void chrome.tabs.create({ url: chrome.runtime.getURL('panel.html#/memories') });
  });
}
