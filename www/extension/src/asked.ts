// The operations of the memory that the extension's pages may call.
import type { Memories } from 'memfold';
import type { Path } from '../../shared/engine/remote';

/**
 * `reads` is safe to repeat. `asks` writes no memories and is called once. `writes` notifies the
 * pages. `erases` also erases in the backup copy before the pages are notified.
 */
type How = 'reads' | 'asks' | 'writes' | 'erases';

export const ASKED = {
  search: 'reads',
  get: 'reads',
  list: 'reads',
  history: 'reads',
  related: 'reads',
  'graph.edges': 'reads',
  'log.list': 'reads',
  explainSearch: 'reads',
  'log.stats': 'reads',
  'data.verify': 'reads',
  previewDelete: 'reads',
  'review.list': 'reads',
  'review.changes': 'reads',
  ask: 'asks',
  'graph.nodes': 'asks',
  'log.metrics': 'asks',
  'sleep.candidates': 'asks',
  'model.usage': 'asks',
  'model.sent': 'asks',
  'model.clearSent': 'asks',
  add: 'writes',
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
  erase: 'erases',
} as const satisfies Partial<Record<Path<Memories>, How>>;

/** The kind of an operation; undefined if not allowed. */
export const howOf = (verb: string): How | undefined => (Object.hasOwn(ASKED, verb) ? ASKED[verb as keyof typeof ASKED] : undefined);
