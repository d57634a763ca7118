// The sleep cycle, a bounded piece by the hour: what fades, what is folded into summaries. The engine does it; this asks for
// it when nothing else is to be done, and keeps what it told.
import { running } from './archive';
import { waiting } from './base';
import { changed } from './changed';
import { memories } from './engine';
import { keep } from './keep';

/** Memories that one run looks at. */
const MOST = 500;

/** One run, unless mail waits to be read. */
export async function rest(): Promise<void> {
  const engine = await memories();
  if ((await waiting()) > 0 || (await running())) return;
  const { lookedAt, merges, folded, tagged, moved, promoted, finished, entries } = await engine.sleep.run({ maxNodes: MOST });
  await keep('rest', { at: Date.now(), lookedAt, merges, folded, tagged, moved, promoted, finished, entries: entries.slice(0, 200) });
  if (entries.length > 0) await changed();
}
