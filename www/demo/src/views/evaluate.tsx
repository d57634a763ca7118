// Two memories side by side: how would the second be decided, given the first?
import { useSignal } from '@preact/signals';
import type { Category, Comparison, Draft } from 'memfold';
import { faultOf } from '../../../shared/actions';
import { lang, langOf, percent, t } from '../../../shared/i18n';
import { Bar, CategoryChoice, Choice, DecisionBadge, Problem, Said, ViewHead } from '../../../shared/parts/basics';
import { Changes, Fact, KeyFactors, Scores } from '../../../shared/parts/explanation';
import { mode as chosenMode } from '../../../shared/settings';
import { announce, type Fault } from '../../../shared/state';
import { featureWords, named, reasonWords } from '../../../shared/words';
import { download } from '../download';
import { thread } from '../engine/client';
import { EXAMPLES, type Example } from '../examples';
import { clearLabels, labels, labelsAsLines } from '../labels';
import { Correct } from '../parts/correct';

/** The order of `Comparison.probabilities`. */
const OUTCOMES = ['SKIP', 'UPDATE', 'CREATE_AND_LINK', 'CREATE'] as const;

export type Fields = { content: string; category: Category; subject: string; thread: string; people: string; entities: string; day: string };
const BLANK: Fields = { content: '', category: 'misc', subject: '', thread: '', people: '', entities: '', day: '' };

const listed = (text: string): string[] => text.split(',').map((s) => s.trim()).filter(Boolean);

function draftOf(f: Fields): Draft {
  const draft: Draft = { content: f.content.trim(), category: f.category, people: listed(f.people), entities: listed(f.entities), sourceType: 'realtime' };
  if (f.subject.trim()) draft.subject = f.subject.trim();
  if (f.thread.trim()) draft.threadId = f.thread.trim();
  const day = f.day ? new Date(`${f.day}T09:00:00`) : undefined;
  if (day && !Number.isNaN(day.getTime())) {
    draft.statedAt = day.toISOString();
    draft.occurredAt = day.toISOString();
  }
  return draft;
}

type Outcome = { existing: Draft; next: Draft; comparison: Comparison };

export function EvaluateView() {
  const existing = useSignal(BLANK);
  const next = useSignal(BLANK);
  const mode = useSignal(chosenMode.value);
  const outcome = useSignal<Outcome | null>(null);
  const problem = useSignal<Fault | null>(null);
  const compare = async () => {
    const pair = { existing: draftOf(existing.value), next: draftOf(next.value) };
    if (!pair.existing.content || !pair.next.content) return;
    try {
      const comparison = await thread.compare(pair.existing, pair.next, { mode: mode.value });
      outcome.value = { ...pair, comparison };
      problem.value = null;
      announce(`${t('eval.result')}: ${named('decision', comparison.decision)}, ${percent(comparison.confidence)}`);
    } catch (reason) {
      outcome.value = null;
      problem.value = faultOf(reason);
    }
  };
  const show = (example: Example) => {
    existing.value = { ...BLANK, ...example.existing };
    next.value = { ...BLANK, ...example.next };
    void compare();
  };
  return (
    <>
      <ViewHead title={t('evaluate.title')} lead={t('evaluate.lead')} />
      <div class="examples">
        <p class="quiet">{t('eval.examples')}</p>
        {EXAMPLES[lang.value].map((example) => (
          <button type="button" class="chip" key={example.kind} onClick={() => show(example)}>
            {t(`eval.example.${example.kind}`)}
          </button>
        ))}
      </div>
      <form
        class="evaluate"
        onSubmit={(e) => {
          e.preventDefault();
          void compare();
        }}
      >
        <Side legend={t('eval.existing')} value={existing.value} onInput={(change) => (existing.value = { ...existing.value, ...change })} />
        <Side legend={t('eval.next')} value={next.value} onInput={(change) => (next.value = { ...next.value, ...change })} />
        <div class="form-row evaluate-actions">
          <Choice
            legend={t('mode.label')}
            name="eval-mode"
            value={mode.value}
            options={(['balanced', 'fast'] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
            onChange={(m) => {
              mode.value = m;
              if (outcome.value) void compare();
            }}
          />
          <button
            type="button"
            class="button"
            onClick={() => {
              [existing.value, next.value] = [next.value, existing.value];
              if (outcome.value) void compare();
            }}
          >
            {t('eval.swap')}
          </button>
          <button type="submit" class="button button-primary" disabled={!existing.value.content.trim() || !next.value.content.trim()}>
            {t('eval.compare')}
          </button>
        </div>
      </form>
      {problem.value && <Problem fault={problem.value} />}
      {outcome.value ? <Result key={JSON.stringify(outcome.value)} {...outcome.value} /> : <p class="eval-empty quiet">{t('eval.empty')}</p>}
      <Labels />
    </>
  );
}

function Side({ legend, value, onInput }: { legend: string; value: Fields; onInput(change: Partial<Fields>): void }) {
  const line = (label: string, name: 'subject' | 'thread' | 'people' | 'entities') => (
    <label class="field">
      <span>{label}</span>
      <input type="text" value={value[name]} onInput={(e) => onInput({ [name]: e.currentTarget.value })} />
    </label>
  );
  return (
    <fieldset class="card side">
      <legend>{legend}</legend>
      <label class="field">
        <span class="unseen">{t('eval.content')}</span>
        <textarea
          rows={4}
          maxLength={8000}
          required
          lang={langOf(value.content)}
          value={value.content}
          onInput={(e) => onInput({ content: e.currentTarget.value })}
        />
      </label>
      <details class="more">
        <summary>{t('eval.more')}</summary>
        <div class="form">
          <label class="field">
            <span>{t('eval.category')}</span>
            <CategoryChoice value={value.category} onChange={(next) => onInput({ category: next })} />
          </label>
          <label class="field">
            <span>{t('eval.day')}</span>
            <input type="date" value={value.day} onInput={(e) => onInput({ day: e.currentTarget.value })} />
          </label>
          {line(t('eval.subject'), 'subject')}
          {line(t('eval.thread'), 'thread')}
          {line(t('eval.people'), 'people')}
          {line(t('eval.entities'), 'entities')}
        </div>
      </details>
    </fieldset>
  );
}

function Result({ existing, next, comparison: c }: Outcome) {
  const wrong = useSignal(false);
  const reasons = c.reasons.filter((r) => r.kind !== 'feature');
  return (
    <section class="card result" aria-labelledby="result-title">
      <h2 id="result-title" class="unseen">
        {t('eval.result')}
      </h2>
      <div class="result-head">
        <DecisionBadge decision={c.decision} />
        <p>
          {named('decision', `${c.decision}.detail`)}{' '}
          <span class="quiet">
            {percent(c.confidence)}, {t(c.sure ? 'eval.sure' : 'eval.unsure')}
            {c.outcome !== c.decision && `; ${t('eval.likely', { outcome: named('decision', c.outcome) })}`}
          </span>
        </p>
        <button type="button" class="button" aria-expanded={wrong.value} onClick={() => (wrong.value = !wrong.value)}>
          {t('eval.wrong')}
        </button>
      </div>
      {wrong.value && <Correct existing={existing} next={next} comparison={c} onDone={() => (wrong.value = false)} />}
      <div class="explanation">
        <div class="explanation-main">
          <section>
            <h3>{t('eval.probabilities')}</h3>
            {c.probabilities ? (
              <dl class="measures">
                {OUTCOMES.map((o, i) => (
                  <div class="measure" key={o}>
                    <dt>{named('decision', o)}</dt>
                    <dd>
                      <Bar value={c.probabilities?.[i] ?? 0} tone={o} />
                      <span class="figure">{percent(c.probabilities?.[i] ?? 0)}</span>
                    </dd>
                  </div>
                ))}
              </dl>
            ) : (
              <p class="quiet">{t('eval.noAnalysis')}</p>
            )}
          </section>
          {c.propertyChanges.length > 0 && (
            <section>
              <h3>{t('explain.changes')}</h3>
              <Changes changes={c.propertyChanges} />
            </section>
          )}
          {reasons.length > 0 && (
            <section>
              <h3>{t('explain.why')}</h3>
              <ul class="reasons">
                {reasons.map((r, i) => (
                  <li key={i}>{reasonWords(r)}</li>
                ))}
              </ul>
            </section>
          )}
          {c.keyFactors.length > 0 && (
            <section>
              <h3>
                {t('explain.factors')} <span class="quiet">{t('explain.factors.detail')}</span>
              </h3>
              <KeyFactors factors={c.keyFactors} />
              {c.otherwise && (
                <p class="quiet">
                  {t('explain.otherwise', { decision: named('decision', c.otherwise.outcome), factors: c.otherwise.without.map(featureWords).join(' · ') })}
                </p>
              )}
            </section>
          )}
        </div>
        <div class="explanation-side">
          <section>
            <h3>{t('explain.score')}</h3>
            <Scores similarity={c} />
          </section>
          <section>
            <h3>{t('explain.details')}</h3>
            <dl class="facts">
              {c.subjectA && (
                <Fact label={t('eval.subjectA')}>
                  <Said text={c.subjectA} />
                </Fact>
              )}
              {c.subjectB && (
                <Fact label={t('eval.subjectB')}>
                  <Said text={c.subjectB} />
                </Fact>
              )}
              <Fact label={t('explain.relationship')}>{named('relationship', c.relationship)}</Fact>
              {c.relation && <Fact label={t('explain.relation')}>{named('relation', c.relation)}</Fact>}
              <Fact label={t('explain.conflict')}>{named('conflict', c.conflict)}</Fact>
              <Fact label={t('explain.analyst')}>{named('analyst', c.analyst)}</Fact>
            </dl>
          </section>
        </div>
      </div>
    </section>
  );
}

function Labels() {
  const n = labels.value.length;
  return (
    <section class="labels" aria-labelledby="labels-title">
      <h2 id="labels-title">{t('eval.labels')}</h2>
      <p class="quiet">{n > 0 ? t('eval.labels.count', { n }) : t('eval.labels.none')}</p>
      {n > 0 && (
        <div class="form-row">
          <button type="button" class="button" onClick={() => download('labelled-pairs.jsonl', labelsAsLines())}>
            {t('eval.export')}
          </button>
          <button type="button" class="button button-quiet" onClick={clearLabels}>
            {t('eval.clear')}
          </button>
        </div>
      )}
    </section>
  );
}
