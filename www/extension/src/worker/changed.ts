// Work after a write: counts pending reviews, updates the badge and schedules the backup copy. The
// engine reports the changes itself (engine.ts).
import { stillWaits } from '../../../shared/waits';
import { asides } from './base';
import { memories } from './engine';
import { kept } from './keep';
import { notifyPages } from './news';

/** Minutes from a change to the backup copy. */
const COPY_AFTER = 10;

/** Counts invalidations of the cached review count. */
let outdated = 0;

/** The number of pending reviews, cached for the session because counting reads the whole log. */
export async function waitingReviews(): Promise<number> {
  const { reviews } = (await chrome.storage.session.get('reviews')) as { reviews?: number };
  if (reviews !== undefined) return reviews;
  const before = outdated;
  const { review } = await memories();
  const found = (await review.list()).filter(stillWaits).length + (await review.changes()).length;
  // Not cached if something changed during the count.
  if (before === outdated) await chrome.storage.session.set({ reviews: found });
  return found;
}

/** Updates the badge with what needs the owner's attention. */
export async function badge(): Promise<void> {
  const [loss, missing] = [await kept('loss'), await kept('missing')];
  const aside = await asides().catch(() => []);
  const reviews = await waitingReviews().catch(() => undefined);
  const alarmed = reviews === undefined || loss !== undefined || (missing?.length ?? 0) > 0 || aside.length > 0;
  const text = alarmed ? '!' : reviews > 0 ? String(Math.min(reviews, 999)) : '';
  await chrome.action.setBadgeBackgroundColor({ color: alarmed ? '#b3261e' : '#0b6577' });
  await chrome.action.setBadgeTextColor({ color: '#ffffff' });
  await chrome.action.setBadgeText({ text });
}

/** Called after a write; `reviews` is false if no question can have changed. */
export async function changed({ reviews = true } = {}): Promise<void> {
  if (reviews) {
    outdated++;
    await chrome.storage.session.remove('reviews');
  }
  // Other data has changed; the engine reports memories itself.
  notifyPages();
  if (!(await chrome.alarms.get('copy'))) await chrome.alarms.create('copy', { delayInMinutes: COPY_AFTER });
  await badge();
}
