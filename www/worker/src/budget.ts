// Mail's share of the daily token budget, so that senders of mail cannot use up the owner's tokens.

import type { Memories } from 'memfold';
import { dayIn } from './zone';

const KEY = 'mail/tokens';

export class MailBudget {
  readonly #storage: DurableObjectStorage;
  readonly #zone: string | number;

  /** `zone`: the zone in which days begin. */
  constructor(storage: DurableObjectStorage, zone: string | number) {
    this.#storage = storage;
    this.#zone = zone;
  }

  /** Runs `work` with the tokens left of mail's share, and counts all tokens used meanwhile. */
  async within<T>(memories: Memories, share: number, work: (tokens: number) => Promise<T>): Promise<T> {
    const day = dayIn(this.#zone, Date.now());
    const kept = await this.#storage.get<{ day: string; tokens: number }>(KEY);
    const spent = kept?.day === day ? kept.tokens : 0;
    const before = (await memories.model.usage()).tokens;
    const done = await work(Math.max(0, Math.floor(share) - spent));
    const used = Math.max(0, (await memories.model.usage()).tokens - before);
    if (used > 0) await this.#storage.put(KEY, { day, tokens: spent + used });
    return done;
  }
}
