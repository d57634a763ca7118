// The result of one try: the decision, its confidence and reasons, and what would be written.
import { useSignal } from '@preact/signals';
import type { Memory } from 'memfold';
import { percent, t } from '../../../shared/i18n';
import { DecisionBadge, Said } from '../../../shared/parts/basics';
import { Changes, KeyFactors } from '../../../shared/parts/explanation';
import { MemoryText, Revision } from '../../../shared/parts/statements';
import { statementsOf } from '../../../shared/statements';
import { featuresOf, isFraud, named, plainReasons, reasonWords } from '../../../shared/words';
import type { Outcome, Tried } from '../playground/trying';
import { Correct } from './correct';

/** The confidence from which a decision is not put to the owner. */
const LIKELY = 0.85;

/** The playground does not store its mails, so their statements have no link to a source. */
const sourceless = (m: Memory): Memory => ({ ...m, statements: statementsOf(m).map(({ source: _, ...said }) => said) });

/** Whether the update waits for review and the stored memory is unchanged. */
const isWithheld = ({ receipt: { entry } }: Outcome): boolean => entry.decision === 'UPDATE' && entry.touched.length === 0;

/** Reasons that are shown instead of the decision. */
const GRAVE: ReadonlySet<string> = new Set([
  'sensitive_change',
  'suspected',
  'unproven',
  'source_outranks',
  'no_standing',
  'repeats_earlier',
  'older_than_stored',
]);

/** The decision in a sentence. */
function inShort({ receipt: { entry } }: Outcome): string {
  const grave = entry.reasons.find((r) => GRAVE.has(r.kind));
  return grave ? reasonWords(grave) : named('decision', `${entry.decision}.detail`);
}

export function Result({ tried }: { tried: Tried }) {
  const at = useSignal(0);
  const { outcomes, failed } = tried;
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
      {outcome ? <Decided key={at.value} outcome={outcome} /> : !failed && <p>{t('play.nothing')}</p>}
      <p class="quiet dry">{t('play.dry')}</p>
    </section>
  );
}

function Decided({ outcome }: { outcome: Outcome }) {
  return (
    <>
      <Head outcome={outcome} />
      <section class="result-why">
        <h3>{t('play.decided')}</h3>
        <Why outcome={outcome} />
      </section>
      <section class="result-written">
        <h3>{t('play.write')}</h3>
        <Written outcome={outcome} />
        <details class="more">
          <summary>{t('play.json')}</summary>
          <pre class="json" tabIndex={0} role="region" aria-label={t('play.json')}>
            {JSON.stringify(outcome.receipt, null, 2)}
          </pre>
        </details>
      </section>
    </>
  );
}

/** The decision in one line, with a form to correct it. */
function Head({ outcome }: { outcome: Outcome }) {
  const wrong = useSignal(false);
  const { entry } = outcome.receipt;
  const { pair } = outcome;
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

function Why({ outcome }: { outcome: Outcome }) {
  const { entry } = outcome.receipt;
  // A likely update that needs review is not called unsure.
  const reasons = plainReasons(entry).filter((r) => r.kind !== 'not_sure' || r.confidence < LIKELY);
  const changes = entry.propertyChanges ?? [];
  const features = featuresOf(entry);
  return (
    <>
      <p class="quiet">{named('analyst', entry.analyst)}</p>
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
  const {
    receipt: { entry, memory },
    before,
    linked,
  } = outcome;
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
      <div class="paper">
        {isUpdate && !isHistory ? (
          <Revision before={sourceless(before)} after={fresh} />
        ) : (
          <ins>
            <MemoryText memory={fresh} />
          </ins>
        )}
      </div>
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
