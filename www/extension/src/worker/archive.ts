// The import of a mail archive: the file lies in the private file system, the place in chrome.storage, and an alarm goes on
// where a stopped worker, or a closed browser, left off. Mails that are opened meanwhile get their turn.
import type { Import } from '../messages';
import { changed } from './changed';
import { memories, stored } from './engine';
import { read, remove } from './files';
import { keep, kept } from './keep';
import { codeOf } from './queue';

/** Milliseconds between two notes of the place. */
const NOTE = 1_000;
/** Bytes after which the engine tells its place: no more than this is read twice after a stop. */
const PIECE = 8 * 1024;

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

/** Goes on, if there is something to go on with. */
export async function go(): Promise<void> {
  if (going) return;
  going = new AbortController();
  try {
    // Settings that were saved close the engine under it: it goes on with the new ones.
    while (await rest(going.signal));
  } finally {
    going = undefined;
    if (!(await running())) {
      await chrome.alarms.clear('archive');
      await changed().catch(() => undefined);
    }
  }
}

/** The file from a place on, in small pieces. */
function pieces(file: Blob, from: number): ReadableStream<Uint8Array> {
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      for (let at = 0; at < chunk.length; at += PIECE) out.enqueue(chunk.subarray(at, at + PIECE));
    },
  });
  return file.slice(from).stream().pipeThrough(cut as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>);
}

/** Reads what is left. Whether there is more to do. */
async function rest(signal: AbortSignal): Promise<boolean> {
  const from = await kept('import');
  if (from?.state !== 'running') return false;
  // As long as it is not at its end, this brings the worker back.
  await chrome.alarms.create('archive', { delayInMinutes: 0.5, periodInMinutes: 0.5 });
  const file = await read('archive');
  if (!file) {
    await keep('import', { ...from, state: 'failed', fault: 'not_found', endedAt: Date.now() });
    return false;
  }
  let now = from;
  let noted = Date.now();
  const noting = async (): Promise<void> => {
    // A cancelled import is not brought back by a late note of its place.
    if (!signal.aborted && (await running())) await keep('import', now);
  };
  try {
    const engine = await memories();
    const report = await engine.ingest(pieces(file, from.next.bytes), {
      resume: from.next,
      account: from.account,
      signal,
      onReceipt: (r) => r.failed && (now = { ...now, failed: now.failed + 1 }),
      onProgress: (p) => {
        now = { ...now, next: p.next, drafts: from.drafts + p.drafts };
        if (Date.now() - noted < NOTE) return;
        noted = Date.now();
        void noting();
      },
    });
    await stored();
    now = { ...now, next: report.next, drafts: from.drafts + report.drafts, state: 'done', endedAt: Date.now() };
    await noting();
    await remove('archive');
    return false;
  } catch (reason) {
    await stored().catch(() => undefined);
    const code = codeOf(reason);
    if (code !== 'aborted' && code !== 'closed') now = { ...now, state: 'failed', fault: code, endedAt: Date.now() };
    await noting();
    return code === 'closed';
  }
}
