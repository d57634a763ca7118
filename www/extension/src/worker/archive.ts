// The import of a mail archive: the file lies in the private file system, the place in chrome.storage, and an alarm goes on
// where a stopped worker, or a closed browser, left off. A mail that stops it three times is set aside. Mails that are opened
// meanwhile get their turn.
import type { Import } from '../messages';
import { setAside } from './base';
import { changed } from './changed';
import { anew, memories, stored, works } from './engine';
import { TRIES, codeOf, isTheMails, patiently } from './fault';
import { read, remove } from './files';
import { isEmpty, SKIPPED, type Never } from '../../../shared/never';
import { skim } from '../../../shared/skim';
import { keep, kept, settings } from './keep';
import { learn, signed } from './names';
import { bySuspicion, pieces } from './pieces';

/** Milliseconds between two notes of the place. */
const NOTE = 1_000;

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
    // Settings that were saved close the engine under it, and a bad mail may: it goes on with another.
    while (await rest(going.signal));
  } finally {
    going = undefined;
    if (!(await running())) {
      await chrome.alarms.clear('archive');
      await changed().catch(() => undefined);
    }
  }
}

/** Sets aside the mail that lies at the place, where it was tried often enough and is known to end. */
async function withoutIt(now: Import, file: File): Promise<Import> {
  const { next, tries = 0, upto, account, name } = now;
  if (tries < TRIES || upto === undefined || upto <= next.bytes) return now;
  const raw = new Uint8Array(await file.slice(next.bytes, upto).arrayBuffer());
  const key = `${account}\narchive/${name}/${next.bytes}`;
  await setAside({ key, account, thread: '', id: '', raw, at: Date.now(), tries, subject: `${name}: ${next.mails + 1}`, ...(now.code ? { code: now.code } : {}) });
  const { upto: _, code: __, ...left } = now;
  const behind: Import = { ...left, next: { bytes: upto, mails: next.mails + 1 }, failed: now.failed + 1, tries: 0 };
  await keep('import', behind);
  await changed({ reviews: false }).catch(() => undefined);
  return behind;
}

/** The file from a place on without the mails that are never remembered. With `before`, each mail is told of before it is read. */
async function wanted(file: Blob, at: number, never: Never, before?: (upto: number) => Promise<void>): Promise<ReadableStream<Uint8Array>> {
  const skimmed = (stream: ReadableStream<Uint8Array>) => (isEmpty(never) ? stream : stream.pipeThrough(skim(never) as ReadableWritablePair<Uint8Array, Uint8Array>));
  if (!before) return skimmed(pieces(file, at));
  const rest = isEmpty(never) ? file.slice(at) : await new Response(skimmed(pieces(file, at)) as ReadableStream<Uint8Array<ArrayBuffer>>).blob();
  return bySuspicion(new Blob([file.slice(0, at), rest]), at, before);
}

/** Reads what is left. Whether there is more to do. */
async function rest(signal: AbortSignal): Promise<boolean> {
  const found = await kept('import');
  if (found?.state !== 'running') return false;
  // As long as it is not at its end, this brings the worker back.
  await chrome.alarms.create('archive', { delayInMinutes: 0.5, periodInMinutes: 0.5 });
  const file = await read('archive');
  if (!file) {
    await keep('import', { ...found, state: 'failed', fault: 'not_found', endedAt: Date.now() });
    return false;
  }
  const from = await withoutIt(found, file);
  // Where it stopped before, each mail is noted before it is read; else the place every now and then.
  const warned = (from.tries ?? 0) > 0;
  let now: Import = { ...from, tries: (from.tries ?? 0) + 1 };
  let noted = Date.now();
  let over = false;
  const signatures: [string, string][] = [];
  const noting = async (): Promise<void> => {
    // A cancelled import is not brought back by a late note of its place, nor a later place lost by an engine that was given up.
    if (!over && !signal.aborted && (await running())) await keep('import', now);
  };
  /** Behind the place where it stopped, a mail is tried for the first time. */
  const triesAt = (next: Import['next']): number => (next.bytes === from.next.bytes ? (from.tries ?? 0) + 1 : 1);
  const before = async (upto: number): Promise<void> => {
    now = { ...now, upto };
    await noting();
  };
  try {
    await works();
    const engine = await memories();
    await noting();
    const { ignorePeople: people, ignoreTopics: topics } = await settings();
    const source = await wanted(file, from.next.bytes, { people, topics }, warned ? before : undefined);
    const report = await patiently((alive) =>
      engine.ingest(source, {
        resume: from.next,
        account: from.account,
        signal,
        onReceipt: (r) => {
          if (r.failed) now = { ...now, failed: now.failed + 1 };
          if (r.from === SKIPPED) now = { ...now, skipped: (now.skipped ?? 0) + 1 };
          signatures.push(...signed(r));
        },
        onProgress: (p) => {
          alive();
          const { upto: _, code: __, ...rest } = now;
          now = { ...(p.next.bytes === now.next.bytes ? now : rest), next: p.next, tries: triesAt(p.next), drafts: from.drafts + p.drafts };
          if (Date.now() - noted < NOTE) return;
          noted = Date.now();
          void noting();
        },
      }),
    );
    await stored();
    now = { ...now, next: report.next, drafts: from.drafts + report.drafts, state: 'done', endedAt: Date.now() };
    await noting();
    await remove('archive');
    return false;
  } catch (reason) {
    const code = codeOf(reason);
    await stored().catch(() => undefined);
    // A mail that cannot be told from its neighbours would be tried for ever.
    const mails = isTheMails(reason) && (now.tries ?? 0) <= TRIES;
    if (mails) now = { ...now, code };
    else if (code === 'aborted' || code === 'closed') now = { ...now, tries: Math.max(0, (now.tries ?? 0) - 1) };
    else now = { ...now, state: 'failed', fault: code, endedAt: Date.now() };
    await noting();
    // Where no engine works after it, the alarm goes on with another worker.
    return code === 'closed' || (mails && (await anew().then(() => true, () => false)));
  } finally {
    await learn(signatures).catch(() => undefined);
    over = true;
  }
}
