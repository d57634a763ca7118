// Runs a bounded sleep cycle every hour when no mail is waiting, and stores its report.
import { running } from './archive';
import { waiting } from './base';
import { changed } from './changed';
import { memories } from './engine';
import { keep } from './keep';

/** Memories examined in one run. */
const MOST = 500;

/** One run, unless mail is waiting. */
export async function rest(): Promise<void> {
  const engine = await memories();
  if ((await waiting()) > 0 || (await running())) return;
  const { lookedAt, merges, folded, tagged, moved, promoted, finished, entries } = await engine.sleep.run({ maxNodes: MOST });
  await keep('rest', { at: Date.now(), lookedAt, merges, folded, tagged, moved, promoted, finished, entries: entries.slice(0, 200) });
  if (entries.length > 0) await changed();
}
