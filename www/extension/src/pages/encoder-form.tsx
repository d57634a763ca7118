// The checkbox for search by meaning, and the encoder's last failure.
import { useSignal } from '@preact/signals';
import { faultOf } from '../../../shared/actions';
import { known, t } from '../../../shared/i18n';
import { Problem } from '../../../shared/parts/basics';
import { Icon } from '../../../shared/parts/icon';
import type { Fault } from '../../../shared/state';
import type { Settings } from '../messages';
import { own } from './client';
import { look, status } from './frame';
import { w } from './words';

export function EncoderForm({ settings, onSaved }: { settings: Settings; onSaved(next: Settings): void }) {
  const fault = useSignal<Fault | null>(null);
  const choose = async (encoder: boolean): Promise<void> => {
    fault.value = null;
    try {
      onSaved(await own.save({ ...settings, encoder }));
      await look();
    } catch (reason) {
      fault.value = faultOf(reason);
    }
  };
  return (
    <section class="card" aria-labelledby="encoder-title">
      <h2 id="encoder-title">{w('encoder.title')}</h2>
      <label class="check">
        <input type="checkbox" checked={settings.encoder} onChange={(e) => void choose(e.currentTarget.checked)} />
        {t('meaning.title')}
      </label>
      <p class="quiet">{w('encoder.detail')}</p>
      <EncoderFault />
      {fault.value && <Problem fault={fault.value} />}
    </section>
  );
}

/** The last failure in words. */
export function EncoderFault() {
  const code = status.value?.encoder;
  if (!code) return null;
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <p>{known(`meaning.failed.${code}`) ?? t('meaning.failed')}</p>
    </div>
  );
}
