// The sleep cycle, a bounded piece by the hour: what fades, what is folded into summaries. The engine does it; this asks for
// it when nothing else is to be done, and keeps what it told.
import type { Memories } from 'memfold';
import type { Rest } from '../messages';
import { running } from './archive';
import { waiting } from './base';
import { changed } from './changed';
import { memories } from './engine';
import { keep } from './keep';

/** Memories that one run looks at. */
const MOST = 500;

type Report = Omit<Rest, 'at'>;
type Resting = { runSleepCycle(options: { maxNodes: number }): Promise<Report> };

/** Whether this engine has a sleep cycle. */
export const canRest = (engine: Memories): engine is Memories & Resting => typeof (engine as Partial<Resting>).runSleepCycle === 'function';

/** One run, unless mail waits to be read. */
export async function rest(): Promise<void> {
  const engine = await memories();
  if (!canRest(engine) || (await waiting()) > 0 || (await running())) return;
  const { lookedAt, merges, folded, tagged, moved, promoted, finished, entries } = await engine.runSleepCycle({ maxNodes: MOST });
  await keep('rest', { at: Date.now(), lookedAt, merges, folded, tagged, moved, promoted, finished, entries: entries.slice(0, 200) });
  if (entries.length > 0) await changed();
}
