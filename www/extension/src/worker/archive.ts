// Imports a mail archive from the private file system. Its offset is in chrome.storage, and an
// alarm resumes it after the worker or browser was stopped. A mail that stops it three times is set
// aside. Opened mails are processed in between.
import type { Import } from '../messages';
import { setAside } from './base';
import { changed } from './changed';
import { replaceEngine, memories, markStored, ensureEngine } from './engine';
import { TRIES, codeOf, isTheMails, withPatience } from './fault';
import { read, remove } from './files';
import { keep, kept, settings } from './keep';
import { learn, signed } from './names';
import { splitAtMails, pieces } from './pieces';

/** Milliseconds between two saves of the offset. */
const NOTE = 1_000;

let current: AbortController | undefined;

export const running = async (): Promise<boolean> => (await kept('import'))?.state === 'running';

/** Starts the import; the page has copied the file. */
export async function start(name: string, account: string): Promise<Import> {
  const file = await read('archive');
  if (!file || file.size === 0) throw Object.assign(new Error('the file is missing'), { code: 'invalid_mail' });
  const begun: Import = {
    name: name.slice(0, 200),
    account,
    bytes: file.size,
    next: { bytes: 0, mails: 0 },
    drafts: 0,
    failed: 0,
    state: 'running',
    startedAt: Date.now(),
  };
  await keep('import', begun);
  void resume();
  return begun;
}

/** Cancels the import; memories of processed mails stay. */
export async function cancel(): Promise<void> {
  const now = await kept('import');
  if (now?.state === 'running') await keep('import', { ...now, state: 'cancelled', endedAt: Date.now() });
  current?.abort();
  await remove('archive').catch(() => undefined);
}

/** Resumes a running import. */
export async function resume(): Promise<void> {
  if (current) return;
  current = new AbortController();
  try {
    // Saved settings or a bad mail may close the engine; the import continues with a new one.
    while (await rest(current.signal));
  } finally {
    current = undefined;
    if (!(await running())) {
      await chrome.alarms.clear('archive');
      await changed().catch(() => undefined);
    }
  }
}

/** Sets aside the mail at the offset after enough tries, if its end is known. */
async function withoutIt(now: Import, file: File): Promise<Import> {
  const { next, tries = 0, upto, account, name } = now;
  if (tries < TRIES || upto === undefined || upto <= next.bytes) return now;
  const raw = new Uint8Array(await file.slice(next.bytes, upto).arrayBuffer());
  const key = `${account}\narchive/${name}/${next.bytes}`;
  await setAside({
    key,
    account,
    thread: '',
    id: '',
    raw,
    at: Date.now(),
    tries,
    subject: `${name}: ${next.mails + 1}`,
    ...(now.code ? { code: now.code } : {}),
  });
  const { upto: _, code: __, ...left } = now;
  const behind: Import = { ...left, next: { bytes: upto, mails: next.mails + 1 }, failed: now.failed + 1, tries: 0 };
  await keep('import', behind);
  await changed({ reviews: false }).catch(() => undefined);
  return behind;
}

/** Processes the rest; returns whether there is more to do. */
async function rest(signal: AbortSignal): Promise<boolean> {
  const found = await kept('import');
  if (found?.state !== 'running') return false;
  // Until the end, this alarm wakes the worker again.
  await chrome.alarms.create('archive', { delayInMinutes: 0.5, periodInMinutes: 0.5 });
  const file = await read('archive');
  if (!file) {
    await keep('import', { ...found, state: 'failed', fault: 'not_found', endedAt: Date.now() });
    return false;
  }
  const from = await withoutIt(found, file);
  // After a failure, the end of each mail is stored before it is read; otherwise the offset is
  // saved at intervals.
  const warned = (from.tries ?? 0) > 0;
  let now: Import = { ...from, tries: (from.tries ?? 0) + 1 };
  let noted = Date.now();
  let over = false;
  const signatures: [string, string][] = [];
  const noting = async (): Promise<void> => {
    // A late save must not revive a cancelled import or move the offset back.
    if (!over && !signal.aborted && (await running())) await keep('import', now);
  };
  /** Mails after the failed offset have no tries yet. */
  const triesAt = (next: Import['next']): number => (next.bytes === from.next.bytes ? (from.tries ?? 0) + 1 : 1);
  const before = async (upto: number): Promise<void> => {
    now = { ...now, upto };
    await noting();
  };
  try {
    await ensureEngine();
    const engine = await memories();
    await noting();
    const { ignorePeople: people, ignoreTopics: topics } = await settings();
    const source = warned ? splitAtMails(file, from.next.bytes, before) : pieces(file, from.next.bytes);
    const report = await withPatience((alive) =>
      engine.importMail(source, {
        exclude: { people, topics },
        resume: from.next,
        account: from.account,
        signal,
        onReceipt: (r) => {
          if (r.failed) now = { ...now, failed: now.failed + 1 };
          if (r.excluded) now = { ...now, skipped: (now.skipped ?? 0) + 1 };
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
    await markStored();
    now = { ...now, next: report.next, drafts: from.drafts + report.drafts, state: 'done', endedAt: Date.now() };
    await noting();
    await remove('archive');
    return false;
  } catch (reason) {
    const code = codeOf(reason);
    await markStored().catch(() => undefined);
    // Without a known end, the mail would be tried forever.
    const mails = isTheMails(reason) && (now.tries ?? 0) <= TRIES;
    if (mails) now = { ...now, code };
    else if (code === 'aborted' || code === 'closed') now = { ...now, tries: Math.max(0, (now.tries ?? 0) - 1) };
    else now = { ...now, state: 'failed', fault: code, endedAt: Date.now() };
    await noting();
    // If no engine works, the alarm continues in another worker.
    return (
      code === 'closed' ||
      (mails &&
        (await replaceEngine().then(
          () => true,
          () => false,
        )))
    );
  } finally {
    await learn(signatures).catch(() => undefined);
    over = true;
  }
}
