// The page's shell: header, navigation and the current view.
import { computed, useSignalEffect } from '@preact/signals';
import { count, lang, t } from '../../shared/i18n';
import { useAskKeys } from '../../shared/parts/ask';
import { Problem } from '../../shared/parts/basics';
import { Icon, Mark } from '../../shared/parts/icon';
import { links } from '../../shared/links';
import { MailDialog } from '../../shared/parts/mail';
import { Live, SkipLink, Switches } from '../../shared/parts/shell';
import { Toasts } from '../../shared/parts/toast';
import { currentAt, route, SECTIONS, type Section, type View } from '../../shared/router';
import { mode } from '../../shared/settings';
import { waiting } from '../../shared/doubts';
import { current, entries, fault, phase } from '../../shared/state';
import { LinksView } from '../../shared/views/links';
import { LogView } from '../../shared/views/log';
import { MemoriesView } from '../../shared/views/memories';
import { ReviewView } from '../../shared/views/review';
import { SearchView } from '../../shared/views/search';
import { named, originOf, PRESETS } from './model';
import { Guide } from './parts/guide';
import { MeaningOffer } from './parts/meaning';
import { begin } from './run';
import { StoreDataView } from './views/data';
import { EvaluateView } from './views/evaluate';
import { InboxView } from './views/inbox';
import { RestView } from './views/rest';
import { SettingsView } from './views/settings';
import { Home } from './views/today';

const VIEWS: Record<View, () => preact.JSX.Element> = {
  today: Home,
  inbox: InboxView,
  memories: MemoriesView,
  links: LinksView,
  review: ReviewView,
  log: LogView,
  search: () => <SearchView answers={named.value !== undefined && mode.value !== 'fast'} offer={<MeaningOffer />} />,
  rest: RestView,
  evaluate: EvaluateView,
  data: StoreDataView,
  settings: SettingsView,
};

const counted = (section: Section): number => (section === 'memories' ? current.value.length : section === 'review' ? waiting.value : 0);

/** The host of the model, if requests leave this browser. */
const asks = computed(() => {
  const model = named.value;
  return model && model.preset !== 'builtin' ? (originOf(model.url)?.replace(/^https?:\/\//, '') ?? PRESETS[model.preset].label) : undefined;
});

const Nav = () => (
  <nav class="nav" aria-label={t('app.nav')}>
    <ul>
      {SECTIONS.map((section) => (
        <li key={section}>
          <a href={`#/${section}`} aria-current={currentAt(section)}>
            <Icon name={section === 'settings' ? 'options' : section} size={20} />
            <span>{t(`nav.${section}`)}</span>
            <span class="nav-count">{counted(section) > 0 ? count(counted(section)) : ''}</span>
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

export function App() {
  useSignalEffect(() => {
    document.documentElement.lang = lang.value;
    document.documentElement.dir = 'ltr';
    document.title = `${t(`${route.value.view}.title`)} · memfold`;
  });
  useAskKeys();
  const ViewNow = VIEWS[route.value.view];
  return (
    <>
      <SkipLink />
      <div
        class="shell"
        data-view={route.value.view}
        data-memories={current.value.length}
        data-review={waiting.value}
        data-links={links.value.length}
        data-log={entries.value.length}
      >
        <header class="masthead">
          <a class="brand" href="#/today">
            <Mark />
            <span>
              <strong>memfold</strong>
              <small>{t('app.tagline')}</small>
            </span>
          </a>
          <Nav />
          <Switches />
          <p class="private">{asks.value ? t('app.asks', { name: asks.value }) : t('app.private')}</p>
        </header>
        <main id="main">
          {phase.value === 'failed' && fault.value ? (
            <>
              <h1 tabIndex={-1}>{t('error.title')}</h1>
              <Problem fault={fault.value} onRetry={begin} />
            </>
          ) : phase.value === 'opening' ? (
            <p class="opening" role="status">
              {t('app.opening')}
            </p>
          ) : (
            <>
              {fault.value && <Problem fault={fault.value} />}
              <ViewNow key={route.value.view} />
            </>
          )}
        </main>
      </div>
      <div class="foot">
        <Toasts />
        <Guide />
      </div>
      <MailDialog />
      <Live />
    </>
  );
}
