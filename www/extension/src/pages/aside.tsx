// Mails that could not be read, to retry or drop.
import { useSignal } from '@preact/signals';
import { faultOf } from '../../../shared/actions';
import { nameOf } from '../../../shared/mails';
import { moment } from '../../../shared/i18n';
import { Problem } from '../../../shared/parts/basics';
import { announce, type Fault } from '../../../shared/state';
import type { Aside } from '../messages';
import { own } from './client';
import { look, status } from './frame';
import { asideWords, w } from './words';

/** Mails listed at a time. */
const MOST = 20;

export function Asides() {
  const busy = useSignal('');
  const fault = useSignal<Fault | null>(null);
  const found = status.value?.aside ?? [];
  const act = async (mail: Aside, verb: 'tryAgain' | 'drop') => {
    busy.value = mail.key;
    fault.value = null;
    try {
      await own[verb](mail.key);
      await look();
      const still = status.value?.aside.some((a) => a.key === mail.key);
      announce(w(verb === 'drop' ? 'aside.dropped' : still ? 'aside.still' : 'aside.read'));
    } catch (reason) {
      fault.value = faultOf(reason);
    } finally {
      busy.value = '';
    }
  };
  if (found.length === 0) return null;
  return (
    <section class="problem notice-aside" aria-labelledby="aside-title">
      <div>
        <p id="aside-title">
          <strong>{w('aside.title', { n: found.length })}</strong>
        </p>
        <p class="quiet">{w('aside.detail')}</p>
        <ul class="plain">
          {found.slice(0, MOST).map((mail) => (
            <li key={mail.key}>
              <p>
                <strong>{mail.subject || w('aside.noSubject')}</strong> {mail.from && <span>{nameOf(mail.from)}</span>}
                <br />
                <span class="quiet">{`${moment(new Date(mail.at).toISOString())} · ${asideWords(mail.code)}`}</span>
              </p>
              <div class="button-row">
                <button type="button" class="button" disabled={busy.value !== ''} onClick={() => void act(mail, 'tryAgain')}>
                  {w('aside.retry')}
                </button>
                <button type="button" class="button" disabled={busy.value !== ''} onClick={() => void act(mail, 'drop')}>
                  {w('aside.drop')}
                </button>
              </div>
            </li>
          ))}
        </ul>
        {fault.value && <Problem fault={fault.value} />}
      </div>
    </section>
  );
}
