// Search by meaning: the offer, the progress and the removal.
import type { ComponentChildren } from 'preact';
import { known, percent, size, t } from '../../../shared/i18n';
import { Bar } from '../../../shared/parts/basics';
import { Icon } from '../../../shared/parts/icon';
import { BYTES, decline, forget, meaning, offered, loadEncoder, cacheProblem } from '../meaning';

/** The state and its buttons. */
function Controls({ children }: { children?: ComponentChildren }) {
  const now = meaning.value;
  const start = (label: string) => (
    <button type="button" class="button" onClick={() => void loadEncoder()}>
      {label}
    </button>
  );
  const end = (label: string) => (
    <button type="button" class="button" onClick={() => void forget()}>
      {label}
    </button>
  );
  switch (now.is) {
    case 'off':
      return (
        <div class="form-row">
          {start(t('meaning.go', { size: size(BYTES) }))}
          {children}
        </div>
      );
    case 'loading':
      return (
        <>
          <Progress words={t('meaning.loading', { share: percent(now.loaded / now.total), total: size(now.total) })} value={now.loaded} max={now.total} />
          <div class="form-row">{end(t('common.cancel'))}</div>
        </>
      );
    case 'learning':
      return (
        <>
          <Progress words={t('meaning.learning', { done: now.done, of: now.of })} value={now.done} max={now.of} />
          <div class="form-row">{end(t('meaning.remove'))}</div>
        </>
      );
    case 'on':
      return (
        <>
          <p class="done">{t('meaning.on')}</p>
          {cacheProblem.value && <p class="quiet">{t('meaning.unkept')}</p>}
          <div class="form-row">{end(t('meaning.remove'))}</div>
        </>
      );
    case 'failed':
      return (
        <div class="problem" role="alert">
          <Icon name="warning" />
          <div>
            <p>{known(`meaning.failed.${now.code}`) ?? t('meaning.failed')}</p>
            <div class="form-row">
              {start(t('common.retry'))}
              {end(t('meaning.remove'))}
            </div>
          </div>
        </div>
      );
  }
}

const Progress = ({ words, value, max }: { words: string; value: number; max: number }) => (
  <div class="meaning-progress">
    <p>{words}</p>
    <progress class="unseen" aria-label={words} max={1} value={max > 0 ? value / max : 0} />
    <Bar value={max > 0 ? value / max : 0} />
  </div>
);

/** The card in the settings. */
export const MeaningCard = () => (
  <section class="card meaning" aria-labelledby="meaning-title">
    <h2 id="meaning-title">{t('meaning.title')}</h2>
    <p>{t('meaning.detail')}</p>
    <Controls />
  </section>
);

/** The offer below a search that finds little, until the encoder works or the offer was declined. */
export function MeaningOffer() {
  const { is } = meaning.value;
  if (is === 'on' || (is === 'off' && !offered.value)) return null;
  return (
    <aside class="card meaning" aria-labelledby="meaning-offer">
      <p id="meaning-offer">{t('meaning.offer')}</p>
      <p class="quiet">{t('meaning.detail')}</p>
      <Controls>
        <button type="button" class="button button-quiet" onClick={decline}>
          {t('meaning.no')}
        </button>
      </Controls>
    </aside>
  );
}
