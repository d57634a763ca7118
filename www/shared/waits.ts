// Which questions are still open.
import type { ReviewItem } from 'memfold';

/**
 * Whether a question is still open: a deleted memory closes it. Possible fraud stays a question
 * even if its target is gone.
 */
export function stillWaits({ entry, memory, existing }: ReviewItem): boolean {
  const isAlone = memory !== undefined && entry.reasons.some((r) => r.kind === 'sensitive_change');
  return [memory, isAlone ? undefined : existing].every((m) => m?.deletedAt === undefined);
}
