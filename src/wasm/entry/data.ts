// `Data`: export, import and verification of the whole store.
import { text } from './arguments.js';
import type { Verbs } from './engine.js';
import { MemfoldError, guarded, typed } from './error.js';
import type { CheckReport, ImportReport } from './types.js';

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

/** The whole store: export, import and verification. */
export class Data {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
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
}
