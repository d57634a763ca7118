// Opens files and samples, reports files without mail, and imports the others in turn.
import { signal } from '@preact/signals';
import { faultOf } from '../../shared/actions';
import { loaded } from '../../shared/engine/error';
import type { Refusal } from '../../shared/files';
import { t } from '../../shared/i18n';
import { announce, fault } from '../../shared/state';
import { goTo } from './guide';
import { question } from './owner';
import { importMail, isReading, redoProgress, undoProgress } from './run';
import { sampleMail, SAMPLES, type SampleName } from './samples';

/** The unreadable ones among the files chosen last. */
export const refused = signal<readonly Refusal[]>([]);
export async function loadSample(name: SampleName): Promise<void> {
  refused.value = [];
  try {
    if (await importMail(await sampleMail(name), SAMPLES[name].file, name)) goTo(0);
  } catch (reason) {
    fault.value = faultOf(reason);
  }
}

/** Whether files are being opened, and the mailboxes that wait to be imported. */
export const opening = signal(false);
export const waitingFiles = signal(0);

export async function ingestFiles(files: readonly File[]): Promise<void> {
  if (opening.value) return;
  opening.value = true;
  refused.value = [];
  let mailboxes: readonly File[] = [];
  try {
    const { opened } = await loaded(import('../../shared/files'));
    const chosen = await opened(files, (n) => t('files.mails', { n }));
    refused.value = chosen.refused;
    mailboxes = chosen.mailboxes;
    if (chosen.refused.length > 0) announce(t('files.refused', { n: chosen.refused.length }));
  } catch (reason) {
    fault.value = faultOf(reason);
  } finally {
    opening.value = false;
  }
  for (const [i, file] of mailboxes.entries()) {
    waitingFiles.value = mailboxes.length - i - 1;
    if (!(await importMail(file, file.name))) break;
  }
  waitingFiles.value = 0;
}

/** Whether another task is running, so that no mail can be added. */
export const isBusy = (): boolean => isReading() || question.value !== null || opening.value || undoProgress.value !== null || redoProgress.value !== null;
