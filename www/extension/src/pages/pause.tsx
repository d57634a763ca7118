// Pauses of everything, a sender or a label, listed with their end and a button to end them.
import { useSignal } from '@preact/signals';
import { faultOf } from '../../../shared/actions';
import { moment } from '../../../shared/i18n';
import { nameOf } from '../../../shared/mails';
import { Problem } from '../../../shared/parts/basics';
import type { Fault } from '../../../shared/state';
import { done } from '../../../shared/toast';
import type { Pause } from '../messages';
import { own } from './client';
import { look, status } from './frame';
import { w } from './words';

export const LENGTHS = ['hour', 'tomorrow', 'open'] as const;
export type Length = (typeof LENGTHS)[number];

/** When a pause that starts now ends; tomorrow starts at local midnight. */
export function endOf(length: Length, now = new Date()): number | null {
  if (length === 'open') return null;
  if (length === 'hour') return now.getTime() + 3_600_000;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
}

const untilWords = (until: number | null): string => (until === null ? w('pause.open') : w('pause.until', { at: moment(new Date(until).toISOString()) }));

/** Starts a pause, shows its end, and offers an undo. */
export async function pause(of: Pause['of'], name: string, length: Length): Promise<void> {
  const until = endOf(length);
  await own.pause({ of, name, until });
  await look();
  done(w('pause.did', { until: untilWords(until) }), () => own.unpause({ of, name: of === 'sender' ? name.toLowerCase() : name }).then(look));
}

/** The active pauses. */
export function Pauses() {
  const fault = useSignal<Fault | null>(null);
  const running = status.value?.pauses ?? [];
  if (running.length === 0) return null;
  const end = (p: Pause) =>
    own
      .unpause(p)
      .then(look)
      .then(() => done(w('pause.ended')))
      .catch((reason) => (fault.value = faultOf(reason)));
  return (
    <section class="card pauses" aria-labelledby="pauses-title">
      <h2 id="pauses-title">{w('pause.running')}</h2>
      <ul class="plain">
        {running.map((p) => (
          <li key={`${p.of} ${p.name}`}>
            <p>
              <strong>{p.of === 'all' ? w('pause.all') : w(`pause.${p.of}`, { name: p.of === 'sender' ? nameOf(p.name) : p.name })}</strong>
              <br />
              <span class="quiet">{untilWords(p.until)}</span>
            </p>
            <button type="button" class="button" onClick={() => void end(p)}>
              {w('pause.on')}
            </button>
          </li>
        ))}
      </ul>
      {fault.value && <Problem fault={fault.value} />}
    </section>
  );
}

/** Buttons to pause everything. */
export function PauseAll() {
  const fault = useSignal<Fault | null>(null);
  if (status.value?.pauses.some((p) => p.of === 'all')) return null;
  return (
    <details class="card pause-all">
      <summary>{w('pause.title')}</summary>
      <p class="quiet">{w('pause.detail')}</p>
      <div class="button-row">
        {LENGTHS.map((length) => (
          <button key={length} type="button" class="button" onClick={() => void pause('all', '', length).catch((reason) => (fault.value = faultOf(reason)))}>
            {w(`pause.${length}`)}
          </button>
        ))}
      </div>
      {fault.value && <Problem fault={fault.value} />}
    </details>
  );
}
