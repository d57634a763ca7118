// "Forget everything from …": deletes one person's statements with an undo, or erases them after a
// confirmation.
import { useSignal } from '@preact/signals';
import { faultOf, forget, remove } from '../actions';
import { t } from '../i18n';
import { nameOf } from '../mails';
import type { Person } from '../matters';
import type { Fault } from '../state';
import { Confirm, Problem } from './basics';

export function ForgetPerson({ person, onDone }: { person: Person; onDone?(): void }) {
  const asked = useSignal(false);
  const problem = useSignal<Fault | null>(null);
  const ids = person.memories.map((m) => m.id);
  const name = nameOf(person.address);
  const go = async (deed: Promise<unknown>) => {
    try {
      await deed;
      onDone?.();
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  return (
    <div class="forget">
      {asked.value ? (
        <Confirm
          label={t('memory.forget')}
          ask={t('forget.sure', { n: ids.length, name })}
          yes={t('forget.yes')}
          onYes={() => void go(forget(ids))}
          onNo={() => (asked.value = false)}
        />
      ) : (
        <div class="form-row">
          <button type="button" class="button button-danger-quiet" onClick={() => void go(remove(ids))}>
            {t('forget.all', { name })}
          </button>
          <button type="button" class="button button-quiet" onClick={() => (asked.value = true)}>
            {t('forget.good')}
          </button>
        </div>
      )}
      {problem.value && <Problem fault={problem.value} />}
    </div>
  );
}
