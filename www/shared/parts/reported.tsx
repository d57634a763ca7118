// A change to confirm: the value reported by an unauthorised sender, the confirmed value, and the
// owner's answer.
import { useSignal } from '@preact/signals';
import type { Memory } from 'memfold';
import { confirmChange, faultOf, revertChange } from '../actions';
import { isProvisional } from '../facts';
import { t } from '../i18n';
import { nameOf } from '../mails';
import type { Fault } from '../state';
import { Problem, Said } from './basics';
import { Icon } from './icon';

/**
 * The reporter of a memory's current value, and the confirmed value; with `settle`, the possible
 * answers.
 */
export function Reported({ memory, settle }: { memory: Memory; settle?: boolean }) {
  const busy = useSignal(false);
  const problem = useSignal<Fault | null>(null);
  if (!isProvisional(memory)) return null;
  const go = (deed: Promise<unknown>) => {
    busy.value = true;
    problem.value = null;
    void deed.catch((reason) => (problem.value = faultOf(reason))).finally(() => (busy.value = false));
  };
  return (
    <div class="reported" aria-busy={busy.value}>
      <p>
        <strong>
          <Icon name="warning" size={14} /> {memory.reportedBy ? t('change.reported', { name: nameOf(memory.reportedBy) }) : t('change.reported.unknown')}
        </strong>{' '}
        <span class="quiet">{t('change.before')}</span> <Said text={memory.confirmedContent ?? ''} />
      </p>
      {settle && (
        <div class="form-row" role="group" aria-label={t('change.settle')}>
          <button type="button" class="button" disabled={busy.value} onClick={() => go(confirmChange(memory.id))}>
            {t('change.confirm')}
          </button>
          <button type="button" class="button" disabled={busy.value} onClick={() => go(revertChange(memory.id))}>
            {t('change.revert')}
          </button>
        </div>
      )}
      {problem.value && <Problem fault={problem.value} />}
    </div>
  );
}
