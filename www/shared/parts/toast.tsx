// The last deed, at the foot of the page, for as long as it is likely to be taken back.
import { useSignal, useSignalEffect } from '@preact/signals';
import { t } from '../i18n';
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
