// A toast for the last action, with an undo.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { faultOf as crossing } from '../engine/error';
import { langOf, t } from '../i18n';
import { route } from '../router';
import { dismiss, done, toast } from '../toast';
import { faultWords } from '../words';
import { Icon } from './icon';

/** Milliseconds that it stays, unless hovered or focused. */
const STAYS = 12_000;

export function Toasts() {
  const held = useSignal(false);
  const busy = useSignal(false);
  useSignalEffect(() => {
    if (!toast.value || held.value || busy.value) return;
    const timer = setTimeout(dismiss, STAYS);
    return () => clearTimeout(timer);
  });
  // A new toast is not hovered yet, and one without undo closes on navigation.
  const view = useRef(route.value.view);
  useSignalEffect(() => {
    void toast.value;
    held.value = false;
  });
  useSignalEffect(() => {
    const next = route.value.view;
    if (next !== view.current && !toast.peek()?.back) dismiss();
    view.current = next;
  });
  const now = toast.value;
  const hold = (is: boolean) => () => void (held.value = is);
  const go = async (deed: () => Promise<void>) => {
    busy.value = true;
    try {
      await deed();
    } catch (reason) {
      done(faultWords(crossing(reason)));
    } finally {
      busy.value = false;
    }
  };
  if (!now) return null;
  const { back } = now;
  return (
    <section
      class="toast"
      key={now.id}
      aria-label={t('toast.label')}
      onMouseEnter={hold(true)}
      onMouseLeave={hold(false)}
      onFocusIn={hold(true)}
      onFocusOut={hold(false)}
    >
      <p>{now.text}</p>
      {back && (
        <button type="button" class="button toast-undo" disabled={busy.value} onClick={() => void go(back)}>
          {t(now.isRedo ? 'explain.redo' : 'explain.undo')}
        </button>
      )}
      {now.never.length > 0 && (
        <div class="toast-offers" role="group" aria-label={t('never.title')}>
          <span>{t('never.offer')}</span>
          {now.never.map(({ label, act }) => (
            <button key={label} type="button" class="chip" disabled={busy.value} lang={langOf(label)} onClick={() => void go(act)}>
              {label}
            </button>
          ))}
        </div>
      )}
      <button type="button" class="button button-icon" aria-label={t('common.close')} onClick={dismiss}>
        <Icon name="DELETE" size={16} />
      </button>
    </section>
  );
}
