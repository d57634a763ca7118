// `Log`: the log of decisions and its statistics.
import { invalid, object } from './arguments.js';
import type { Verbs } from './engine.js';
import { guarded } from './error.js';
import { turn } from './source.js';
import type { Analytics, LogEntry, LogQuery, UsageStats } from './types.js';

/** Entries in a page of `each`. */
const PAGE = 250;

/** A log entry with its current state. */
export interface LoggedEntry extends LogEntry {
  /** The id of the later entry that undid this one. */
  undoneBy?: string;
}

/** The log: one entry for each decision, with its reasons. */
export class Log {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /** The entries that match a query, oldest first. */
  list(query?: LogQuery): Promise<LoggedEntry[]> {
    return guarded(async () => {
      const [entries, undone] = await this.#engine.log(object(query, 'query'));
      const by = new Map(undone);
      return entries.map((entry) => (by.has(entry.id) ? { ...entry, undoneBy: by.get(entry.id)! } : entry));
    });
  }

  /** All entries that match, oldest first, read page by page: `for await (const entry of memories.log.each()) …`. */
  async *each(query?: Omit<LogQuery, 'after' | 'limit' | 'newestFirst'>): AsyncGenerator<LoggedEntry, void> {
    let page: LoggedEntry[];
    let after = 0;
    do {
      page = await this.list({ ...object(query, 'query'), after, limit: PAGE });
      yield* page;
      after = page.at(-1)?.seq ?? after;
      await turn();
    } while (page.length === PAGE);
  }

  /** Statistics of the log, or of the entries that match a query. */
  stats(query?: LogQuery): Promise<Analytics> {
    return guarded(() => this.#engine.analytics(object(query, 'query')));
  }

  /** Usage and quality over the last days (90 by default): merges, calls, tokens and hit rate. */
  metrics(options?: { days?: number }): Promise<UsageStats> {
    return guarded(() => {
      const { days = 90 } = object(options, 'options');
      if (!Number.isInteger(days)) throw invalid('days', 'is not a whole number');
      return this.#engine.pulse(days);
    });
  }
}
