// How far a memory may be relied on, in the three words that a reader sees.
import type { Memory } from 'memfold';
import { doubtAt, suspects } from './matters';

export type FactState = 'current' | 'unconfirmed' | 'outdated';

/** Whether a memory's current version was reported by somebody without standing and is not confirmed. */
export const isProvisional = ({ confirmation }: Memory): boolean => confirmation === 'provisional';

/** An open question about a memory makes both of its sides unconfirmed. */
export function stateOf(memory: Memory): FactState {
  if (memory.supersededBy || memory.deletedAt) return 'outdated';
  return isProvisional(memory) || suspects.value.has(memory.id) || doubtAt(memory) ? 'unconfirmed' : 'current';
}
