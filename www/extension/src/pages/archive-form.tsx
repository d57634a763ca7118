// Imports older mail: copies the chosen files to one mailbox and shows the worker's progress.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { faultOf, failedToReach } from '../../../shared/actions';
import { percent, t } from '../../../shared/i18n';
import { joined, opened, type Refusal } from '../../../shared/files';
import { ACCEPTED } from '../../../shared/mailbox';
import { FileButton, Problem, Unreached } from '../../../shared/parts/basics';
import { Refused } from '../../../shared/parts/refused';
import type { Fault } from '../../../shared/state';
import { clear, tidy } from '../../../shared/unpacked';
import { write } from '../worker/files';
import { own } from './client';
import { look, status } from './frame';
import { w } from './words';

export function ArchiveForm() {
  const account = useSignal('');
  const copying = useSignal(false);
  const fault = useSignal<Fault | null>(null);
  const refused = useSignal<readonly Refusal[]>([]);
  const nothing = useSignal(false);
  const now = status.value?.import ?? null;
  const running = now?.state === 'running';
  const why = useSignal<string | undefined>(undefined);
  useEffect(() => {
    why.value = undefined;
    if (now?.state === 'done')
      void failedToReach(now.startedAt, now.endedAt).then(
        (code) => (why.value = code),
        () => undefined,
      );
  }, [now?.state, now?.startedAt]);
  // Deletes files of a page that was closed meanwhile.
  useEffect(() => void tidy().catch(() => undefined), []);
  const begin = async (files: readonly File[]) => {
    fault.value = null;
    copying.value = true;
    try {
      const { mailboxes, refused: not } = await opened(files, (n) => t('files.mails', { n }));
      refused.value = not;
      nothing.value = mailboxes.length === 0;
      const [first] = files.length > 1 ? mailboxes : files;
      if (!first || nothing.value) return;
      await write('archive', joined(mailboxes));
      const more = files.length > 1 ? mailboxes.length - 1 : 0;
      await own.startImport(more > 0 ? w('archive.several', { name: first.name, n: more }) : first.name, account.value.trim().toLowerCase());
      await look();
    } catch (reason) {
      fault.value = faultOf(reason);
    } finally {
      await clear().catch(() => undefined);
      copying.value = false;
    }
  };
  return (
    <section class="card archive" aria-labelledby="archive-title">
      <h2 id="archive-title">{w('archive.title')}</h2>
      <p>{w('archive.lead')}</p>
      {!running && (
        <>
          <label class="field">
            <span>{w('archive.account')}</span>
            <input
              type="email"
              autocomplete="email"
              maxLength={320}
              placeholder="me@example.com"
              value={account.value}
              onInput={(e) => (account.value = e.currentTarget.value)}
            />
          </label>
          <FileButton label={w('archive.choose')} accept={ACCEPTED} multiple disabled={copying.value} onFiles={(files) => void begin(files)} />
        </>
      )}
      {copying.value && <p role="status">{w('archive.copying')}</p>}
      {now && (running || !(copying.value || fault.value || nothing.value)) && (
        <div class={`form archive-${now.state}`} role="status">
          <p>
            {now.state === 'running'
              ? w('archive.running', { share: percent(now.next.bytes / now.bytes), name: now.name, mails: now.next.mails })
              : now.state === 'done'
                ? w('archive.done', { mails: now.next.mails, name: now.name, drafts: now.drafts })
                : w(`archive.${now.state}`, { mails: now.next.mails })}
            {(now.skipped ?? 0) > 0 && (
              <>
                {' '}
                <a href="options.html#never">{w('archive.skipped', { n: now.skipped ?? 0 })}</a>
              </>
            )}
            {now.failed > 0 && ` ${w('archive.unread', { n: now.failed })}`}
          </p>
          {running && (
            <>
              <progress max={1} value={now.next.bytes / now.bytes} aria-label={w('archive.title')} />
              <button type="button" class="button" onClick={() => void own.cancelImport().then(look)}>
                {w('archive.stop')}
              </button>
            </>
          )}
        </div>
      )}
      {why.value && <Unreached why={why.value} />}
      <Refused files={refused.value} />
      {fault.value && <Problem fault={fault.value} />}
    </section>
  );
}
