// Which questions still wait for their owner.
import type { ReviewItem } from 'memfold';

/**
 * Whether there is something left to ask about: what was deleted comes back with its question. A memory that may be fraud is asked
 * about for its own sake, whatever became of the one that it would change.
 */
export function stillWaits({ entry, memory, existing, other }: ReviewItem): boolean {
  const isAlone = memory !== undefined && entry.reasons.some((r) => r.kind === 'sensitive_change');
  return [memory, other, isAlone ? undefined : existing].every((m) => m?.deletedAt === undefined);
}
