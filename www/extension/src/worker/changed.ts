// Tells whoever looks that there is something new: the open pages, and the badge on the extension's button.
import { memories } from './engine';
import { kept } from './keep';

const pages = new BroadcastChannel('memfold-demo');

/** Minutes after a change at which the second copy is made. */
const COPY_AFTER = 2;

export async function badge(): Promise<void> {
  const [loss, missing] = [await kept('loss'), await kept('missing')];
  const reviews = await memories().then((m) => m.reviews()).then((r) => r.length, () => undefined);
  const alarmed = reviews === undefined || loss !== undefined || (missing?.length ?? 0) > 0;
  const text = alarmed ? '!' : reviews > 0 ? String(Math.min(reviews, 999)) : '';
  await chrome.action.setBadgeBackgroundColor({ color: alarmed ? '#b3261e' : '#0b6577' });
  await chrome.action.setBadgeTextColor({ color: '#ffffff' });
  await chrome.action.setBadgeText({ text });
}

/** Something was written. */
export async function changed(): Promise<void> {
  pages.postMessage('changed');
  if (!(await chrome.alarms.get('copy'))) await chrome.alarms.create('copy', { delayInMinutes: COPY_AFTER });
  await badge();
}

/** What the pages are told of has changed, but no memory. */
export const noticed = (): void => pages.postMessage('changed');
