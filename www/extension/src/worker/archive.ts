// The import of a mail archive, a slice at a time: the file lies in the private file system, the place in chrome.storage, and
// an alarm goes on where a stopped worker, or a closed browser, left off.
import type { Import } from '../messages';
import { changed } from './changed';
import { memories, stored } from './engine';
import { read, remove } from './files';
import { keep, kept } from './keep';
import { codeOf } from './queue';

/** Milliseconds of one slice; the queue of opened mails gets its turn between two. */
const SLICE = 10_000;
/** Milliseconds between two notes of the place. */
const NOTE = 500;

let going: AbortController | undefined;

export const running = async (): Promise<boolean> => (await kept('import'))?.state === 'running';

/** Begins: the page has laid the file in place. */
export async function start(name: string, account: string): Promise<Import> {
  const file = await read('archive');
  if (!file || file.size === 0) throw Object.assign(new Error('there is no file'), { code: 'invalid_mail' });
  const begun: Import = { name: name.slice(0, 200), account, bytes: file.size, next: { bytes: 0, mails: 0 }, drafts: 0, failed: 0, state: 'running', startedAt: Date.now() };
  await keep('import', begun);
  void go();
  return begun;
}

/** Stops for good; what was read stays. */
export async function cancel(): Promise<void> {
  const now = await kept('import');
  if (now?.state === 'running') await keep('import', { ...now, state: 'cancelled', endedAt: Date.now() });
  going?.abort();
  await remove('archive').catch(() => undefined);
}

/** Goes on, slice by slice, while there is something to do. */
export async function go(): Promise<void> {
  if (going) return;
  going = new AbortController();
  const { signal } = going;
  try {
    while (!signal.aborted && (await slice(signal)));
  } finally {
    going = undefined;
    if (!(await running())) await chrome.alarms.clear('archive');
    await changed().catch(() => undefined);
  }
}

/** One slice. Whether there is more. */
async function slice(signal: AbortSignal): Promise<boolean> {
  const from = await kept('import');
  if (from?.state !== 'running') return false;
  await chrome.alarms.create('archive', { delayInMinutes: 0.5 });
  const file = await read('archive');
  if (!file) {
    await keep('import', { ...from, state: 'failed', fault: 'not_found', endedAt: Date.now() });
    return false;
  }
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), SLICE);
  let now = from;
  let noted = Date.now();
  const noting = async (): Promise<void> => {
    // A cancelled import is not brought back by a late note of its place.
    if (!signal.aborted && (await running())) await keep('import', now);
  };
  try {
    const engine = await memories();
    const report = await engine.ingest(file, {
      resume: from.next,
      account: from.account,
      signal: AbortSignal.any([signal, stop.signal]),
      onReceipt: (r) => r.failed && (now = { ...now, failed: now.failed + 1 }),
      onProgress: (p) => {
        now = { ...now, next: p.next, drafts: from.drafts + p.drafts };
        if (Date.now() - noted < NOTE) return;
        noted = Date.now();
        void noting();
      },
    });
    now = { ...now, next: report.next, drafts: from.drafts + report.drafts, state: 'done', endedAt: Date.now() };
    await stored();
    await noting();
    await remove('archive');
    return false;
  } catch (reason) {
    await stored();
    if (codeOf(reason) === 'aborted') {
      await noting();
      return !signal.aborted;
    }
    now = { ...now, state: 'failed', fault: codeOf(reason), endedAt: Date.now() };
    await noting();
    return false;
  } finally {
    clearTimeout(timer);
  }
}
