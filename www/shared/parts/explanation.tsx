// The explanation of a decision: texts, changes, reasons, score and main factors.
import type { KeyFactor, LogEntry, Memory, PropertyChange, Reason } from 'memfold';
import type { Factors, Score } from '../types';
import { useSignal } from '@preact/signals';
import { faultOf, redo, undo } from '../actions';
import { known, millis, moment, percent, score, t } from '../i18n';
import { headOf, memories, takenBack, type Fault } from '../state';
import { actionOf, featureWords, featuresOf, isDecision, named, plainReasons, reasonWords } from '../words';
import { CategoryTag, DecisionBadge, Measure, Problem, Said, SignedBar } from './basics';
import { statementsOf } from '../statements';
import { Icon } from './icon';
import { senderOf } from '../mails';
import { Byline } from './mail';
import { MemoryText, Revision } from './statements';

const FACTORS: readonly (keyof Factors)[] = ['content', 'people', 'threadId', 'subject', 'entities'];

export const Scores = ({ similarity }: { similarity: Score }) => (
  <dl class="measures">
    <Measure label={t('explain.scoreTotal')} value={similarity.score} strong />
    {FACTORS.map((name) => (
      <Measure key={name} label={t(`factor.${name}`)} value={similarity.factors[name]} tone="soft" />
    ))}
  </dl>
);

export function KeyFactors({ factors }: { factors: readonly KeyFactor[] }) {
  // Factors named by a model have no weight.
  const most = Math.max(...factors.map((f) => Math.abs(f.weight)), 1e-6);
  return (
    <ul class="weights">
      {factors.map((f) => (
        <li key={`${f.code} ${f.evidence}`}>
          <span class="weight-name">
            {featureWords(f.code)}
            {f.evidence && (
              <q class="quiet">
                <Said text={f.evidence} />
              </q>
            )}
          </span>
          <SignedBar value={f.weight} most={most} />
          <span class="figure">{`${f.weight < 0 ? '−' : '+'}${score(Math.abs(f.weight))}`}</span>
        </li>
      ))}
    </ul>
  );
}

export const Changes = ({ changes }: { changes: readonly PropertyChange[] }) => (
  <dl class="changes">
    {changes.map((c, i) => (
      <div key={i}>
        <dt>
          <Said text={c.property} />
          <span class="quiet"> {named('change', c.changeType)}</span>
        </dt>
        <dd>
          {c.oldValue != null && (
            <del>
              <span class="unseen">{t('common.removed')} </span>
              <Said text={c.oldValue} />
            </del>
          )}
          {c.oldValue != null && c.newValue != null && <Icon name="arrow" size={14} />}
          {c.newValue != null && (
            <ins>
              <span class="unseen">{t('common.added')} </span>
              <Said text={c.newValue} />
            </ins>
          )}
        </dd>
      </div>
    ))}
  </dl>
);

function Texts({ entry, made }: { entry: LogEntry; made: Memory | undefined }) {
  if (!entry.targetId) return null;
  const target = memories.value.get(entry.targetId);
  if (!target) return <p class="quiet">{t('explain.gone')}</p>;
  // A statement older than the stored one only becomes history and replaces nothing.
  const update = entry.decision === 'UPDATE' && made !== undefined && made.version > target.version;
  return (
    <div class="texts">
      <div>
        <h3>{t(update ? 'explain.before' : 'explain.stored')}</h3>
        <p>
          <MemoryText memory={target} />
        </p>
      </div>
      <div>
        <h3>{t(update ? 'explain.after' : 'explain.new')}</h3>
        {update ? (
          <Revision before={target} after={made} />
        ) : (
          <p>
            <Said text={entry.input} />
          </p>
        )}
      </div>
    </div>
  );
}

function Alternatives({ entry }: { entry: LogEntry }) {
  const seen = entry.alternatives ?? [];
  if (seen.length === 0) return null;
  return (
    <details class="more">
      <summary>
        {t('explain.alternatives')} <span class="count">{seen.length}</span>
      </summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={t('explain.alternatives')}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t('explain.alternative')}</th>
              <th scope="col">{t('explain.wouldBe')}</th>
              <th scope="col" class="number">
                {t('explain.scoreTotal')}
              </th>
            </tr>
          </thead>
          <tbody>
            {seen.map((a) => {
              const memory = memories.value.get(a.id);
              return (
                <tr key={a.id}>
                  <th scope="row">
                    {memory ? (
                      <a href={`#/memories/${headOf(a.id)?.id ?? a.id}`}>
                        <MemoryText memory={memory} />
                      </a>
                    ) : (
                      <span class="quiet">{t('explain.gone')}</span>
                    )}
                  </th>
                  <td>
                    <DecisionBadge decision={a.decision} />
                    {a.probability !== undefined && <span class="figure"> {percent(a.probability)}</span>}
                  </td>
                  <td class="number">{score(a.score)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/**
 * The explanation of a log entry. `preview` is the memory of a dry run; `told` are reasons that are
 * already shown next to it.
 */
export function Explanation({ entry, preview, told = [] }: { entry: LogEntry; preview?: Memory | undefined; told?: readonly Reason[] }) {
  const features = featuresOf(entry);
  const all = plainReasons(entry);
  const reasons = all.filter((r) => !told.includes(r));
  // The decision type explains an entry without other reasons.
  const detail = !all.every((r) => PLAIN.has(r.kind))
    ? undefined
    : isDecision(entry)
      ? named('decision', `${entry.decision}.detail`)
      : known(`action.${actionOf(entry)}.detail`);
  const target = entry.memoryId ?? entry.targetId;
  const head = target ? headOf(target) : undefined;
  return (
    <div class="explanation-box">
      <Texts entry={entry} made={preview ?? (entry.memoryId ? memories.value.get(entry.memoryId) : undefined)} />
      {(entry.propertyChanges?.length ?? 0) > 0 && (
        <section>
          <h3>{t('explain.changes')}</h3>
          <Changes changes={entry.propertyChanges ?? []} />
        </section>
      )}
      {(reasons.length > 0 || detail) && (
        <section>
          <h3>{t('explain.why')}</h3>
          <ul class="reasons">
            {reasons.map((r, i) => (
              <li key={i}>{reasonWords(r, entry.decision)}</li>
            ))}
            {detail && <li>{detail}</li>}
          </ul>
        </section>
      )}
      <div class="form-row explanation-deeds">
        {head && entry.status !== 'dry_run' && (
          <a class="open-memory" href={`#/memories/${head.id}`}>
            {t('explain.openMemory')} <Icon name="arrow" size={14} />
          </a>
        )}
        {isUndoable(entry) && <Undo entry={entry} />}
      </div>
      <details class="more">
        <summary>{t('explain.details')}</summary>
        <div class="explanation">
          <div class="explanation-main">
            {features.length > 0 && (
              <section>
                <h3>
                  {t('explain.factors')} <span class="quiet">{t('explain.factors.detail')}</span>
                </h3>
                <KeyFactors factors={features} />
              </section>
            )}
            <Alternatives entry={entry} />
          </div>
          <div class="explanation-side">
            <section>
              <h3>{t('explain.score')}</h3>
              {entry.similarity ? <Scores similarity={entry.similarity} /> : <p class="quiet">{t('explain.noScore')}</p>}
            </section>
            <dl class="facts">
              <Fact label={t('explain.analyst')}>{named('analyst', entry.analyst)}</Fact>
              <Fact label={t('explain.confidence')}>{percent(entry.confidence)}</Fact>
              {entry.similarity && <Fact label={t('explain.relationship')}>{named('relationship', entry.relationship)}</Fact>}
              {entry.relation && <Fact label={t('explain.relation')}>{named('relation', entry.relation)}</Fact>}
              {entry.conflict !== 'NONE' && <Fact label={t('explain.conflict')}>{named('conflict', entry.conflict)}</Fact>}
              <Fact label={t('explain.time')}>{moment(entry.time)}</Fact>
              <Fact label={t('explain.took')}>{millis(entry.processingMs)}</Fact>
            </dl>
          </div>
        </div>
      </details>
    </div>
  );
}

/** Reasons about how a decision was made rather than what was found. */
const PLAIN: ReadonlySet<string> = new Set(['score_in_band', 'local_analyst_sure', 'model_read']);
const UNDOABLE: ReadonlySet<string> = new Set(['consolidate', 'delete', 'undo', 'review', 'import', 'merge', 'adopt', 'tend']);

export function Undo({ entry }: { entry: LogEntry }) {
  const problem = useSignal<Fault | null>(null);
  const gone = takenBack.value.has(entry.id);
  return (
    <>
      {gone && <span class="quiet">{t('explain.undone')}</span>}
      <button
        type="button"
        class="button button-small"
        onClick={() =>
          void (gone ? redo : undo)(entry.id).then(
            () => (problem.value = null),
            (reason) => (problem.value = faultOf(reason)),
          )
        }
      >
        {t(gone ? 'explain.redo' : 'explain.undo')}
      </button>
      {problem.value && <Problem fault={problem.value} />}
    </>
  );
}

/** The author and source mail of a decision. */
export function EntryBy({ entry }: { entry: LogEntry }) {
  const made = memories.value.get(entry.memoryId ?? '');
  const said = made && statementsOf(made).find((s) => s.source === entry.sourceId);
  return (
    <Byline
      author={said?.author ?? senderOf(entry.draft)}
      at={said?.at ?? entry.draft?.statedAt}
      source={entry.sourceId}
      marks={[said?.text ?? '', entry.input]}
    />
  );
}

/** Whether an entry can be undone alone. */
export const isUndoable = (entry: LogEntry): boolean => entry.status === 'success' && UNDOABLE.has(actionOf(entry));

export const Fact = ({ label, children }: { label: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

export const EntryHead = ({ entry }: { entry: LogEntry }) => (
  <>
    {actionOf(entry) !== 'consolidate' && <span class="badge">{named('action', entry.action)}</span>}
    {isDecision(entry) && (
      <>
        <DecisionBadge decision={entry.decision} />
        <CategoryTag category={entry.category} />
      </>
    )}
  </>
);
