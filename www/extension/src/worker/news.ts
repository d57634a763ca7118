// What the open pages are told unasked, by messages of the extension's own: they come from this worker alone, and need no answer.
import type { Change } from 'memfold';
import type { News } from '../messages';

/** Milliseconds for which it is gathered: an import writes fast. */
const GATHERED = 20;

let gathered: Change[] | undefined;

/** Tells the open pages what was written; that none is open is no fault. */
export function tell(changes: Change[]): void {
  if (gathered) return void gathered.push(...changes);
  const news = (gathered = [...changes]);
  setTimeout(() => {
    gathered = undefined;
    void chrome.runtime.sendMessage({ news } satisfies News).catch(() => undefined);
  }, GATHERED);
}

/** What the pages show beside the memories is another. */
export const noticed = (): void => tell([]);

/** Everything is gone. */
export const erased = (): void => tell([{ seq: 0, entry: '', action: 'clear', decision: 'DELETE', ids: [], own: true }]);
