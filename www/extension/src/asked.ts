// What the extension's own pages may ask of the memory, and how: nothing else of it is within their reach.
import type { Memories } from 'memfold';
import type { Path } from '../../shared/engine/remote';

/**
 * `reads` does no harm when it is done twice. `asks` does not write memories, and is done once. `writes` is told to whoever looks.
 * `erases` is done in the second copy too, before anybody is told.
 */
type How = 'reads' | 'asks' | 'writes' | 'erases';

export const ASKED = {
  search: 'reads',
  get: 'reads',
  list: 'reads',
  history: 'reads',
  'graph.related': 'reads',
  'graph.edges': 'reads',
  'data.log': 'reads',
  'data.diff': 'reads',
  'data.explainSearch': 'reads',
  'data.stats': 'reads',
  'data.verify': 'reads',
  'data.previewDelete': 'reads',
  'review.list': 'reads',
  'review.changes': 'reads',
  ask: 'asks',
  'graph.nodes': 'asks',
  'data.metrics': 'asks',
  'sleep.candidates': 'asks',
  'model.usage': 'asks',
  'model.sent': 'asks',
  'model.clearSent': 'asks',
  consolidate: 'writes',
  update: 'writes',
  delete: 'writes',
  restore: 'writes',
  undo: 'writes',
  undoAll: 'writes',
  redo: 'writes',
  'review.decide': 'writes',
  'review.feedback': 'writes',
  'review.confirm': 'writes',
  'review.revert': 'writes',
  'sleep.run': 'writes',
  'sleep.endSession': 'writes',
  'model.askPending': 'writes',
  'data.forget': 'erases',
} as const satisfies Partial<Record<Path<Memories>, How>>;

/** How a verb is asked for, if it may be. */
export const howOf = (verb: string): How | undefined => (Object.hasOwn(ASKED, verb) ? ASKED[verb as keyof typeof ASKED] : undefined);
