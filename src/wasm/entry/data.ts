// `Data`: operations on the whole store.
import { invalid, list, object, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { MemfoldError, guarded, typed } from './error.js';
import type { Analytics, Answer, CheckReport, DeletePreview, Difference, ImportReport, LogEntry, LogQuery, Pulse, SearchOptions } from './types.js';

/** A log entry with its current state. */
export interface LoggedEntry extends LogEntry {
  /** The id of the later entry that undid this one. */
  undoneBy?: string;
}

/** The start of a valid export line. */
const LINES = /^\s*\{\s*"(header|memory|edge|entry)"/;

/** Explains a malformed export line, instead of naming the field that it lacks. */
function misread(error: MemfoldError, lines: string): MemfoldError {
  const number = Number(/^line (\d+): /.exec(error.message)?.[1]);
  if (!(number > 0)) return error;
  const all = lines.split('\n');
  const line = all[number - 1] ?? '';
  const last = all.slice(number).every((rest) => rest.trim() === '');
  let why = LINES.test(line) ? undefined : 'is not an export line';
  try {
    JSON.parse(line);
  } catch {
    why = last && /^\s*[{[]/.test(line) ? 'is truncated' : 'is not JSON';
  }
  return why === undefined ? error : new MemfoldError('invalid_input', `line ${number} ${why}`, { cause: error });
}

/** Operations on the whole store: log, export, statistics and permanent deletion. */
export class Data {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /** The log of decisions, oldest first. */
  log(query?: LogQuery): Promise<LoggedEntry[]> {
    return guarded(async () => {
      const [entries, undone] = await this.#engine.log(object(query, 'query'));
      const by = new Map(undone);
      return entries.map((entry) => (by.has(entry.id) ? { ...entry, undoneBy: by.get(entry.id)! } : entry));
    });
  }

  /** The differences between two versions, by property and word by word. */
  diff(from: string, to: string): Promise<Difference> {
    return guarded(() => this.#engine.diff(text(from, 'from'), text(to, 'to')));
  }

  /** The results of `search`, with the interpreted query and the reason for an empty result. */
  explainSearch(query: string, options?: SearchOptions): Promise<Answer> {
    return guarded(() => this.#engine.answer(text(query, 'query'), object(options, 'options')));
  }

  /** Exports all data as JSON Lines. */
  export(): Promise<string> {
    return guarded(() => this.#engine.export());
  }

  /**
   * Imports an export. Existing memories stay unchanged; a new version is inserted into its chain. The report lists the
   * entries to `undo` and contains an export of the previous state.
   */
  import(lines: string): Promise<ImportReport> {
    return guarded(async () => {
      const given = text(lines, 'lines').replace(/^\ufeff/, '');
      try {
        return await this.#engine.import(given);
      } catch (error) {
        throw misread(typed(error), given);
      }
    });
  }

  /** Checks every invariant of the store and reports violations. */
  verify(): Promise<CheckReport> {
    return guarded(() => this.#engine.check());
  }

  /** Statistics of the log, or of the entries that match a query. */
  stats(query?: LogQuery): Promise<Analytics> {
    return guarded(() => this.#engine.analytics(object(query, 'query')));
  }

  /** Usage and quality over the last days (90 by default): merges, calls, tokens and hit rate, with suggestions. */
  metrics(options?: { days?: number }): Promise<Pulse> {
    return guarded(() => {
      const { days = 90 } = object(options, 'options');
      if (!Number.isInteger(days)) throw invalid('days', 'is not a whole number');
      return this.#engine.pulse(days);
    });
  }

  /** Shows what a request in natural language (up to 998 characters) would delete. Confirm with `delete` or `data.forget` and the ids. */
  previewDelete(request: string): Promise<DeletePreview> {
    return guarded(() => this.#engine.previewDelete(text(request, 'request')));
  }

  /** Permanently erases 1 to 1,000 memories: versions, vectors, links and all text in the log that could repeat them. */
  forget(ids: string | string[]): Promise<LogEntry> {
    return guarded(() => this.#engine.forget(list(ids)));
  }
}
