// Notifies open pages of changes; they need no answer.
import type { Change } from 'memfold';
import type { News } from '../messages';

/** Milliseconds to collect changes, because an import writes fast. */
const GATHERED = 20;

let gathered: Change[] | undefined;

/** Notifies the open pages of changes; it is fine if none is open. */
export function tell(changes: Change[]): void {
  if (gathered) return void gathered.push(...changes);
  const news = (gathered = [...changes]);
  setTimeout(() => {
    gathered = undefined;
    void chrome.runtime.sendMessage({ news } satisfies News).catch(() => undefined);
  }, GATHERED);
}

/** Notifies the pages of changes outside the memories. */
export const notifyPages = (): void => tell([]);

/** Notifies the pages that everything was erased. */
export const erased = (): void => tell([{ seq: 0, entry: '', action: 'clear', decision: 'DELETE', ids: [], own: true }]);
