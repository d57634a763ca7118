// The choice of Chrome's built-in model: its state, download and checkbox.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { faultOf } from '../../../shared/actions';
import { downloadBuiltIn, loadedShare } from '../../../shared/builtin';
import { Problem } from '../../../shared/parts/basics';
import { BuiltInLoading } from '../../../shared/parts/loading';
import type { Fault } from '../../../shared/state';
import type { Settings } from '../messages';
import { own } from './client';
import { modelState, type ModelState } from './model';
import { w } from './words';

/** Chooses the model, after its download; calls back with the saved settings. */
export function BuiltIn({ settings, onSaved }: { settings: Settings; onSaved(next: Settings): void }) {
  const state = useSignal<ModelState | undefined>(undefined);
  // The checkbox state while it is being saved.
  const wished = useSignal<boolean | null>(null);
  const fault = useSignal<Fault | null>(null);
  const said = useSignal('');
  useEffect(() => void modelState().then((found) => (state.value = found)), []);
  const choose = async (builtIn: boolean): Promise<void> => {
    fault.value = null;
    said.value = '';
    wished.value = builtIn;
    try {
      if (builtIn) {
        await downloadBuiltIn();
        state.value = await modelState();
      }
      onSaved(await own.save({ ...settings, builtIn }));
      said.value = w('options.saved');
    } catch (reason) {
      fault.value = faultOf(reason);
    } finally {
      wished.value = null;
    }
  };
  if (state.value === undefined) return null;
  if (state.value === 'unavailable') return <p class="quiet">{w('model.builtIn.unavailable')}</p>;
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={wished.value ?? settings.builtIn}
          disabled={settings.endpoint !== null || loadedShare.value !== null}
          onChange={(e) => void choose(e.currentTarget.checked)}
        />
        <span>
          {w('model.builtIn')}{' '}
          <span class="quiet">
            {w('model.builtIn.detail')} {w(`model.builtIn.${state.value}`)}
          </span>
        </span>
      </label>
      <BuiltInLoading />
      {said.value && <p class="done">{said.value}</p>}
      {fault.value && <Problem fault={fault.value} />}
    </>
  );
}
