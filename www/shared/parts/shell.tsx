// The frame around the views of the page and the extension: skip link, language and theme.
import { lang, speak, t } from '../i18n';
import { paint, systemIsDark, theme, type Theme } from '../settings';
import { spoken } from '../state';
import { Choice } from './basics';
import { Icon } from './icon';

export const SkipLink = () => (
  <a
    class="skip-link"
    href="#main"
    onClick={(e) => {
      e.preventDefault();
      document.querySelector<HTMLElement>('main h1')?.focus();
    }}
  >
    {t('app.skip')}
  </a>
);

/** Buttons for language and theme. */
export function Switches() {
  const dark = theme.value === 'dark' || (theme.value === 'system' && systemIsDark.value);
  const other = lang.value === 'ko' ? 'en' : 'ko';
  const words = t(dark ? 'app.toLight' : 'app.toDark');
  return (
    <div class="switches">
      <button type="button" class="switch" lang={other} onClick={() => speak(other)}>
        {t('app.otherLanguage')}
      </button>
      <button type="button" class="switch switch-icon" aria-label={words} title={words} onClick={() => paint(dark ? 'light' : 'dark')}>
        <Icon name={dark ? 'sun' : 'moon'} />
      </button>
    </div>
  );
}

/** The choices of language and theme with labels. */
export const Look = ({ title }: { title: string }) => (
  <section class="card" aria-labelledby="look-title">
    <h2 id="look-title">{title}</h2>
    <Choice
      legend={t('data.theme')}
      name="theme"
      value={theme.value}
      options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t(`theme.${value}`) }))}
      onChange={(next: Theme) => paint(next)}
    />
    <Choice
      legend={t('data.language')}
      name="lang"
      value={lang.value}
      options={[
        { value: 'en', label: 'English' },
        { value: 'ko', label: '한국어' },
      ]}
      onChange={speak}
    />
  </section>
);

/** The live region for screen readers. */
export const Live = () => (
  <div class="unseen" role="status" aria-live="polite" aria-atomic="true" id="live">
    {spoken.value}
  </div>
);
