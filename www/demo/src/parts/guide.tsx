// The current step of the tour, at the bottom of every view.
import { t } from '../../../shared/i18n';
import { Icon } from '../../../shared/parts/icon';
import { current, run } from '../../../shared/state';
import { folded, goTo, step, STEPS } from '../guide';

/** Whether only this sample was imported, so that the guide's numbers are right. */
const isFirst = (): boolean => run.value?.progress.mails === 14 && run.value.replayed === 0 && current.value.length === 10;

/** The pressed button is gone, so the focus moves to the new one. */
const focus = (selector: string): void =>
  void requestAnimationFrame(() => document.querySelector<HTMLElement>(`.guide ${selector}`)?.focus({ preventScroll: true }));

export function Guide() {
  const at = step.value;
  const now = at === null ? undefined : STEPS[at];
  if (at === null || !now) return null;
  const last = at === STEPS.length - 1;
  const close = (
    <button type="button" class="button button-icon" aria-label={t('guide.close')} onClick={() => goTo(null)}>
      <Icon name="DELETE" size={16} />
    </button>
  );
  if (folded.value) {
    return (
      <section class="guide guide-folded" aria-label={t('guide.label')}>
        <button
          type="button"
          class="button button-quiet"
          onClick={() => {
            goTo(at);
            focus('.button-primary');
          }}
        >
          {t('guide.goOn', { n: at + 1, of: STEPS.length })}
        </button>
        {close}
      </section>
    );
  }
  return (
    <section class="guide" aria-label={t('guide.label')}>
      <div class="guide-head">
        <div>
          <p class="quiet">{t('guide.step', { n: at + 1, of: STEPS.length })}</p>
          <h2>{t(now.title === 'guide.1' && !isFirst() ? 'guide.1.again' : now.title)}</h2>
        </div>
        {close}
      </div>
      <p>{t(now.text)}</p>
      <div class="form-row">
        {at > 0 && (
          <button type="button" class="button" onClick={() => goTo(at - 1)}>
            {t('guide.back')}
          </button>
        )}
        <button type="button" class="button button-primary" onClick={() => goTo(last ? null : at + 1)}>
          {t(last ? 'guide.end' : 'guide.next')}
        </button>
        <button
          type="button"
          class="button button-quiet guide-fold"
          onClick={() => {
            folded.value = true;
            focus('.button-quiet');
          }}
        >
          {t('guide.fold')}
        </button>
      </div>
    </section>
  );
}
