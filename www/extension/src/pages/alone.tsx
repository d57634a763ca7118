// Adds entries to the "Never remember" list, and erases what this mail taught.
import { useSignal } from '@preact/signals';
import { faultOf } from '../../../shared/actions';
import { Choice, Confirm, Problem } from '../../../shared/parts/basics';
import { forbid, offers } from '../../../shared/forbidden';
import { nameOf } from '../../../shared/mails';
import type { Fault } from '../../../shared/state';
import { done } from '../../../shared/toast';
import { own } from './client';
import { LENGTHS, pause, type Length } from './pause';
import { w } from './words';

export type OpenTab = { id: number; account: string; thread: string; subject: string; at: number; labels?: string[]; senders?: string[] };

/** Ignores a label from now on, with an undo. */
async function leaveLabel(label: string): Promise<void> {
  const before = await own.settings();
  await own.save({ ...before, ignoreLabels: [...new Set([...before.ignoreLabels, label])] });
  done(w('alone.done', { name: label }), async () => {
    await own.save({ ...(await own.settings()), ignoreLabels: before.ignoreLabels });
  });
}

export function Alone({ tab, onDone }: { tab: OpenTab; onDone(): Promise<void> }) {
  const sure = useSignal(false);
  const length = useSignal<Length | 'good'>('good');
  const busy = useSignal(false);
  const fault = useSignal<Fault | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    busy.value = true;
    fault.value = null;
    try {
      await work();
    } catch (reason) {
      fault.value = faultOf(reason);
    } finally {
      busy.value = false;
    }
  };
  const senders = (tab.senders ?? []).filter((s) => s && s.toLowerCase() !== tab.account.toLowerCase());
  const forget = () =>
    attempt(async () => {
      const { forgotten, putBack, left } = await own.forgetThread(tab.account, tab.thread);
      sure.value = false;
      await onDone();
      done(
        [w('alone.forgotten', { n: forgotten, back: putBack }), left > 0 ? w('alone.left', { n: left }) : ''].filter(Boolean).join(' '),
        undefined,
        false,
        offers([...new Set(senders.map((one) => one.toLowerCase()))], tab.subject),
      );
    });
  const goodOr = (of: 'sender' | 'label', name: string, forGood: () => Promise<void>) => {
    const { value } = length;
    void attempt(value === 'good' ? forGood : () => pause(of, name, value));
  };
  const isGood = length.value === 'good';
  return (
    <details class="card alone">
      <summary>{w('alone.title')}</summary>
      <Choice
        legend={w('pause.long')}
        name="how-long"
        value={length.value}
        options={(['good', ...LENGTHS] as const).map((value) => ({ value, label: w(`pause.${value}`) }))}
        onChange={(value) => (length.value = value)}
      />
      <div class="button-row">
        {senders.map((sender) => (
          <button key={sender} type="button" class="button" disabled={busy.value} onClick={() => goodOr('sender', sender, () => forbid('people', sender))}>
            {w(isGood ? 'alone.sender' : 'alone.sender.pause', { name: nameOf(sender) })}
          </button>
        ))}
        {(tab.labels ?? []).map((label) => (
          <button key={label} type="button" class="button" disabled={busy.value} onClick={() => goodOr('label', label, () => leaveLabel(label))}>
            {w(isGood ? 'alone.label' : 'alone.label.pause', { name: label })}
          </button>
        ))}
        {!sure.value && (
          <button type="button" class="button button-danger-quiet" disabled={busy.value} onClick={() => (sure.value = true)}>
            {w('alone.forget')}
          </button>
        )}
      </div>
      {sure.value && (
        <Confirm
          label={w('alone.forget')}
          ask={w('alone.forget.sure')}
          yes={w('fix.forget.yes')}
          disabled={busy.value}
          onYes={() => void forget()}
          onNo={() => (sure.value = false)}
        />
      )}
      {fault.value && <Problem fault={fault.value} />}
    </details>
  );
}
