// `Models`: usage of models and embedders, and the requests sent to them.
import { check, checkFinite, invalid, refuseUnknown, object, split } from './arguments.js';
import type { Running, Verbs } from './engine.js';
import type { Signal } from './host.js';
import { guarded } from './error.js';
import { sample } from './estimate.js';
import { readPieces, turn, type Source } from './source.js';
import { lastFailure } from './troubles.js';
import type { Estimate, ModelFault, Reembedding, Sent, Usage } from './types.js';

/** Options for re-embedding. */
export interface ReembedCall {
  /** The most texts to send; 0 only counts the memories without a vector. */
  maxTexts?: number;
  /** Stops between two calls of the embedder; computed vectors are kept. */
  signal?: Signal;
  onProgress?(progress: Reembedding): void;
}

/** The last failed request or refused reply. */
export interface LastFailure extends Pick<Sent, 'time' | 'to' | 'model' | 'purpose'> {
  /** The code in the log; `wrong_form` for a refused reply. */
  code: ModelFault | 'wrong_form';
  /** For a refused reply: the broken rule. */
  rule?: ModelFault;
}

/** Texts in one step of re-embedding. */
const STEP = 64;

/** Runs `work` in one tab at a time, if the host has Web Locks; the next tab then finds nothing left to do. */
function withLock<T>(name: string, signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  return locks ? (locks.request(name, signal ? { signal } : {}, work) as Promise<T>) : work();
}

/** Usage of models and embedders, and the requests sent to them. */
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
   * Today's model usage and the remaining budget. Also the last recent failure, if any; see `onTrouble` of `open` for all
   * of them.
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
   * Estimates the model usage of an import, or of a `reread`, by a dry run without requests. From a source above 4 MB,
   * 16 samples of whole mails are read and the result is scaled; a stream is read to its end.
   */
  estimate(
    source: Source,
    options?: { account?: string; exclude?: { people?: string[]; topics?: string[] }; reread?: boolean; signal?: Signal },
  ): Promise<Estimate> {
    return guarded(async () => {
      const [rest, signal] = split(options);
      check(signal);
      const { source: read, times } = await sample(source);
      const intake = await this.#held.intake({ ...checkFinite(rest), dryRun: true }, signal, true);
      for await (const chunk of readPieces(read, 0, { signal: options?.signal, closing: this.#held.closing }).chunks) {
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
   * Embeds the current memories without vectors of `embedder`. It can be stopped and resumed, and runs
   * in one tab at a time. A failing embedder is reported as `stopped`.
   */
  reembed(options?: ReembedCall): Promise<Reembedding> {
    return guarded(async () => {
      const [{ onProgress, maxTexts = Infinity, ...unknown }, signal] = split(options);
      refuseUnknown(unknown, ['maxTexts', 'signal', 'onProgress']);
      if (typeof maxTexts !== 'number' || !(maxTexts >= 0)) throw invalid('maxTexts', 'must be a number from 0');
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
      return withLock(`memfold/${this.#name}/reembed`, options?.signal, work).catch((error) => {
        check(signal);
        throw error;
      });
    });
  }

  /** The last requests sent to models, newest first, with their full texts; at most 500 are kept. */
  sent(options?: { limit?: number }): Promise<Sent[]> {
    return guarded(() => {
      const { limit } = object(options, 'options');
      if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) throw invalid('limit', 'must be a whole number from 0');
      return this.#engine.sent(limit);
    });
  }

  /** Clears the record of sent requests. */
  clearSent(): Promise<void> {
    return guarded(async () => void (await this.#engine.clearSent()));
  }
}
