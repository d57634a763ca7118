// The five steps of one try: read, held against, analysed, decided, written. It computes nothing of them.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Draft, Memory } from 'memfold';
import { day, moment, percent, t } from '../../../shared/i18n';
import { Bar, CategoryTag, DecisionBadge, Said } from '../../../shared/parts/basics';
import { Changes, Fact, KeyFactors, Scores } from '../../../shared/parts/explanation';
import { MemoryText, Revision } from '../../../shared/parts/statements';
import { statementsOf } from '../../../shared/statements';
import { featuresOf, featureWords, isFraud, named, plainReasons, reasonWords } from '../../../shared/words';
import { OWNER } from '../playground/scene';
import { draftOf, type Outcome, type Pair, type Tried } from '../playground/trying';
import { Correct } from './correct';

/** The order of `Comparison.probabilities`. */
const OUTCOMES = ['SKIP', 'UPDATE', 'CREATE_AND_LINK', 'CREATE'] as const;

/** Where importance begins, before anything counts for it. */
const BASE = 0.4;

/** From here on nobody would be asked whether it is so. */
const LIKELY = 0.85;

/** A mail of the playground cannot be opened: it is kept nowhere. */
const sourceless = (m: Memory): Memory => ({ ...m, statements: statementsOf(m).map(({ source: _, ...said }) => said) });

/** Whether what was said waits, while what is stored stands. */
const isWithheld = ({ receipt: { entry } }: Outcome): boolean => entry.decision === 'UPDATE' && entry.touched.length === 0;

/** What goes before the decision itself, where it was found. */
const GRAVE: ReadonlySet<string> = new Set(['sensitive_change', 'suspected', 'unproven', 'source_outranks', 'no_standing', 'repeats_earlier', 'older_than_stored']);

/** The decision in a sentence. */
function inShort({ receipt: { entry } }: Outcome): string {
  const grave = entry.reasons.find((r) => GRAVE.has(r.kind));
  return grave ? reasonWords(grave) : named('decision', `${entry.decision}.detail`);
}

export function Steps({ tried, fast }: { tried: Tried; fast: boolean }) {
  const at = useSignal(0);
  const { outcomes, known, failed } = tried;
  const outcome = outcomes[at.value];
  return (
    <section class="card result" aria-labelledby="result-title">
      <h2 id="result-title" class="unseen">
        {t('eval.result')}
      </h2>
      {failed && <p role="alert">{t('play.failed', { why: named('error', failed.code) })}</p>}
      {outcomes.length > 1 && (
        <div class="found">
          <p class="quiet">{t('play.found', { n: outcomes.length })}</p>
          <div class="chips">
            {outcomes.map((o, i) => (
              <button type="button" class="chip" key={i} aria-pressed={i === at.value} onClick={() => (at.value = i)}>
                <Said text={o.receipt.entry.input} />
              </button>
            ))}
          </div>
        </div>
      )}
      {outcome ? <Head key={at.value} outcome={outcome} /> : !failed && <p>{t('play.nothing')}</p>}
      <ol class="steps">
        <Step n={1} title={t('play.read')} detail={t('play.read.detail')}>
          <div class="reads">
            <Reads title={t('play.read.first')} drafts={known.map(draftOf)} />
            <Reads title={t('play.read.next')} drafts={outcomes.map((o) => o.read)} now={outcomes.length > 1 ? at.value : undefined} />
          </div>
        </Step>
        {outcome && <Decided key={at.value} outcome={outcome} fast={fast} />}
      </ol>
      <p class="quiet dry">{t('play.dry')}</p>
    </section>
  );
}

const Step = ({ n, title, detail, children }: { n: number; title: string; detail?: string; children: ComponentChildren }) => (
  <li class="step">
    <h3>
      <span class="step-number" aria-hidden="true">
        {n}
      </span>
      {title}
    </h3>
    {detail && <p class="quiet">{detail}</p>}
    {children}
  </li>
);

/** The decision in a line, and the word of whoever knows better. */
function Head({ outcome }: { outcome: Outcome }) {
  const wrong = useSignal(false);
  const { entry } = outcome.receipt;
  const pair = outcome.pairs.find((p) => p.chosen) ?? outcome.pairs[0];
  return (
    <>
      <div class="result-head">
        <span class="result-badges">
          <DecisionBadge decision={entry.decision} />
          {isFraud(entry) && <span class="badge badge-error">{t('review.kind.fraud')}</span>}
          {entry.needsReview && <span class="badge badge-doubt">{t('play.held')}</span>}
        </span>
        <p>
          {inShort(outcome)} <span class="quiet">{t('play.likely', { share: percent(entry.confidence) })}</span>
        </p>
        {pair && (
          <button type="button" class="button" aria-expanded={wrong.value} onClick={() => (wrong.value = !wrong.value)}>
            {t('eval.wrong')}
          </button>
        )}
      </div>
      {wrong.value && pair && <Correct existing={pair.existing} next={outcome.read} comparison={pair.alone} onDone={() => (wrong.value = false)} />}
    </>
  );
}

const Reads = ({ title, drafts, now }: { title: string; drafts: readonly Draft[]; now?: number | undefined }) => (
  <section>
    <h4>{title}</h4>
    {drafts.length === 0 ? (
      <p class="quiet">{t('play.read.none')}</p>
    ) : (
      <ul class="read-list">
        {drafts.map((draft, i) => (
          <Read key={i} draft={draft} now={now === undefined ? undefined : i === now} />
        ))}
      </ul>
    )}
  </section>
);

const tierOf = (importance: number) => (importance >= 0.9 ? 'critical' : importance >= 0.7 ? 'high' : importance >= 0.4 ? 'medium' : 'low');

/** A time as it was said: with its hour, or as a day alone. */

/** One thing that was read; of several, all of it where it is the one that is looked at. */
const Read = ({ draft, now }: { draft: Draft; now: boolean | undefined }) => (
  <li class={now ? 'read read-now' : 'read'}>
    <p>
      <Said text={draft.content} mark={(draft.importanceFactors ?? []).flatMap((f) => f.evidence ?? [])} />
    </p>
    <CategoryTag category={draft.category ?? 'misc'} />
    {now !== false && <ReadFacts draft={draft} />}
  </li>
);

function ReadFacts({ draft }: { draft: Draft }) {
  const { people = [], entities = [], properties = [], occurredAt, statedAt, validUntil, author } = draft;
  return (
    <dl class="facts">
      <Fact label={t('play.when')}>
        {occurredAt && occurredAt !== statedAt ? <time dateTime={occurredAt}>{moment(occurredAt)}</time> : <span class="quiet">{t('play.when.unsaid')}</span>}
      </Fact>
      {validUntil && (
        <Fact label={t('play.due')}>
          <time dateTime={validUntil}>{moment(validUntil)}</time>
        </Fact>
      )}
      {author && (
        <Fact label={t('play.saidBy')}>
          {author === OWNER ? t('play.you') : author}, {day(statedAt)}
        </Fact>
      )}
      {people.some((one) => one !== author) && <Fact label={t('play.people')}>{people.join(', ')}</Fact>}
      {entities.length > 0 && (
        <Fact label={t('play.about')}>
          <Said text={entities.join(', ')} />
        </Fact>
      )}
      {draft.subject && (
        <Fact label={t('eval.subject')}>
          <Said text={draft.subject} />
        </Fact>
      )}
      {properties.map((p, i) => (
        <Fact key={i} label={p.name}>
          <Said text={p.value} />
        </Fact>
      ))}
      <Fact label={t('play.counts')}>{named('source', draft.sourceType)}</Fact>
      <Fact label={t('play.importance')}>
        <Worth draft={draft} />
      </Fact>
    </dl>
  );
}

/** What it is worth, and what each part of that rests on. */
function Worth({ draft: { importance: told, importanceFactors: factors = [] } }: { draft: Draft }) {
  const importance = typeof told === 'number' ? told : Math.min(1, BASE + factors.reduce((sum, f) => sum + f.weight, 0));
  return (
    <>
      {t(`importance.${tierOf(importance)}`)}, {percent(importance)}
      <ul class="worth">
        <li>
          <span>{t('play.base')}</span>
          <span class="figure">{percent(BASE)}</span>
        </li>
        {factors.map((f) => (
          <li key={f.factor}>
            <span>
              {named('importance', f.factor)}{' '}
              {f.evidence && (
                <q class="quiet">
                  <Said text={f.evidence} />
                </q>
              )}
            </span>
            <span class="figure">+{percent(f.weight)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Steps two to five, of one thing that was read. */
function Decided({ outcome, fast }: { outcome: Outcome; fast: boolean }) {
  const { pairs } = outcome;
  const looked = useSignal(0);
  const pair = pairs[looked.value];
  return (
    <>
      <Step n={2} title={t('play.against')} detail={t('play.against.detail')}>
        {pairs.length === 0 ? (
          <p>{t('play.against.none')}</p>
        ) : (
          <ul class="candidates">
            {pairs.map((p, i) => (
              <Candidate key={p.memory.id} pair={p} {...(pairs.length > 1 ? { looked: i === looked.value, onLook: () => (looked.value = i) } : {})} />
            ))}
          </ul>
        )}
      </Step>
      <Step n={3} title={t('play.analyst')} detail={fast ? t('eval.noAnalysis') : t('play.analyst.detail')}>
        {pair ? !fast && <Analysis pair={pair} /> : <p>{t('play.analyst.none')}</p>}
      </Step>
      <Step n={4} title={t('play.decided')}>
        <Why outcome={outcome} />
      </Step>
      <Step n={5} title={t('play.write')}>
        <Written outcome={outcome} />
        <details class="more">
          <summary>{t('play.json')}</summary>
          <pre class="json" tabIndex={0} role="region" aria-label={t('play.json')}>
            {JSON.stringify(outcome.receipt, null, 2)}
          </pre>
        </details>
      </Step>
    </>
  );
}

function Candidate({ pair: p, looked, onLook }: { pair: Pair; looked?: boolean; onLook?(): void }) {
  return (
    <li class="candidate">
      <div>
        <p>
          <MemoryText memory={p.memory} />
        </p>
        <p class="candidate-would">
          {p.chosen ? (
            <strong>{t('play.chosen')}</strong>
          ) : (
            <>
              <span class="quiet">{t('play.would')}</span> <DecisionBadge decision={p.decision} />
              {p.probability !== undefined && <span class="figure">{percent(p.probability)}</span>}
            </>
          )}
        </p>
        {onLook && (
          <button type="button" class="chip" aria-pressed={looked} onClick={onLook}>
            {t('play.look')}
          </button>
        )}
      </div>
      <Scores similarity={p.score} />
    </li>
  );
}

/** Whether a pair alone leads elsewhere than where it was decided to. */
const isOtherwise = ({ alone, decision }: Pair): boolean => alone.outcome !== decision || alone.decision !== decision;

function Analysis({ pair }: { pair: Pair }) {
  const { alone: c } = pair;
  const factors = c.keyFactors;
  return (
    <div class="explanation">
      <div class="explanation-main">
        <section>
          <h4>{t('eval.probabilities')}</h4>
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
          {isOtherwise(pair) && <p class="quiet">{t('play.alone')}</p>}
          {c.asked && <p class="quiet">{t('play.asked')}</p>}
        </section>
        <section>
          <h4>
            {t('explain.factors')} {factors.length > 0 && <span class="quiet">{t('explain.factors.detail')}</span>}
          </h4>
          {factors.length > 0 ? <KeyFactors factors={factors} /> : <p class="quiet">{t('play.factors.none')}</p>}
          {c.otherwise && (
            <p class="quiet">{t('explain.otherwise', { decision: named('decision', c.otherwise.outcome), factors: c.otherwise.without.map((code) => featureWords(code).replace(/\?$/, '')).join(' · ') })}</p>
          )}
        </section>
      </div>
      <dl class="facts explanation-side">
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
      </dl>
    </div>
  );
}

function Why({ outcome }: { outcome: Outcome }) {
  const { entry } = outcome.receipt;
  // Likely enough, and still not what replaces anything by itself: that it is unsure would be no word for it.
  const reasons = plainReasons(entry).filter((r) => r.kind !== 'not_sure' || r.confidence < LIKELY);
  const changes = entry.propertyChanges ?? [];
  const features = outcome.pairs.some((pair) => pair.chosen && isOtherwise(pair)) ? featuresOf(entry) : [];
  return (
    <>
      <p class="decided">
        <DecisionBadge decision={entry.decision} />
        <span class="quiet">
          {t('play.likely', { share: percent(entry.confidence) })} · {named('analyst', entry.analyst)}
        </span>
      </p>
      <ul class="reasons">
        {reasons.map((r, i) => (
          <li key={i}>{reasonWords(r, entry.decision)}</li>
        ))}
        {reasons.length === 0 && <li>{named('decision', `${entry.decision}.detail`)}</li>}
      </ul>
      {changes.length > 0 && <Changes changes={changes} />}
      {features.length > 0 && (
        <details class="more">
          <summary>{t('explain.factors')}</summary>
          <KeyFactors factors={features} />
        </details>
      )}
    </>
  );
}

function Written({ outcome }: { outcome: Outcome }) {
  const { receipt: { entry, memory }, before, linked } = outcome;
  const fresh = memory && memory.id === entry.memoryId ? sourceless(memory) : undefined;
  if (isWithheld(outcome)) {
    return (
      <>
        <p>{t('play.write.withheld')}</p>
        <p class="paper">
          <Said text={entry.input} />
        </p>
      </>
    );
  }
  if (!fresh) return <p>{t('play.write.nothing')}</p>;
  const isUpdate = entry.decision === 'UPDATE' && before !== undefined;
  const isHistory = isUpdate && fresh.version <= before.version;
  return (
    <>
      <p>{isHistory ? t('play.write.history') : isUpdate ? t('play.write.version', { n: fresh.version }) : t('play.write.new')}</p>
      <div class="paper">{isUpdate && !isHistory ? <Revision before={sourceless(before)} after={fresh} /> : <ins><MemoryText memory={fresh} /></ins>}</div>
      {isUpdate && !isHistory && (
        <>
          <h4>{t('play.write.reads')}</h4>
          <p class="paper">
            <Said text={fresh.content} />
          </p>
        </>
      )}
      {linked.length > 0 && (
        <>
          <h4>{t('play.write.links')}</h4>
          <ul class="linked">
            {linked.map((m) => (
              <li key={m.id}>
                <span class="relation">{named('relation', entry.relation ?? 'none')}</span>
                <span>
                  <MemoryText memory={m} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
