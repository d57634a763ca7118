// `Sleep`: background maintenance of a memory.
import type { Signal } from './host.js';
import { named, object, split } from './arguments.js';
import type { Verbs } from './engine.js';
import { guarded } from './error.js';
import { turn } from './source.js';
import type { Finalized, Memory, MergeCandidates, SleepOptions, SleepReport } from './types.js';

/** Options of a sleep cycle. */
export interface SleepCall extends SleepOptions {
  /** Stops between two steps; finished steps are kept, and the report says so. */
  signal?: Signal;
  /** Called with the report so far. */
  onProgress?(report: SleepReport): void;
}

/** The memories in one step of a cycle. */
const SLICE = 100;

/** Adds up two consecutive reports. */
function addReports(a: SleepReport, b: SleepReport): SleepReport {
  const sum: SleepReport = { ...b, before: a.before, entries: [...a.entries, ...b.entries] };
  for (const field of ['lookedAt', 'merges', 'folded', 'tagged', 'moved', 'promoted', 'sessions', 'calls', 'tokens', 'millis'] as const) {
    sum[field] = a[field] + b[field];
  }
  const why = [...new Set([...a.skipped, ...b.skipped].map((s) => s.why))];
  const times = (list: SleepReport['skipped'], of: string) => list.find((s) => s.why === of)?.count ?? 0;
  sum.skipped = why.map((of) => ({ why: of, count: times(a.skipped, of) + times(b.skipped, of) }));
  return sum;
}

/** Background maintenance of a memory: ends sessions, and decays, tags and merges memories. */
export class Sleep {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /**
   * Runs the sleep cycle for a limited time: memories decay, get tags, and near duplicates are merged into a summary
   * that keeps every number and name. The originals are archived. Call it at the end of a session, hourly, or from an
   * alarm: a run processes 500 memories, and the next continues after them. If two runs meet, one of them skips the step.
   *
   * With a model, it writes tags and summaries, within 30 % of the daily tokens and `maxTokens`
   * for each run (20,000 by default; 0 for none). A summary that lacks or adds a number or name is refused and logged.
   * Then, or without a reply, rules are used.
   */
  run(options?: SleepCall): Promise<SleepReport> {
    return guarded(async () => {
      const [{ onProgress, ...rest }, signal] = split(options);
      const maxNodes = rest.maxNodes ?? 0;
      if (rest.dryRun || !(maxNodes > SLICE)) {
        const report = await this.#cycle(rest, signal);
        onProgress?.(report);
        return report;
      }
      // In slices, to yield to the event loop and report progress.
      let sum: SleepReport | undefined;
      for (let left = maxNodes; left > 0; ) {
        const maxTokens = typeof rest.maxTokens !== 'number' ? {} : { maxTokens: Math.max(0, rest.maxTokens - (sum?.tokens ?? 0)) };
        const next = await this.#cycle({ ...rest, ...maxTokens, maxNodes: Math.min(SLICE, left) }, signal);
        left -= SLICE;
        sum = sum ? addReports(sum, next) : next;
        onProgress?.(sum);
        if (next.finished || signal?.aborted) break;
        await turn();
      }
      return sum!;
    });
  }

  /** One engine call; adds the list that the engine omits if empty. */
  async #cycle(options: SleepOptions, signal: AbortSignal | undefined): Promise<SleepReport> {
    const report: Partial<SleepReport> = await this.#engine.runSleepCycle(options, signal);
    return { candidates: [], ...report } as unknown as SleepReport;
  }

  /** The memories that a sleep cycle would merge. Nothing is written. */
  candidates(options?: SleepOptions): Promise<MergeCandidates[]> {
    return guarded(() => this.#engine.collectMergeCandidates(object(options, 'options')));
  }

  /** Ends a session: frequent queries and their tags become long-term, and found memories are retained better. */
  endSession(session?: string): Promise<Finalized> {
    return guarded(() => this.#engine.finalizeSession(named(session)));
  }

  /** Generates the tags for the queries of a session so far; returns all of its tags. */
  nameTags(session?: string): Promise<Memory[]> {
    return guarded(() => this.#engine.waitForTagging(named(session)));
  }
}
