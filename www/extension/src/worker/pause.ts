// Pauses and their end. An expired pause has no effect; the alarm only removes it and notifies the
// pages.
import type { Opened, Pause, Settings } from '../messages';
import { keep, settings } from './keep';
import { notifyPages } from './news';

export const ALARM = 'pause';

const isOver = ({ until }: Pause, now: number): boolean => until !== null && until <= now;
const same = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();
/** The pause that ends last. */
const longest = (some: readonly Pause[]): Pause | undefined => [...some].sort((a, b) => (b.until ?? Number.MAX_VALUE) - (a.until ?? Number.MAX_VALUE))[0];

/** The pause of a whole thread, if any. */
export function paused(view: Opened, s: Settings, now = Date.now()): Pause | undefined {
  const running = s.pauses.filter((p) => !isOver(p, now));
  const whole = longest(running.filter((p) => p.of === 'all' || (p.of === 'label' && view.labels.some((l) => same(l, p.name)))));
  if (whole) return whole;
  const by = view.messages.map((m) => longest(running.filter((p) => p.of === 'sender' && same(p.name, m.from))));
  // Unless all authors are paused, the other authors' messages are read.
  return by.length > 0 && by.every((p) => p !== undefined) ? longest(by.filter((p) => p !== undefined)) : undefined;
}

/** Whether a sender is paused. */
export const isPaused = (from: string, s: Settings, now = Date.now()): boolean =>
  s.pauses.some((p) => p.of === 'sender' && !isOver(p, now) && same(p.name, from));

/** Sets the alarm for the next end. */
export async function setAlarm(): Promise<void> {
  const ends = (await settings()).pauses.flatMap((p) => p.until ?? []);
  if (ends.length === 0) await chrome.alarms.clear(ALARM);
  else await chrome.alarms.create(ALARM, { when: Math.min(...ends) });
}

/** Removes expired pauses. */
export async function end(): Promise<void> {
  const s = await settings();
  const left = s.pauses.filter((p) => !isOver(p, Date.now()));
  if (left.length < s.pauses.length) {
    await keep('settings', { ...s, pauses: left });
    notifyPages();
  }
  await setAlarm();
}
