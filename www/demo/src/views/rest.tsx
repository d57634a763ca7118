// The sleep cycle: merged and faded memories, and search quality by day.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { SleepReport } from 'memfold';
import type { Day, MergeCandidates, NodeHit, Pulse } from '../../../shared/types';
import { faultOf, rest } from '../../../shared/actions';
import { engine } from '../../../shared/engine';
import { count, percent, t } from '../../../shared/i18n';
import { Problem, Said, ViewHead } from '../../../shared/parts/basics';
import { MemoryText } from '../../../shared/parts/statements';
import { announce, entries, memories, type Fault } from '../../../shared/state';
import { named } from '../../../shared/words';
import { Plot } from '../parts/plot';

export function RestView() {
  const pulse = useSignal<Pulse | null>(null);
  const tags = useSignal<readonly NodeHit[]>([]);
  const asked = useSignal<readonly NodeHit[]>([]);
  const report = useSignal<SleepReport | null>(null);
  const candidates = useSignal<readonly MergeCandidates[] | null>(null);
  const problem = useSignal<Fault | null>(null);
  const stop = useSignal<AbortController | null>(null);
  const read = async () => {
    const [p, named, queries] = await Promise.all([
      engine.log.metrics({ days: 90 }),
      engine.graph.nodes({ kind: 'entity', limit: 40 }),
      engine.graph.nodes({ kind: 'query', limit: 10 }),
    ]);
    pulse.value = p;
    tags.value = named;
    asked.value = queries;
  };
  useSignalEffect(() => {
    // Read again after every write.
    void entries.value;
    read().catch((reason) => (problem.value = faultOf(reason)));
  });
  const attempt = async (work: (signal: AbortSignal) => Promise<void>) => {
    const given = new AbortController();
    stop.value = given;
    problem.value = null;
    try {
      await work(given.signal);
      await read();
    } catch (reason) {
      problem.value = faultOf(reason);
    } finally {
      stop.value = null;
    }
  };
  const now = pulse.value?.now;
  // Days have all counters; only stored days may lack some.
  const days = (pulse.value?.days ?? []) as readonly Required<Day>[];
  const names = days.map((d) => d.day);
  return (
    <>
      <ViewHead title={t('rest.title')} lead={t('rest.lead')} />
      {problem.value && <Problem fault={problem.value} />}
      {now && (
        <dl class="tiles">
          <Tile label={t('rest.active')} value={now.active} />
          <Tile label={t('rest.summaries')} value={now.summaries} />
          <Tile label={t('rest.archived')} value={now.archived} />
          <Tile label={t('rest.stubs')} value={now.stubs} />
          <Tile label={t('rest.queries')} value={now.queries} />
          <Tile label={t('rest.tags')} value={now.tags} />
        </dl>
      )}
      <div class="form-row rest-row">
        <button
          type="button"
          class="button button-primary"
          aria-disabled={stop.value !== null}
          onClick={() =>
            stop.value === null &&
            void attempt(async (signal) => {
              candidates.value = null;
              report.value = await rest({ signal, onReport: (r) => (report.value = r) });
              announce(t('rest.done', { merges: report.value.merges, folded: report.value.folded }));
            })
          }
        >
          {t('rest.go')}
        </button>
        <button
          type="button"
          class="button"
          aria-disabled={stop.value !== null}
          onClick={() =>
            stop.value === null &&
            void attempt(async () => {
              candidates.value = await engine.sleep.candidates({});
              announce(t('rest.would', { n: candidates.value.length }));
            })
          }
        >
          {t('rest.preview')}
        </button>
        {stop.value && (
          <button type="button" class="button" onClick={() => stop.value?.abort()}>
            {t('common.cancel')}
          </button>
        )}
      </div>
      {report.value && <Report report={report.value} />}
      {candidates.value && (
        <section class="card" aria-labelledby="would-title">
          <h2 id="would-title">{t('rest.would', { n: candidates.value.length })}</h2>
          <ul class="rest-list">
            {candidates.value.map((c) => (
              <li key={c.ids[0]}>
                {t('rest.cluster', { n: c.ids.length, share: percent(c.similarity) })} <One id={c.ids.at(-1) ?? ''} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {days.length > 1 && (
        <div class="plots">
          <Plot
            title={t('rest.plot.work')}
            days={names}
            show={count}
            series={[{ label: t('rest.merges'), tone: 'create', values: days.map((d) => d.merges) }]}
          />
          <Plot
            title={t('rest.plot.hits')}
            days={names}
            show={percent}
            series={[
              {
                label: t('rest.hitRate'),
                tone: 'accent',
                values: days.map((d) => (d.searches ? d.hits / d.searches : null)),
              },
            ]}
          />
          <Plot
            title={t('rest.plot.model')}
            days={names}
            show={count}
            series={[
              { label: t('rest.calls'), tone: 'link', values: days.map((d) => d.calls) },
              { label: t('rest.tokens'), tone: 'update', values: days.map((d) => d.tokens) },
            ]}
          />
        </div>
      )}
      <div class="cards">
        <Nodes id="tags-title" title={t('rest.tags')} none={t('rest.tags.none')} nodes={tags.value} />
        <Nodes id="queries-title" title={t('rest.queries')} none={t('rest.queries.none')} nodes={asked.value} />
      </div>
    </>
  );
}

const One = ({ id }: { id: string }) => {
  const memory = memories.value.get(id);
  return memory ? <MemoryText memory={memory} /> : null;
};

const Tile = ({ label, value }: { label: string; value: number }) => (
  <div class="tile">
    <dt>{label}</dt>
    <dd>{count(value)}</dd>
  </div>
);

function Nodes({ id, title, none, nodes }: { id: string; title: string; none: string; nodes: readonly NodeHit[] }) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {nodes.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <ul class="rest-nodes">
          {nodes.map(({ node }) => (
            <li key={node.id}>
              <Said text={node.content} /> {node.repeat > 0 && <span class="quiet">{t('rest.times', { n: node.repeat + 1 })}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Report({ report }: { report: SleepReport }) {
  return (
    <section class="card" aria-labelledby="report-title">
      <h2 id="report-title">{t(report.finished ? 'rest.finished' : 'rest.partly')}</h2>
      <p>
        {t('rest.sum', {
          looked: report.lookedAt,
          merges: report.merges,
          folded: report.folded,
          tagged: report.tagged,
          before: report.before.active,
          after: report.after.active,
        })}
      </p>
      {report.skipped.length > 0 && (
        <ul class="rest-list">
          {report.skipped.map((s) => (
            <li key={s.why}>
              {named('skipped', s.why)}: {count(s.count)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
