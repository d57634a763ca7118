// `Review`: the owner's decisions.
import { first, object, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { guarded } from './error.js';
import { actReceipt, type Receipt } from './receipts.js';
import type { ChangeToConfirm, Memory, ReviewItem, ReviewOptions } from './types.js';

/** Decisions and changes that need the owner's review. */
export class Review {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /** Items to review: unsure decisions, withheld changes and unreadable mail. */
  list(options?: { limit?: number }): Promise<ReviewItem[]> {
    return guarded(async () => first(await this.#engine.reviews(), object(options, 'options').limit));
  }

  /** Applies the owner's verdict on a decision: accept, reject, or the correct outcome. */
  decide(entryId: string, verdict: 'accept' | 'reject' | 'CREATE' | 'UPDATE' | 'SKIP' | 'CREATE_AND_LINK', options?: ReviewOptions): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.review(text(entryId, 'id'), text(verdict, 'verdict'), object(options, 'options'))));
  }

  /**
   * Memories with changes to confirm, latest first: the current version was reported by an unauthorised sender. Each
   * has the current value, the confirmed value and the reporter.
   */
  changes(options?: { limit?: number }): Promise<ChangeToConfirm[]> {
    return guarded(async () => first(await this.#engine.changesToConfirm(), object(options, 'options').limit));
  }

  /** Confirms the provisional statements of a memory. Rejects with `already_settled` if there are none; can be undone. */
  confirm(memoryId: string): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.settleChange(text(memoryId, 'id'), true)));
  }

  /** Reverts a memory to its last confirmed state, without its provisional statements; can be undone. */
  revert(memoryId: string): Promise<Receipt> {
    return guarded(() => actReceipt(this.#engine, this.#engine.settleChange(text(memoryId, 'id'), false)));
  }

  /** Rates a found memory. */
  feedback(id: string, word: 'up' | 'down', options?: { query?: string; session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.feedback(text(id, 'id'), text(word, 'word'), object(options, 'options')));
  }
}
