// The side panel: what the open mail taught, and all that is known.
import { useSignalEffect } from '@preact/signals';
import { faultOf, keepsUp, start } from '../../../shared/actions';
import { count, lang, moment, t } from '../../../shared/i18n';
import { Problem } from '../../../shared/parts/basics';
import { Icon, type IconName } from '../../../shared/parts/icon';
import { Live, SkipLink, Switches, useOpenEntry } from '../../../shared/parts/shell';
import { Toasts } from '../../../shared/parts/toast';
import { route } from '../../../shared/router';
import { owner } from '../../../shared/settings';
import { fault, phase, waiting } from '../../../shared/state';
import { LinksView } from '../../../shared/views/links';
import { LogView } from '../../../shared/views/log';
import { MemoriesView } from '../../../shared/views/memories';
import { ReviewView } from '../../../shared/views/review';
import { SearchView } from '../../../shared/views/search';
import { own } from './client';
import { Brand, look, show, status } from './frame';
import { Notices } from './notices';
import { ThreadView } from './thread';
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
                  at: moment(new Date(now.rest.at).toISOString()), seen: now.rest.lookedAt, folded: now.rest.folded, merges: now.rest.merges,
                  tagged: now.rest.tagged, moved: now.rest.moved, promoted: now.rest.promoted,
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

const VIEWS = {
  inbox: ThreadView,
  review: ReviewView,
  search: Search,
  memories: MemoriesView,
  links: LinksView,
  log: Log,
} as const;
type View = keyof typeof VIEWS;
const ICONS: Record<View, IconName> = {
  inbox: 'inbox', review: 'review', search: 'search', memories: 'memories', links: 'links', log: 'log',
};
/** These ask for what they show. For the others all memories are read, when they are first looked at. */
const BY_THEMSELVES: ReadonlySet<View> = new Set(['inbox', 'review', 'search']);
/** A search asks for its hits and does not wait; which of them may be fraud, all that is known tells. */
const isRead = (view: View): boolean => view === 'search' || !BY_THEMSELVES.has(view);

let started = false;
const begin = () => start(() => own.open());

const viewNow = (): View => (Object.hasOwn(VIEWS, route.value.view) ? (route.value.view as View) : 'inbox');

function Nav() {
  const strip = useOpenEntry();
  const reviews = status.value?.reviews ?? waiting.value;
  return (
    <nav class="nav" aria-label={t('app.nav')} ref={strip}>
      <ul>
        {(Object.keys(VIEWS) as View[]).map((view) => (
          <li key={view}>
            <a href={`#/${view}`} aria-current={viewNow() === view ? 'page' : undefined}>
              <Icon name={ICONS[view]} />
              <span>{w(`nav.${view}`)}</span>
              {view === 'review' && reviews > 0 && <span class="nav-count nav-badge">{count(reviews)}</span>}
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
    document.title = `${w(`nav.${viewNow()}`)} · memfold`;
  });
  useSignalEffect(() => {
    keepsUp.value = isRead(viewNow());
    if (!keepsUp.value || started) return;
    started = true;
    void begin();
  });
  const view = viewNow();
  const ViewNow = VIEWS[view];
  return (
    <>
      <SkipLink />
      <div class="shell panel">
        <header class="masthead">
          <Brand />
          <Nav />
          <Switches />
          <a class="switch switch-icon options-link" href="options.html" target="_blank" aria-label={w('nav.options')} title={w('nav.options')}>
            <Icon name="options" />
          </a>
        </header>
        <main id="main">
          <Notices />
          {phase.value === 'ready' || BY_THEMSELVES.has(view) ? (
            <>
              {phase.value === 'ready' && fault.value && <Problem fault={fault.value} />}
              <ViewNow key={view} />
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

// Whose memory it is: the addresses that the options name, and the accounts that are open.
void (async () => {
  const named = (await own.settings()).owner;
  const open = Object.values((await chrome.storage.session.get()) as Record<string, { account?: string }>);
  owner.value = [...new Set([...named, ...open.flatMap(({ account }) => account ?? [])].map((a) => a.toLowerCase()))];
})().catch(() => undefined);

show(<Panel />);
