// Linked memories as a graph and as a table.
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Memory } from 'memfold';
import { faultOf } from '../actions';
import { loaded } from '../engine/error';
import { t } from '../i18n';
import { NothingYet, Problem, ViewHead } from '../parts/basics';
import { useGradually } from '../parts/gradually';
import { links, type Link } from '../links';
import type { Graph } from '../parts/graph';
import { MemoryText } from '../parts/statements';
import { route } from '../router';
import { headOf, type Fault } from '../state';
import { kindOf, named } from '../words';

const STEP = 50;
/** Rows rendered at a time. */
const AT_A_TIME = 15;

/** The graph's code is loaded when it is first shown. */
const drawing = signal<typeof Graph | null>(null);

export function LinksView() {
  const problem = useSignal<Fault | null>(null);
  useEffect(
    () =>
      void loaded(import('../parts/graph')).then(
        ({ Graph: found }) => (drawing.value = found),
        (reason) => (problem.value = faultOf(reason)),
      ),
    [],
  );
  if (links.value.length === 0) {
    return <NothingYet view="links" />;
  }
  const Picture = drawing.value;
  return (
    <>
      <ViewHead title={t('links.title')} lead={t('links.lead')} />
      {problem.value ? (
        <Problem fault={problem.value} />
      ) : Picture ? (
        <Picture links={links.value} asked={headOf(route.value.id)?.id} />
      ) : (
        <div class="graph graph-frame" aria-busy="true" />
      )}
      <Table links={links.value} />
    </>
  );
}

function Table({ links }: { links: readonly Link[] }) {
  const shown = useSignal(STEP);
  const left = links.length - shown.value;
  const drawn = useGradually(Math.min(links.length, shown.value), AT_A_TIME);
  const cell = (m: Memory) => (
    <a href={`#/memories/${m.id}`}>
      <MemoryText memory={m} />
    </a>
  );
  return (
    <section aria-labelledby="links-table">
      <h2 id="links-table">{t('links.table')}</h2>
      <table class="table links-table">
        <thead>
          <tr>
            <th scope="col">{t('links.from')}</th>
            <th scope="col">{t('links.kind')}</th>
            <th scope="col">{t('links.to')}</th>
          </tr>
        </thead>
        <tbody>
          {links.slice(0, drawn).map(({ edge, from, to }) => (
            <tr key={edge.id}>
              <td data-label={t('links.from')}>{cell(from)}</td>
              <td data-label={t('links.kind')}>
                <span class={`relation relation-${kindOf(edge)}`}>{named('relation', kindOf(edge))}</span>
              </td>
              <td data-label={t('links.to')}>{cell(to)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" class="button more-button" onClick={() => (shown.value += STEP)}>
          {t('common.more', { n: Math.min(left, STEP) })}
        </button>
      )}
    </section>
  );
}
