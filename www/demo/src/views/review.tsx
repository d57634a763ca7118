// What waits for its owner's word: each answered in one step, and each answer taken back in one.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Decision, ReviewItem } from 'memfold';
import { faultOf, review, undo } from '../actions';
import { ask } from '../engine/client';
import { moment, t } from '../i18n';
import { CategoryTag, DecisionBadge, Diff, Empty, Problem, Said, ViewHead } from '../parts/basics';
import { Icon } from '../parts/icon';
import { announce, entries, waiting, type Fault } from '../state';
import { named, plainReasons, reasonWords } from '../words';

const INSTEAD: readonly Decision[] = ['UPDATE', 'CREATE_AND_LINK', 'SKIP', 'CREATE'];
type Kind = 'suspected' | 'withheld' | 'failed' | 'unsure';

const kindOf = ({ entry }: ReviewItem): Kind => {
  if (entry.reasons.some((r) => r.kind === 'suspected')) return 'suspected';
  if (entry.status === 'error') return 'failed';
  return entry.decision === 'UPDATE' && entry.touched.length === 0 ? 'withheld' : 'unsure';
};

export function ReviewView() {
  const items = useSignal<readonly ReviewItem[] | null>(null);
  const problem = useSignal<Fault | null>(null);
  const last = useSignal<string | null>(null);
  useSignalEffect(() => {
    // Whatever is written may answer or raise a question.
    void entries.value;
    ask('reviews', []).then(
      (found) => {
        items.value = found;
        waiting.value = found.length;
      },
      (reason) => (problem.value = faultOf(reason)),
    );
  });
  const answer = async (item: ReviewItem, verdict: string) => {
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
          <ol class="reviews">
            {items.value.map((item) => (
              <Item key={item.entry.id} item={item} onAnswer={(verdict) => answer(item, verdict)} />
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function Item({ item, onAnswer }: { item: ReviewItem; onAnswer(verdict: string): Promise<void> }) {
  const busy = useSignal(false);
  const kind = kindOf(item);
  const { entry, existing, draft } = item;
  const go = (verdict: string) => {
    busy.value = true;
    void onAnswer(verdict).finally(() => (busy.value = false));
  };
  const others = kind === 'failed' || kind === 'suspected' || !existing ? [] : INSTEAD.filter((d) => d !== entry.decision);
  // The sentence says these already.
  const reasons = plainReasons(entry).filter((r) => r.kind !== 'suspected' && r.kind !== 'not_sure').map(reasonWords);
  return (
    <li class={`card review review-${kind}`} aria-busy={busy.value}>
      <p class="review-head">
        <span class="badge review-kind">
          <Icon name={kind === 'suspected' || kind === 'failed' ? 'warning' : 'evaluate'} size={13} />
          {t(`review.kind.${kind}`)}
        </span>
        {kind === 'unsure' && <DecisionBadge decision={entry.decision} />}
        <CategoryTag category={entry.category} />
        <time class="quiet" dateTime={entry.time}>
          {moment(entry.time)}
        </time>
      </p>
      <dl class="review-sides">
        {existing && (
          <div>
            <dt>{t('review.stored')}</dt>
            <dd>
              <Said text={existing.content} />
            </dd>
          </div>
        )}
        <div>
          <dt>{t('review.said')}</dt>
          <dd>
            {existing && kind === 'withheld' ? <Diff before={existing.content} after={draft.content} /> : <Said text={draft.content || entry.input} />}
          </dd>
        </div>
      </dl>
      <p class="quiet">
        <Said text={entry.reason} />
        {reasons.length > 0 && ` ${reasons.join(' ')}`}
      </p>
      <div class="form-row review-answers" role="group" aria-label={t('review.answer')}>
        <button type="button" class="button button-primary" disabled={busy.value} onClick={() => go('accept')}>
          {t(`review.accept.${kind}`)}
        </button>
        <button type="button" class="button" disabled={busy.value} onClick={() => go('reject')}>
          {t(`review.reject.${kind}`)}
        </button>
        {others.map((decision) => (
          <button key={decision} type="button" class="button button-quiet" disabled={busy.value} onClick={() => go(decision)}>
            {t('review.instead', { decision: named('decision', decision) })}
          </button>
        ))}
      </div>
    </li>
  );
}
