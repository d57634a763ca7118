// "Forget everything from …": all that one person said, away in two presses, and back in one.
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
          label={t('forget.all', { name })}
          ask={t('forget.sure', { n: ids.length, name })}
          yes={t('forget.yes')}
          onYes={() => void go(remove(ids))}
          onNo={() => (asked.value = false)}
        >
          <button type="button" class="button button-danger-quiet" onClick={() => void go(forget(ids))}>
            {t('memory.forget')}
          </button>
        </Confirm>
      ) : (
        <button type="button" class="button button-danger-quiet" onClick={() => (asked.value = true)}>
          {t('forget.all', { name })}
        </button>
      )}
      {problem.value && <Problem fault={problem.value} />}
    </div>
  );
}
