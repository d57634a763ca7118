// What models are asked, have cost, and were told.
import { check, finite, invalid, known, object, split } from './arguments.js';
import type { Running, Verbs } from './engine.js';
import type { Signal } from './host.js';
import { guarded } from './error.js';
import { sample } from './estimate.js';
import { pieces, turn, type Source } from './source.js';
import { lastFailure } from './troubles.js';
import type { Estimate, PendingOptions, PendingReport, Reembedding, Sent, Usage } from './types.js';

/** How memories are embedded anew. */
export interface ReembedCall {
  /** At most so many texts are sent; with 0 it only tells how many lack a vector. */
  maxTexts?: number;
  /** Stops between two calls of the embedder; what is done stays. */
  signal?: Signal;
  onProgress?(progress: Reembedding): void;
}

/** What went wrong with a request that was the last to fail, or whose reply was the last to be refused. */
export interface LastFailure extends Pick<Sent, 'time' | 'to' | 'model' | 'purpose'> {
  /** Why, as the log names it; `wrong_form` of a reply that was refused. */
  code: string;
  /** Of a refused reply: the rule that it breaks, as the log names it. */
  rule?: string;
}

/** Texts that one step of re-embedding takes. */
const STEP = 64;

/** Does `work` while no other tab does the same, where the host can tell; the next in turn finds the work done. */
function alone<T>(name: string, signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  return locks ? (locks.request(name, signal ? { signal } : {}, work) as Promise<T>) : work();
}

/** What models are asked, have cost, and were told. */
export class Models {
  readonly #held: Running;
  readonly #engine: Verbs;
  readonly #name: string;

  /** @internal */
  constructor(held: Running, engine: Verbs, name: string) {
    this.#held = held;
    this.#engine = engine;
    this.#name = name;
  }

  /**
   * What models were asked today, what is left of the day's budget, and what waits for an answer: for a meter. With the last of the
   * recent requests that failed or whose reply was refused, if one was. `onTrouble` of `open` hears of each.
   */
  usage(): Promise<Usage & { lastFailure?: LastFailure }> {
    return guarded(async () => {
      const [usage, failed] = [await this.#engine.usage(), await lastFailure(this.#engine)];
      if (!failed) return usage;
      const { at: time, entry: _, ...rest } = failed;
      return { ...usage, lastFailure: { time, ...rest } };
    });
  }

  /**
   * Asks the questions that wait because nobody answered in time or within budget, and settles what is answered, as a
   * review would: only what its owner has not looked at and nothing builds on. Rejects with `unsupported` without a model.
   */
  askPending(options?: PendingOptions & { signal?: Signal }): Promise<PendingReport> {
    return guarded(() => {
      const [rest, signal] = split(options);
      check(signal);
      return this.#engine.askPending(rest, signal);
    });
  }

  /**
   * About what an import of this source would ask: a dry run that sends nothing. Of more than 4 MB, whole mails from 16
   * places are read and the figures scaled up; a stream is read to its end.
   */
  estimate(source: Source, options?: { account?: string; signal?: Signal }): Promise<Estimate> {
    return guarded(async () => {
      const [rest, signal] = split(options);
      check(signal);
      const { source: read, times } = await sample(source);
      const intake = await this.#held.intake({ ...finite(rest), dryRun: true }, signal, true);
      for await (const chunk of pieces(read, 0, { signal: options?.signal, closing: this.#held.closing }).chunks) {
        check(signal);
        await intake.push(chunk);
        await turn();
      }
      await intake.finish();
      const { mails, drafts, calls, tokens } = await intake.estimate();
      const scaled = (n: number) => Math.round(n * times);
      return { mails: scaled(mails), drafts: scaled(drafts), calls: scaled(calls), tokens: scaled(tokens) };
    });
  }

  /**
   * Sends the current memories that `embeddings` or `embedder` has made no vectors of. It can be stopped and goes on where
   * it was, one tab at a time; a failing embedder is told as `stopped`.
   */
  reembed(options?: ReembedCall): Promise<Reembedding> {
    return guarded(async () => {
      const [{ onProgress, maxTexts = Infinity, ...unknown }, signal] = split(options);
      known(unknown, ['maxTexts', 'signal', 'onProgress']);
      if (typeof maxTexts !== 'number' || !(maxTexts >= 0)) throw invalid('maxTexts', 'is not a number from 0');
      check(signal);
      const work = async (): Promise<Reembedding> => {
        for (let embedded = 0; ; ) {
          const step = await this.#engine.reembed(Math.min(STEP, maxTexts - embedded), signal);
          embedded += step.embedded;
          const report = { ...step, embedded };
          onProgress?.(report);
          if (step.stopped || step.waiting <= step.failed || embedded >= maxTexts) return report;
        }
      };
      return alone(`memfold/${this.#name}/reembed`, options?.signal, work).catch((error) => {
        check(signal);
        throw error;
      });
    });
  }

  /** The last requests that left this device for a model, newest first, with the texts as they were sent; 500 at most are kept. */
  sent(options?: { limit?: number }): Promise<Sent[]> {
    return guarded(() => {
      const { limit } = object(options, 'options');
      if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) throw invalid('limit', 'is not a number of requests');
      return this.#engine.sent(limit);
    });
  }

  /** Forgets which requests left this device. */
  clearSent(): Promise<void> {
    return guarded(async () => void (await this.#engine.clearSent()));
  }
}
