// What waits for its owner's word: each answered in one step, and each answer taken back in one.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Decision, LogEntry, Reason, ReviewItem } from 'memfold';
import { faultOf, review, undo, type Verdict } from '../actions';
import { engine } from '../engine';
import { moment, percent, t, type Key } from '../i18n';
import { CategoryTag, DecisionBadge, Empty, Problem, Said, ViewHead } from '../parts/basics';
import { Doubts } from '../parts/doubts';
import { Icon } from '../parts/icon';
import { Byline, MemoryText } from '../parts/statements';
import { announce, entries, waiting, type Fault } from '../state';
import { saidAt, statementsOf } from '../statements';
import { isDoubt, isFraud, named, plainReasons, reasonWords } from '../words';

const INSTEAD: readonly (Verdict & Decision)[] = ['UPDATE', 'CREATE_AND_LINK', 'SKIP', 'CREATE'];
/** `late` is a doubt about what was said before what is stored: its mail came later. */
type Kind = 'fraud' | 'suspected' | 'same' | 'withheld' | 'failed' | 'doubt' | 'late' | 'also' | 'unsure';

const kindOf = ({ entry, existing, other, draft }: ReviewItem): Kind => {
  const has = (kind: Reason['kind']) => entry.reasons.some((r) => r.kind === kind);
  if (has('suspected')) return 'suspected';
  if (other) return 'same';
  if (has('sensitive_change')) return 'fraud';
  if (entry.status === 'error') return 'failed';
  if (entry.decision === 'UPDATE' && entry.touched.length === 0) return 'withheld';
  if (existing && isDoubt(entry)) return draft.statedAt && Date.parse(draft.statedAt) < Date.parse(saidAt(existing)) ? 'late' : 'doubt';
  return has('may_also_replace') ? 'also' : 'unsure';
};

/** What each kind is answered with, the plain answers first: a verdict, and the words for it. */
const ANSWERS = {
  fraud: [['reject', 'review.reject.fraud'], ['accept', 'review.accept.fraud']],
  suspected: [['reject', 'review.reject.suspected'], ['accept', 'review.accept.suspected']],
  same: [['accept', 'review.accept.same'], ['reject', 'review.reject.same']],
  withheld: [['accept', 'review.accept.withheld'], ['reject', 'review.reject.withheld']],
  failed: [['accept', 'review.accept.failed'], ['reject', 'review.reject.failed']],
  doubt: [['UPDATE', 'doubt.replace'], ['accept', 'doubt.keep'], ['reject', 'review.reject.doubt']],
  late: [['UPDATE', 'review.accept.late'], ['accept', 'doubt.keep'], ['reject', 'review.reject.late']],
  also: [['accept', 'review.accept.also'], ['reject', 'review.reject.unsure']],
  unsure: [['accept', 'review.accept.unsure'], ['reject', 'review.reject.unsure']],
} as const satisfies Record<Kind, readonly (readonly [verdict: Verdict, words: Key])[]>;

/** What would have been right instead, in quieter words behind the answers. */
const INSTEAD_OF: Record<Kind, readonly (readonly [verdict: Verdict & Decision, words: 'review.instead.checked' | 'review.instead.other' | 'review.instead.same' | undefined])[]> = {
  fraud: [['UPDATE', 'review.instead.checked']],
  suspected: [],
  same: [],
  failed: [],
  doubt: [['CREATE', 'review.instead.other'], ['SKIP', 'review.instead.same']],
  late: [['CREATE', 'review.instead.other'], ['SKIP', 'review.instead.same']],
  withheld: INSTEAD.map((d) => [d, undefined]),
  also: INSTEAD.map((d) => [d, undefined]),
  unsure: INSTEAD.map((d) => [d, undefined]),
};

export function ReviewView() {
  const items = useSignal<readonly ReviewItem[] | null>(null);
  const problem = useSignal<Fault | null>(null);
  const last = useSignal<string | null>(null);
  useSignalEffect(() => {
    // Whatever is written may answer or raise a question.
    void entries.value;
    engine.review.list().then(
      (found) => {
        items.value = found;
        waiting.value = found.length;
      },
      (reason) => (problem.value = faultOf(reason)),
    );
  });
  const answer = async (item: ReviewItem, verdict: Verdict) => {
    problem.value = null;
    try {
      last.value = (await review(item.entry.id, verdict)).id;
      announce(t('review.done'));
      // The answered item is gone: the heading keeps the focus in the page.
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const takeBack = async () => {
    const entry = last.value;
    if (!entry) return;
    try {
      await undo(entry);
      last.value = null;
      announce(t('explain.undone'));
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  return (
    <>
      <ViewHead title={t('review.title')} lead={t('review.lead')} />
      {problem.value && <Problem fault={problem.value} />}
      {last.value && (
        <p class="done review-done">
          {t('review.done')}{' '}
          <button type="button" class="button button-quiet" onClick={() => void takeBack()}>
            {t('explain.undo')}
          </button>
        </p>
      )}
      {items.value?.length === 0 && (
        <Empty icon="check" title={t('review.empty')}>
          <p>{t('review.empty.detail')}</p>
        </Empty>
      )}
      {items.value && items.value.length > 0 && (
        <>
          <p class="result-count" role="status">
            {t('review.count', { n: items.value.length })}
          </p>
          <Group id="fraud" items={items.value.filter((i) => isFraud(i.entry))} warn onAnswer={answer} />
          <Group id="rest" items={items.value.filter((i) => !isFraud(i.entry))} onAnswer={answer} />
        </>
      )}
    </>
  );
}

/** What may be fraud stands apart, under a plain warning. */
function Group({ id, items, warn, onAnswer }: { id: 'fraud' | 'rest'; items: readonly ReviewItem[]; warn?: boolean; onAnswer(item: ReviewItem, verdict: Verdict): Promise<void> }) {
  if (items.length === 0) return null;
  return (
    <section class={`review-group review-group-${id}`} aria-labelledby={`review-${id}`}>
      <h2 id={`review-${id}`}>
        {warn && <Icon name="warning" />} {t(`review.group.${id}`)}
      </h2>
      {warn && <p>{t('review.group.fraud.detail')}</p>}
      <ol class="reviews">
        {items.map((item) => (
          <Item key={item.entry.id} item={item} onAnswer={(verdict) => onAnswer(item, verdict)} />
        ))}
      </ol>
    </section>
  );
}

/** Why it waits, in words. How sure anybody was says little of what is not to be believed, or was not made. */
function reasonsOf(entry: LogEntry, kind: Kind): string[] {
  const all = plainReasons(entry);
  const others = all.filter((r) => r.kind !== 'local_analyst_sure' && r.kind !== 'not_sure');
  if (others.length > 0) return others.map(reasonWords);
  return all.map((r) => (kind === 'doubt' && r.kind === 'local_analyst_sure' ? t('review.unnamed', { confidence: percent(r.confidence) }) : reasonWords(r)));
}

function Item({ item, onAnswer }: { item: ReviewItem; onAnswer(verdict: Verdict): Promise<void> }) {
  const busy = useSignal(false);
  const kind = kindOf(item);
  const { entry, existing, memory, other, draft } = item;
  const go = (verdict: Verdict) => {
    busy.value = true;
    void onAnswer(verdict).finally(() => (busy.value = false));
  };
  const others = existing ? INSTEAD_OF[kind].filter(([d]) => d !== entry.decision) : [];
  const reasons = reasonsOf(entry, kind);
  return (
    <li class={`card review review-${kind}`} aria-busy={busy.value}>
      <p class="review-head">
        <span class={kind === 'fraud' || kind === 'suspected' ? 'badge badge-error' : 'badge review-kind'}>
          <Icon name={kind === 'suspected' || kind === 'failed' || kind === 'fraud' ? 'warning' : 'evaluate'} size={13} />
          {t(`review.kind.${kind}`)}
        </span>
        {(kind === 'unsure' || kind === 'also') && <DecisionBadge decision={entry.decision} />}
        <CategoryTag category={entry.category} />
        <time class="quiet" dateTime={entry.time}>
          {moment(entry.time)}
        </time>
      </p>
      <dl class="review-sides">
        {existing && (
          <div>
            <dt>{t(entry.decision === 'UPDATE' && kind !== 'withheld' ? 'explain.before' : 'review.stored')}</dt>
            <dd>
              <MemoryText memory={existing} /> <Byline {...statementsOf(existing)[0]} />
            </dd>
          </div>
        )}
        {other && (
          <div>
            <dt>{t('review.stored')}</dt>
            <dd>
              <MemoryText memory={other} /> <Byline {...statementsOf(other)[0]} />
            </dd>
          </div>
        )}
        <div>
          <dt>{t(kind === 'late' ? 'review.saidBefore' : 'review.said')}</dt>
          <dd>
            <Said text={draft.content || entry.input} /> <Byline author={draft.author} at={draft.statedAt} />
          </dd>
        </div>
      </dl>
      <ul class="reasons">
        {reasons.map((words, i) => (
          <li key={i}>{words}</li>
        ))}
        {(reasons.length === 0 || entry.analyst === 'model') && (
          <li>
            <Said text={entry.reason} />
          </li>
        )}
      </ul>
      {kind === 'also' && memory && <Doubts memory={memory} others />}
      <div class="form-row review-answers" role="group" aria-label={t('review.answer')}>
        {ANSWERS[kind].map(([verdict, words], i) => (
          <button key={verdict} type="button" class={`button ${i === 0 ? 'button-primary' : ''}`} disabled={busy.value} onClick={() => go(verdict)}>
            {t(words === 'review.accept.fraud' && !existing ? 'review.accept.fraud.alone' : words)}
          </button>
        ))}
        {others.map(([verdict, words]) => (
          <button key={verdict} type="button" class="button button-quiet" disabled={busy.value} onClick={() => go(verdict)}>
            {words ? t(words) : t('review.instead', { decision: named('decision', verdict) })}
          </button>
        ))}
      </div>
    </li>
  );
}
