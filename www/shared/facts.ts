// The state of a memory: current, unconfirmed or outdated.
import type { Memory } from 'memfold';
import { doubtAt, suspects } from './matters';

export type FactState = 'current' | 'unconfirmed' | 'outdated';

/** Whether the current version was reported by a sender without standing and awaits confirmation. */
export const isProvisional = ({ confirmation }: Memory): boolean => confirmation === 'provisional';

/** An open question about a memory makes both of its sides unconfirmed. */
export function stateOf(memory: Memory): FactState {
  if (memory.supersededBy || memory.deletedAt) return 'outdated';
  return isProvisional(memory) || suspects.value.has(memory.id) || doubtAt(memory) ? 'unconfirmed' : 'current';
}
