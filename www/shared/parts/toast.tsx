// The last deed, at the foot of the page, for as long as it is likely to be taken back.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { t } from '../i18n';
import { route } from '../router';
import { dismiss, toast } from '../toast';
import { Icon } from './icon';

/** Milliseconds that it stays, unless somebody is about to use it. */
const STAYS = 12_000;

export function Toasts() {
  const held = useSignal(false);
  const busy = useSignal(false);
  useSignalEffect(() => {
    if (!toast.value || held.value || busy.value) return;
    const timer = setTimeout(dismiss, STAYS);
    return () => clearTimeout(timer);
  });
  // A new one is not under the hand that lay on the one before, and what cannot be taken back has been seen where it was said.
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
  const back = async () => {
    const deed = now?.back;
    if (!deed) return;
    busy.value = true;
    try {
      await deed();
    } finally {
      busy.value = false;
    }
  };
  if (!now) return null;
  return (
    <section class="toast" key={now.id} aria-label={t('toast.label')} onMouseEnter={hold(true)} onMouseLeave={hold(false)} onFocusIn={hold(true)} onFocusOut={hold(false)}>
      <p>{now.text}</p>
      {now.back && (
        <button type="button" class="button toast-undo" disabled={busy.value} onClick={() => void back()}>
          {t(now.isRedo ? 'explain.redo' : 'explain.undo')}
        </button>
      )}
      <button type="button" class="button button-icon" aria-label={t('common.close')} onClick={dismiss}>
        <Icon name="DELETE" size={16} />
      </button>
    </section>
  );
}
