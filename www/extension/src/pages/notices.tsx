// Notices for the owner, above every view.
import { useSignal } from '@preact/signals';
import { moment, percent, t } from '../../../shared/i18n';
import { Problem } from '../../../shared/parts/basics';
import { Icon } from '../../../shared/parts/icon';
import { Asides } from './aside';
import { own } from './client';
import { EncoderFault } from './encoder-form';
import { look, status, trouble } from './frame';
import { Pauses } from './pause';
import { partWords, w } from './words';

export function Notices() {
  const now = status.value;
  return (
    <>
      {trouble.value && <Problem fault={trouble.value} onRetry={() => void look()} />}
      {now?.loss && (
        <Notice what="loss">
          <p>
            {now.loss.copiedAt
              ? w('notice.loss', {
                  at: moment(new Date(now.loss.at).toISOString()),
                  n: now.loss.memories,
                  copied: moment(new Date(now.loss.copiedAt).toISOString()),
                })
              : w('notice.loss.none', { at: moment(new Date(now.loss.at).toISOString()) })}
          </p>
          {now.loss.copiedAt && <p class="quiet">{w('notice.loss.detail')}</p>}
        </Notice>
      )}
      {now && now.missing.length > 0 && (
        <Notice what="missing">
          <p>{w('notice.changed', { parts: now.missing.map(partWords).join(', ') })}</p>
        </Notice>
      )}
      <EncoderFault />
      <Asides />
      <Pauses />
      {now?.import?.state === 'running' && (
        <p class="notice-quiet" role="status">
          {w('notice.import', { name: now.import.name, share: percent(now.import.next.bytes / now.import.bytes), mails: now.import.next.mails })}
        </p>
      )}
      {now?.key === 'locked' && <Unlock />}
    </>
  );
}

const Notice = ({ what, children }: { what: 'loss' | 'missing'; children: preact.ComponentChildren }) => (
  <div class={`problem notice-${what}`} role="alert">
    <Icon name="warning" />
    <div>
      {children}
      <button type="button" class="button" onClick={() => void own.dismiss(what).then(look)}>
        {w('notice.ok')}
      </button>
    </div>
  </div>
);

export function Unlock() {
  const passphrase = useSignal('');
  const wrong = useSignal(false);
  return (
    <form
      class="card form unlock"
      onSubmit={(e) => {
        e.preventDefault();
        void own.unlock(passphrase.value).then((open) => {
          wrong.value = !open;
          passphrase.value = '';
          return look();
        });
      }}
    >
      <p>{w('notice.locked')}</p>
      <div class="form-row">
        <label class="field">
          <span>{w('model.unlock.label')}</span>
          <input
            type="password"
            autocomplete="off"
            required
            value={passphrase.value}
            aria-invalid={wrong.value}
            onInput={(e) => (passphrase.value = e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {w('model.unlock')}
        </button>
      </div>
      {wrong.value && (
        <p class="problem" role="alert">
          {w('model.unlock.wrong')}
        </p>
      )}
      <p class="unseen">{t('app.private')}</p>
    </form>
  );
}
