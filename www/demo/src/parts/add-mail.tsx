// Adding mail: files by drop or selection, or a sample mailbox.
import { useSignal } from '@preact/signals';
import { lang, t } from '../../../shared/i18n';
import { ACCEPTED } from '../../../shared/mailbox';
import { FileButton } from '../../../shared/parts/basics';
import { Icon } from '../../../shared/parts/icon';
import { ingestFiles, isBusy, loadSample } from '../adding';

export function AddMail({ heading = 'h2' }: { heading?: 'h2' | 'none' }) {
  const over = useSignal(false);
  const busy = isBusy();
  return (
    <section class="card add-mail" aria-label={t('drop.title')}>
      {heading === 'h2' && <h2>{t('drop.title')}</h2>}
      <div
        class={`drop ${over.value ? 'drop-over' : ''}`}
        onDragOver={(e) => {
          e.preventDefault();
          over.value = true;
        }}
        onDragLeave={() => (over.value = false)}
        onDrop={(e) => {
          e.preventDefault();
          over.value = false;
          if (!busy) void ingestFiles([...(e.dataTransfer?.files ?? [])]);
        }}
      >
        <Icon name="inbox" size={28} />
        <p>
          <strong>{t('drop.hint')}</strong>
        </p>
        <p class="quiet">{t('drop.detail')}</p>
        <FileButton label={t('drop.choose')} accept={ACCEPTED} multiple primary disabled={busy} onFiles={(files) => void ingestFiles(files)} />
      </div>
      <div class="samples">
        <h3>{t('sample.title')}</h3>
        <p class="quiet">{t('sample.detail')}</p>
        <div class="form-row form-row-even">
          {(lang.value === 'ko' ? (['ko', 'en'] as const) : (['en', 'ko'] as const)).map((name) => (
            <button key={name} type="button" class="button" id={`sample-${name}`} disabled={busy} onClick={() => void loadSample(name)}>
              {t(`sample.${name}`)}
            </button>
          ))}
        </div>
      </div>
    </section>
  );
}
