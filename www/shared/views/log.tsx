// All decisions, with filters and statistics.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Decision, LogEntry, LogQuery, Status } from 'memfold';
import type { Analytics } from '../types';
import { faultOf } from '../actions';
import { engine } from '../engine';
import { logOf } from '../log';
import { count, moment, percent, t } from '../i18n';
import { Bar, DecisionBadge, NothingYet, Problem, Said, ViewHead } from '../parts/basics';
import { EntryBy, Explanation, isUndoable, Undo } from '../parts/explanation';
import { useGradually } from '../parts/gradually';
import { Icon } from '../parts/icon';
import { entries, takenBack, type Fault } from '../state';
import { FOUR, aboutWords, actionOf, named } from '../words';

const STATUSES: readonly Status[] = ['success', 'skipped', 'error', 'dry_run'];
const STEP = 50;
/** Rows rendered at a time. */
const AT_A_TIME = 15;
/** Mails suggested as filters. */
const SUGGESTED = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NOTHING = { decision: '', status: '', text: '', about: '', from: '', to: '' };

/** The start of a local day as a time. */
const startOf = (day: string): string | undefined => iso(new Date(`${day}T00:00:00`));
const endOf = (day: string): string | undefined => {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + 1);
  return iso(date);
};
const iso = (date: Date): string | undefined => (Number.isNaN(date.getTime()) ? undefined : date.toISOString());

export function LogView() {
  const filter = useSignal(NOTHING);
  const found = useSignal<readonly LogEntry[] | null>(null);
  const figures = useSignal<Analytics | null>(null);
  const problem = useSignal<Fault | null>(null);
  const shown = useSignal(STEP);
  useSignalEffect(() => {
    void entries.value;
    const f = filter.value;
    const query: LogQuery = {};
    if (f.decision) query.decision = f.decision as Decision;
    if (f.status) query.status = f.status as Status;
    if (f.text.trim()) query.text = f.text.trim();
    const about = f.about.trim();
    if (UUID.test(about)) query.target = about.toLowerCase();
    else if (about) query.source = about;
    const from = f.from ? startOf(f.from) : undefined;
    const to = f.to ? endOf(f.to) : undefined;
    if (from) query.from = from;
    if (to) query.to = to;
    const asked = filter.value;
    // Without filters, the page has already read the entries.
    Promise.all([f === NOTHING ? null : logOf(query), engine.log.stats()]).then(
      ([log, analytics]) => {
        if (filter.value !== asked) return;
        problem.value = null;
        // Dry runs appear only on request.
        found.value = f.status ? log : (log?.filter((e) => e.status !== 'dry_run') ?? null);
        figures.value = analytics;
      },
      (reason) => (problem.value = faultOf(reason)),
    );
  });
  const set = (change: Partial<typeof NOTHING>) => {
    filter.value = { ...filter.value, ...change };
    shown.value = STEP;
  };
  const rows = found.value ?? entries.value;
  const drawn = useGradually(Math.min(rows.length, shown.value), AT_A_TIME);
  if (entries.value.length === 0) {
    return <NothingYet view="log" />;
  }
  const f = filter.value;
  const left = rows.length - shown.value;
  return (
    <>
      <ViewHead title={t('log.title')} lead={t('log.lead')} />
      <Figures figures={figures.value} />
      <form class="filters log-filters" role="search" onSubmit={(e) => e.preventDefault()}>
        <label class="field">
          <span>{t('log.text')}</span>
          <input type="search" value={f.text} onInput={(e) => set({ text: e.currentTarget.value })} />
        </label>
        <label class="field">
          <span>{t('log.decision')}</span>
          <select value={f.decision} onChange={(e) => set({ decision: e.currentTarget.value })}>
            <option value="">{t('common.all')}</option>
            {FOUR.map((d) => (
              <option key={d} value={d}>
                {named('decision', d)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{t('log.status')}</span>
          <select value={f.status} onChange={(e) => set({ status: e.currentTarget.value })}>
            <option value="">{t('common.all')}</option>
            {STATUSES.map((s) => (
              <option key={s} value={s}>
                {named('status', s)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{t('log.about')}</span>
          <input type="search" list="log-sources" value={f.about} placeholder={t('log.about.example')} onInput={(e) => set({ about: e.currentTarget.value })} />
          <datalist id="log-sources">
            {[...new Set(entries.value.map((e) => e.sourceId))].slice(0, SUGGESTED).map((id) => id && <option key={id} value={id} />)}
          </datalist>
        </label>
        <label class="field">
          <span>{t('log.from')}</span>
          <input type="date" value={f.from} onInput={(e) => set({ from: e.currentTarget.value })} />
        </label>
        <label class="field">
          <span>{t('log.to')}</span>
          <input type="date" value={f.to} onInput={(e) => set({ to: e.currentTarget.value })} />
        </label>
      </form>
      <h2 class="unseen">{t('log.entries')}</h2>
      <div class="section-head">
        <p class="result-count" role="status">
          {rows.length > 0 ? t('log.count', { n: rows.length }) : t('log.nothing')}
        </p>
        {filter.value !== NOTHING && (
          <button type="button" class="button button-quiet" onClick={() => (filter.value = NOTHING)}>
            {t('log.reset')}
          </button>
        )}
      </div>
      {problem.value && <Problem fault={problem.value} />}
      {rows.length > 0 && (
        <table class="table log-table">
          <caption class="unseen">{t('log.title')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('log.time')}</th>
              <th scope="col">{t('log.decision')}</th>
              <th scope="col" class="wide">
                {t('log.input')}
              </th>
              <th scope="col">
                <span class="unseen">{t('explain.undo')}</span>
              </th>
              <th scope="col">
                <span class="unseen">{t('log.explain')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, drawn).map((entry) => (
              <LogRow key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      {left > 0 && (
        <button type="button" class="button more-button" onClick={() => (shown.value += STEP)}>
          {t('common.more', { n: Math.min(left, STEP) })}
        </button>
      )}
    </>
  );
}

function LogRow({ entry }: { entry: LogEntry }) {
  const open = useSignal(false);
  const gone = takenBack.value.has(entry.id);
  return (
    <>
      <tr class={`${open.value ? 'row-open' : ''} ${gone ? 'row-gone' : ''}`}>
        <td class="cell-time" data-label={t('log.time')}>
          <time dateTime={entry.time}>{moment(entry.time)}</time>
        </td>
        <td class="cell-decision" data-label={t('log.decision')}>
          {actionOf(entry) !== 'consolidate' ? <span class="badge">{named('action', entry.action)}</span> : <DecisionBadge decision={entry.decision} />}
          {entry.status === 'error' && <span class="badge badge-error">{t('status.error')}</span>}
          {gone && <span class="badge">{t('log.takenBack')}</span>}
        </td>
        <th scope="row" class="cell-input">
          <Said text={aboutWords(entry)} />
          {entry.sourceId && (
            <div>
              <EntryBy entry={entry} />
            </div>
          )}
        </th>
        <td class="cell-undo">{isUndoable(entry) && <Undo entry={entry} />}</td>
        <td class="cell-open">
          <button type="button" class="button button-icon" aria-expanded={open.value} aria-label={t('log.explain')} onClick={() => (open.value = !open.value)}>
            <Icon name="chevron" size={16} />
          </button>
        </td>
      </tr>
      {open.value && (
        <tr class="row-explanation">
          <td colSpan={5}>
            <Explanation entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
}

function Figures({ figures }: { figures: Analytics | null }) {
  const by = figures?.byDecision as Partial<Record<Decision, number>> | undefined;
  const total = figures?.totalEntries ?? 0;
  const figure = (value: string | undefined) => value ?? '\u2007';
  return (
    <section class="figures" aria-labelledby="figures-title">
      <h2 class="unseen" id="figures-title">
        {t('analytics.title')}
      </h2>
      <dl class="tiles">
        <div class="tile">
          <dt>{t('analytics.decisions')}</dt>
          <dd>{figure(figures ? count(total) : undefined)}</dd>
        </div>
        <div class="tile">
          <dt>{t('analytics.review')}</dt>
          <dd>{figure(figures ? count(figures.needsReview) : undefined)}</dd>
        </div>
        <div class="tile">
          <dt>{t('analytics.modelCalls')}</dt>
          <dd>{figure(figures ? count(figures.modelCalls) : undefined)}</dd>
        </div>
      </dl>
      <dl class="measures shares" aria-label={t('analytics.share')}>
        {FOUR.map((d) => {
          const n = by?.[d] ?? 0;
          const share = total > 0 ? n / total : 0;
          return (
            <div class="measure" key={d}>
              <dt>{named('decision', d)}</dt>
              <dd>
                <Bar value={share} tone={d} />
                <span class="figure">
                  {count(n)} <span class="quiet">{percent(share)}</span>
                </span>
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
