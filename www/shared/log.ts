// Reads the log in pages, since a long one would block the page's thread.
import type { LogEntry, LogQuery } from 'memfold';
import { engine } from './engine';

const PAGE = 250;

/** The entries of a query, newest first; with `from`, only those after that number. */
export async function logOf(query: LogQuery = {}, from = 0): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  for (let after = from; ; ) {
    const page = await engine.log.list({ ...query, after, limit: PAGE });
    for (const entry of page) all.push(entry);
    const last = page.at(-1);
    if (page.length < PAGE || !last) return all.reverse();
    after = last.seq;
  }
}
