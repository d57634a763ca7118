// The side panel: the open mail, due dates, and all memories.
import { useSignalEffect } from '@preact/signals';
import { faultOf, isWhole, readsImmediately, refresh, start } from '../../../shared/actions';
import { count, lang, moment, t } from '../../../shared/i18n';
import { Advanced } from '../../../shared/parts/advanced';
import { NeverCard } from '../../../shared/parts/never';
import { Problem } from '../../../shared/parts/basics';
import { useAskKeys } from '../../../shared/parts/ask';
import { Icon } from '../../../shared/parts/icon';
import { Live, SkipLink, Switches } from '../../../shared/parts/shell';
import { Toasts } from '../../../shared/parts/toast';
import { route, sectionOf, SECTIONS, type View } from '../../../shared/router';
import { owner } from '../../../shared/settings';
import { waiting } from '../../../shared/doubts';
import { fault, phase } from '../../../shared/state';
import { LinksView } from '../../../shared/views/links';
import { LogView } from '../../../shared/views/log';
import { MemoriesView } from '../../../shared/views/memories';
import { ReviewView } from '../../../shared/views/review';
import { SearchView } from '../../../shared/views/search';
import { TodayView } from '../../../shared/views/today';
import { beginVisit } from '../../../shared/visit';
import { own } from './client';
import { Brand, look, show, status } from './frame';
import { Notices } from './notices';
import { OpenMail } from './thread';
import { w } from './words';

const Search = () => <SearchView known={status.value?.memories ?? 1} asOf="" answers={status.value?.answers ?? false} />;

function Log() {
  const now = status.value;
  return (
    <>
      {now?.sleep && (
        <details class="card rest">
          <summary>{w('rest.title')}</summary>
          <p>{w('rest.never')}</p>
          {now.rest && (
            <>
              <p>
                {w('rest.did', {
                  at: moment(new Date(now.rest.at).toISOString()),
                  seen: now.rest.lookedAt,
                  folded: now.rest.folded,
                  merges: now.rest.merges,
                  tagged: now.rest.tagged,
                  moved: now.rest.moved,
                  promoted: now.rest.promoted,
                })}
              </p>
              {now.rest.merges > 0 && <p class="quiet">{w('rest.back')}</p>}
            </>
          )}
          <button type="button" class="button" onClick={() => void own.restNow().then(look, (reason) => (fault.value = faultOf(reason)))}>
            {w('rest.now')}
          </button>
        </details>
      )}
      <LogView />
    </>
  );
}

const Settings = () => (
  <>
    <header class="view-head">
      <h1 tabIndex={-1}>{t('nav.settings')}</h1>
    </header>
    <a class="button button-primary" href="options.html" target="_blank">
      {w('nav.options')}
    </a>
    <NeverCard />
    <Advanced views={['log', 'links']} />
  </>
);

const Home = () => <TodayView known={status.value?.memories ?? 1} isRead={phase.value === 'ready'} news={<OpenMail />} />;

const VIEWS: Partial<Record<View, () => preact.JSX.Element>> = {
  today: Home,
  inbox: Home,
  memories: MemoriesView,
  review: ReviewView,
  settings: Settings,
  search: Search,
  links: LinksView,
  log: Log,
};
/** Views that query the engine themselves. */
const BY_THEMSELVES: ReadonlySet<View> = new Set(['today', 'inbox', 'review', 'search', 'settings']);
/** Views that need everything read; it is read when one is first opened. */
const NEEDS_ALL: ReadonlySet<View> = new Set(['memories', 'links', 'log']);
/** Today and Search render before the read has ended; due dates and fraud marks follow. */
const isRead = (view: View): boolean => !['review', 'settings'].includes(view);

let started: 'all' | 'today' | undefined;
const begin = () => start(() => own.open(), started);

const viewNow = (): View => (VIEWS[route.value.view] ? route.value.view : 'today');

function Nav() {
  const reviews = status.value?.reviews ?? waiting.value;
  const open = viewNow();
  return (
    <nav class="nav" aria-label={t('app.nav')}>
      <ul>
        {SECTIONS.map((section) => (
          <li key={section}>
            <a
              href={`#/${section}`}
              aria-current={open === section || (section === 'today' && open === 'inbox') ? 'page' : sectionOf(open) === section ? 'true' : undefined}
            >
              <Icon name={section === 'settings' ? 'options' : section} size={20} />
              <span>{t(`nav.${section}`)}</span>
              {section === 'review' && reviews > 0 && <span class="nav-count nav-badge">{count(reviews)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Panel() {
  useSignalEffect(() => {
    document.documentElement.lang = lang.value;
    document.title = `${t(`nav.${viewNow()}`)} · memfold`;
  });
  useSignalEffect(() => {
    readsImmediately.value = isRead(viewNow());
    if (!readsImmediately.value || started === 'all' || (started && !NEEDS_ALL.has(viewNow()))) return;
    const before = started;
    started = NEEDS_ALL.has(viewNow()) ? 'all' : 'today';
    if (before) void refresh().catch((reason) => (fault.value = faultOf(reason)));
    else void begin();
  });
  useAskKeys();
  const view = viewNow();
  const ViewNow = VIEWS[view] ?? Home;
  return (
    <>
      <SkipLink />
      <div class="shell panel" data-view={view}>
        <header class="masthead">
          <Brand />
          <Nav />
          <Switches />
        </header>
        <main id="main">
          <Notices />
          {(phase.value === 'ready' && (isWhole.value || !NEEDS_ALL.has(view))) || BY_THEMSELVES.has(view) ? (
            <>
              {phase.value === 'ready' && fault.value && <Problem fault={fault.value} />}
              <ViewNow key={view === 'inbox' ? 'today' : view} />
            </>
          ) : phase.value === 'failed' && fault.value ? (
            <>
              <h1 tabIndex={-1}>{t('error.title')}</h1>
              <Problem fault={fault.value} onRetry={begin} />
            </>
          ) : (
            <p class="opening" role="status">
              {t('app.opening')}
            </p>
          )}
        </main>
      </div>
      <Toasts />
      <Live />
    </>
  );
}

// The owner's addresses: those in the options and the open accounts.
void (async () => {
  const named = (await own.settings()).owner;
  const open = Object.values((await chrome.storage.session.get()) as Record<string, { account?: string }>);
  owner.value = [...new Set([...named, ...open.flatMap(({ account }) => account ?? [])].map((a) => a.toLowerCase()))];
})().catch(() => undefined);

beginVisit();
show(<Panel />);
