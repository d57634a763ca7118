// After something was written: how many decisions wait for their owner, the badge on the extension's button, and the second copy. What
// was written the engine tells by itself (engine.ts).
import { stillWaits } from '../../../shared/waits';
import { asides } from './base';
import { memories } from './engine';
import { kept } from './keep';
import { noticed } from './news';

/** Minutes after a change at which the second copy is made. */
const COPY_AFTER = 10;

/** How often the count has become old. */
let outdated = 0;

/** How many decisions wait for their owner. Counting reads the whole log, so the count is kept for the session. */
export async function waitingReviews(): Promise<number> {
  const { reviews } = (await chrome.storage.session.get('reviews')) as { reviews?: number };
  if (reviews !== undefined) return reviews;
  const before = outdated;
  const { review } = await memories();
  const found = (await review.list()).filter(stillWaits).length + (await review.changes()).length;
  // What came in while it was counting is not in it.
  if (before === outdated) await chrome.storage.session.set({ reviews: found });
  return found;
}

/** Shows what needs its owner's eye. */
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

/** Something was written, and unless it is known not to, it may have raised or answered a question. */
export async function changed({ reviews = true } = {}): Promise<void> {
  if (reviews) {
    outdated++;
    await chrome.storage.session.remove('reviews');
  }
  // The count is another; of the memories the engine has told.
  noticed();
  if (!(await chrome.alarms.get('copy'))) await chrome.alarms.create('copy', { delayInMinutes: COPY_AFTER });
  await badge();
}
