// What a memory does while nobody asks it anything.
import type { Signal } from './host.js';
import { named, object, split } from './arguments.js';
import type { Verbs } from './engine.js';
import { guarded } from './error.js';
import { turn } from './source.js';
import type { Finalized, Memory, MergeCandidates, SleepOptions, SleepReport } from './types.js';

/** How far a sleep cycle goes. */
export interface SleepCall extends SleepOptions {
  /** Stops between two steps; what is done stays, and the report says so. */
  signal?: Signal;
  /** Called as the work goes on, with what was done so far. */
  onProgress?(report: SleepReport): void;
}

/** Memories that one step of a cycle looks at. */
const SLICE = 100;

/** Two reports of a sleep cycle, one after the other, as one. */
function added(a: SleepReport, b: SleepReport): SleepReport {
  const sum: SleepReport = { ...b, before: a.before, entries: [...a.entries, ...b.entries] };
  for (const field of ['lookedAt', 'merges', 'folded', 'tagged', 'moved', 'promoted', 'sessions', 'calls', 'tokens', 'millis'] as const) {
    sum[field] = a[field] + b[field];
  }
  const why = [...new Set([...a.skipped, ...b.skipped].map((s) => s.why))];
  const times = (list: SleepReport['skipped'], of: string) => list.find((s) => s.why === of)?.count ?? 0;
  sum.skipped = why.map((of) => ({ why: of, count: times(a.skipped, of) + times(b.skipped, of) }));
  return sum;
}

/** What a memory does while nobody asks it anything: it ends sessions, fades, tags, and folds what says the same. */
export class Sleep {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /**
   * Runs the sleep cycle for a while: memories fade, get tags, and those that say nearly the same become one that keeps
   * every number and name; the originals are archived. Call it when a session ends, by the hour, or from an alarm: a run
   * looks at 500 memories, the next goes on behind them, and two at once never do the same work.
   *
   * With `analyst` or `endpoint`, tags and summaries are its own, within 30 % of the day's tokens and `maxTokens` a run (20,000
   * where absent; with 0 nobody is asked). A summary that lacks a number or name of its sources, or has one more, is refused
   * and logged; then, and where no answer comes, both are made by rule.
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
      // In slices, so that others get their turn and whoever looks sees it go on.
      let sum: SleepReport | undefined;
      for (let left = maxNodes; left > 0; ) {
        const maxTokens = typeof rest.maxTokens !== 'number' ? {} : { maxTokens: Math.max(0, rest.maxTokens - (sum?.tokens ?? 0)) };
        const next = await this.#cycle({ ...rest, ...maxTokens, maxNodes: Math.min(SLICE, left) }, signal);
        left -= SLICE;
        sum = sum ? added(sum, next) : next;
        onProgress?.(sum);
        if (next.finished || signal?.aborted || next.skipped.some((s) => s.why === 'leased')) break;
        await turn();
      }
      return sum!;
    });
  }

  /** One call of the engine, which leaves out a list that has nothing in it. */
  async #cycle(options: SleepOptions, signal: AbortSignal | undefined): Promise<SleepReport> {
    const report: Partial<SleepReport> = await this.#engine.runSleepCycle(options, signal);
    return { candidates: [], ...report } as unknown as SleepReport;
  }

  /** What a sleep cycle would merge. Nothing is written. */
  candidates(options?: SleepOptions): Promise<MergeCandidates[]> {
    return guarded(() => this.#engine.collectMergeCandidates(object(options, 'options')));
  }

  /** Ends a session: hot questions and their tags are kept for the long term, and what was found is remembered better. */
  endSession(session?: string): Promise<Finalized> {
    return guarded(() => this.#engine.finalizeSession(named(session)));
  }

  /** Names the tags of what was asked in a session so far; all its tags. */
  nameTags(session?: string): Promise<Memory[]> {
    return guarded(() => this.#engine.waitForTagging(named(session)));
  }
}
