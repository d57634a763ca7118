// Lets the model read mails again that rules alone have read: estimate, run, cancel, undo.
import type { LogEntry } from 'memfold';
import type { Estimate } from '../../shared/types';
import { faultOf, refresh, undoAll } from '../../shared/actions';
import { builtInState, downloadBuiltIn, hasBuiltIn } from '../../shared/builtin';
import { never } from '../../shared/forbidden';
import { t } from '../../shared/i18n';
import { announce, entries, fault, run } from '../../shared/state';
import { done } from '../../shared/toast';
import { thread } from './engine/client';
import { keptMails } from './mails';
import { keep, named } from './model';
import { ownEntriesAfter, reopen, rereading, undoProgress } from './run';

/** The mails to read: of the import on screen, or those that this browser keeps. */
export type RereadSource = 'run' | 'kept';

/** The state of a reread. */
export type Reread = { source: RereadSource } & (
  | { state: 'estimating' }
  | { state: 'noModel' }
  | { state: 'estimated'; estimate: Estimate }
  | { state: 'running'; mails: number; of: number }
  | { state: 'ended'; isCancelled: boolean; mails: number; added: number; changed: number; gone: number; failed: number; entries: readonly string[] }
  | { state: 'failed'; fault: ReturnType<typeof faultOf> }
);

let stop: AbortController | undefined;

const mailsOf = async (source: RereadSource): Promise<Blob> => {
  const file = source === 'run' ? run.value?.source : undefined;
  return file === undefined ? keptMails() : typeof file === 'string' ? new Blob([file]) : file;
};

async function step(source: RereadSource, work: (mails: Blob) => Promise<Reread | null>): Promise<void> {
  stop = new AbortController();
  try {
    rereading.value = await work(await mailsOf(source));
  } catch (reason) {
    const fault = faultOf(reason);
    rereading.value = fault.code === 'aborted' ? null : { source, state: 'failed', fault };
  }
}

/** Counts the mails to ask about and their tokens. Without another model, the browser's own is used. */
export async function estimate(source: RereadSource): Promise<void> {
  if (rereading.value?.state === 'running') return;
  rereading.value = { source, state: 'estimating' };
  await step(source, async (mails) => {
    if (!named.value) {
      // Chrome warns in the console when it is asked, so it is asked only now.
      if (!hasBuiltIn || (await builtInState()) === 'unavailable') return { source, state: 'noModel' };
      keep({ preset: 'builtin', url: '', model: '', mask: true }, '', false);
      await reopen();
    }
    return { source, state: 'estimated', estimate: await thread.estimateReread(mails, { never: never.value, signal: stop!.signal }) };
  });
}

/** Whether a model may be asked: one is set, or the browser knows of its own. */
export const mayAsk = (): boolean => named.value !== undefined || hasBuiltIn;

export async function start(source: RereadSource, { mails: of }: Estimate): Promise<void> {
  const begun = entries.value[0]?.seq ?? 0;
  rereading.value = { source, state: 'running', mails: 0, of };
  await step(source, async (blob) => {
    if (named.value?.preset === 'builtin') await downloadBuiltIn(stop!.signal);
    let [mails, failed, isCancelled] = [0, 0, false];
    try {
      const report = await thread.importMail(blob, {
        never: never.value,
        reread: true,
        signal: stop!.signal,
        onProgress: (progress) => {
          mails = progress.mails;
          if (rereading.value?.state === 'running') rereading.value = { ...rereading.value, mails };
        },
      });
      [mails, failed] = [report.mails, report.failed.length];
    } catch (reason) {
      if (faultOf(reason).code !== 'aborted') throw reason;
      isCancelled = true;
    }
    await refresh();
    const written = ownEntriesAfter(begun).filter((e) => e.sourceId && (e.action ?? 'consolidate') !== 'undo');
    const made = (decision: string): LogEntry[] => written.filter((e) => e.decision === decision && e.touched.length > 0);
    const ids = written.map((e) => e.id);
    // The undo of the import then covers its reread.
    if (source === 'run' && run.value) run.value = { ...run.value, entries: [...run.value.entries, ...ids] };
    const ended = {
      source,
      state: 'ended',
      isCancelled,
      mails,
      failed,
      entries: ids,
      added: made('CREATE').length + made('CREATE_AND_LINK').length,
      changed: made('UPDATE').length,
      gone: made('DELETE').reduce((n, e) => n + e.touched.length, 0),
    } as const;
    announce(outcome(ended));
    return ended;
  });
}

export const outcome = ({ isCancelled, mails, added, changed, gone }: Extract<Reread, { state: 'ended' }>): string =>
  [...(isCancelled ? [t('reread.cancelled', { n: mails })] : []), t('reread.done', { added, changed, gone })].join(' ');

export const cancel = (): void => stop?.abort();
export const close = (): void => void (rereading.value = null);

/** Undoes everything that the last reread wrote. */
export async function undo(ids: readonly string[]): Promise<void> {
  undoProgress.value = 0;
  try {
    const { taken, stay } = await undoAll(ids, (n) => (undoProgress.value = n));
    rereading.value = null;
    done([t('undo.import.done', { n: taken }), ...(stay > 0 ? [t('undo.import.stay', { n: stay })] : [])].join(' '));
  } catch (reason) {
    fault.value = faultOf(reason);
  } finally {
    undoProgress.value = null;
  }
}
