// What its owner has a word on.
import { first, object, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { guarded } from './error.js';
import type { ChangeToConfirm, LogEntry, Memory, ReviewItem, ReviewOptions } from './types.js';

/** What waits for its owner's word, and the word itself. */
export class Review {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /** What waits for its owner's word: unsure decisions, withheld changes, mail that could not be read. */
  list(options?: { limit?: number }): Promise<ReviewItem[]> {
    return guarded(async () => first(await this.#engine.reviews(), object(options, 'options').limit));
  }

  /** Carries out its owner's word on a decision: that it was right or wrong, or what would have been right. */
  decide(
    entryId: string,
    verdict: 'accept' | 'reject' | 'CREATE' | 'UPDATE' | 'SKIP' | 'CREATE_AND_LINK',
    options?: ReviewOptions,
  ): Promise<LogEntry> {
    return guarded(() => this.#engine.review(text(entryId, 'id'), text(verdict, 'verdict'), object(options, 'options')));
  }

  /**
   * Changes to confirm: memories whose current version was reported by somebody without standing, the latest first. Each has the value as
   * it reads now, the confirmed one and the reporter.
   */
  changes(options?: { limit?: number }): Promise<ChangeToConfirm[]> {
    return guarded(async () => first(await this.#engine.changesToConfirm(), object(options, 'options').limit));
  }

  /** Confirms what is provisional of a memory. Rejects with `already_settled` where nothing is; `undo` takes it back. */
  confirm(memoryId: string): Promise<LogEntry> {
    return guarded(() => this.#engine.settleChange(text(memoryId, 'id'), true));
  }

  /** Takes the provisional statements of a memory back: it reads as it did when all was confirmed. `undo` brings them back. */
  revert(memoryId: string): Promise<LogEntry> {
    return guarded(() => this.#engine.settleChange(text(memoryId, 'id'), false));
  }

  /** Its owner's word on a memory that was found. */
  feedback(id: string, word: 'up' | 'down', options?: { query?: string; session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.feedback(text(id, 'id'), text(word, 'word'), object(options, 'options')));
  }

  /** The pairs that its owner has labelled by reviews, as JSON Lines: to fit the analyst on, or as examples. */
  corrections(): Promise<string> {
    return guarded(() => this.#engine.corrections());
  }
}
