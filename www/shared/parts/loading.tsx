// The progress of the built-in model's download.
import { loadedShare } from '../builtin';
import { percent, t } from '../i18n';

/** The progress, while the model is being downloaded. */
export const BuiltInLoading = () =>
  loadedShare.value !== null && (
    <div role="status">
      <progress max={1} value={loadedShare.value} aria-label={t('model.builtin.loading')} />{' '}
      {t('model.builtin.progress', { share: percent(loadedShare.value) })}
    </div>
  );
