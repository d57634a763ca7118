// The log in pages: a long one at one go would hold the page's thread up while it arrives.
import type { LogEntry, LogQuery } from 'memfold';
import { engine } from './engine';

const PAGE = 250;

/** The decisions that a query names, the newest first; with `from`, those after that number alone. */
export async function logOf(query: LogQuery = {}, from = 0): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  for (let after = from; ; ) {
    const page = await engine.data.log({ ...query, after, limit: PAGE });
    for (const entry of page) all.push(entry);
    const last = page.at(-1);
    if (page.length < PAGE || !last) return all.reverse();
    after = last.seq;
  }
}
