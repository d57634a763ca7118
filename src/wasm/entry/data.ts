// All that is stored, as a whole.
import { invalid, list, object, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { MemfoldError, guarded, typed } from './error.js';
import type { Analytics, Answer, CheckReport, DeletePreview, Difference, ImportReport, LogEntry, LogQuery, Pulse, SearchOptions } from './types.js';

/** An entry of the log, as it stands now. */
export interface LoggedEntry extends LogEntry {
  /** The later entry that took this one back, where one did. */
  undoneBy?: string;
}

/** What a line of an export holds. */
const LINES = /^\s*\{\s*"(header|memory|edge|entry)"/;

/** An error about a line of an export: a line that is none says so, instead of which field it lacks. */
function misread(error: MemfoldError, lines: string): MemfoldError {
  const number = Number(/^line (\d+): /.exec(error.message)?.[1]);
  if (!(number > 0)) return error;
  const all = lines.split('\n');
  const line = all[number - 1] ?? '';
  const last = all.slice(number).every((rest) => rest.trim() === '');
  let why = LINES.test(line) ? undefined : 'is no line of an export';
  try {
    JSON.parse(line);
  } catch {
    why = last && /^\s*[{[]/.test(line) ? 'is cut off' : 'is no JSON';
  }
  return why === undefined ? error : new MemfoldError('invalid_input', `line ${number} ${why}`, { cause: error });
}

/** All that is stored, as a whole: its log, its copies, its state, and what goes for good. */
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

  /** What differs between two versions: by property, and word by word. */
  diff(from: string, to: string): Promise<Difference> {
    return guarded(() => this.#engine.diff(text(from, 'from'), text(to, 'to')));
  }

  /** The memories that answer a question (`search`), how it was read, and why nothing was found where nothing was. */
  explainSearch(query: string, options?: SearchOptions): Promise<Answer> {
    return guarded(() => this.#engine.answer(text(query, 'query'), object(options, 'options')));
  }

  /** Everything, as JSON Lines. */
  export(): Promise<string> {
    return guarded(() => this.#engine.export());
  }

  /**
   * Takes in an export. What is there already stays as it is; a version that is new to a chain takes its place in it.
   * The report names the entries to `undo`, and has an export of what was stored before.
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

  /** Verifies every invariant of the store and names what is wrong. */
  verify(): Promise<CheckReport> {
    return guarded(() => this.#engine.check());
  }

  /** What the log adds up to, or those of its entries that a query names. */
  stats(query?: LogQuery): Promise<Analytics> {
    return guarded(() => this.#engine.analytics(object(query, 'query')));
  }

  /** How well the memory does: merges, calls, tokens and the hit rate over the last days (90), and what might help. */
  metrics(options?: { days?: number }): Promise<Pulse> {
    return guarded(() => {
      const { days = 90 } = object(options, 'options');
      if (!Number.isInteger(days)) throw invalid('days', 'is not a whole number');
      return this.#engine.pulse(days);
    });
  }

  /** What a request in words (998 characters at most) would delete; nothing is deleted. Confirm with `delete` or `data.forget` and the ids. */
  previewDelete(request: string): Promise<DeletePreview> {
    return guarded(() => this.#engine.previewDelete(text(request, 'request')));
  }

  /** Erases memories, 1 to 1,000 at once, for good: versions, vectors, links and every text of the log that could repeat them. */
  forget(ids: string | string[]): Promise<LogEntry> {
    return guarded(() => this.#engine.forget(list(ids)));
  }
}
