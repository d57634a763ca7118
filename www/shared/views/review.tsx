// All open questions by priority, with possible fraud first. Several can be answered at once; every
// answer can be undone.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ReviewItem } from 'memfold';
import { answersOf, isFirm, type Act } from '../asking';
import { t } from '../i18n';
import { Empty, Problem, ViewHead } from '../parts/basics';
import { Icon } from '../parts/icon';
import { ChangeQuestion, Question } from '../parts/question';
import { useReview } from '../reviewing';
import { isFraud } from '../words';

/** Questions shown at a time. */
const MOST = 10;

export function ReviewView() {
  const { items, changes, problem, busy, answer } = useReview();
  const picked = useSignal<ReadonlySet<string>>(new Set());
  const most = useSignal(MOST);
  const list = useRef<HTMLDivElement>(null);
  const cards = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('.review') ?? [])];
  const settle = async (asked: readonly ReviewItem[], act: Act) => {
    const at = cards().findIndex((card) => card.dataset.entry === asked[0]?.entry.id);
    if (!(await answer(asked, act))) return;
    picked.value = new Set();
    // The focus moves to the next question, or to the heading.
    requestAnimationFrame(() => (cards()[Math.min(at, cards().length - 1)] ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true }));
  };
  const pick = (id: string) => {
    const next = new Set(picked.value);
    if (!next.delete(id)) next.add(id);
    picked.value = next;
  };
  const all = items.value ?? [];
  const fraud = all.filter((i) => isFraud(i.entry));
  const asked = all.filter((i) => !isFraud(i.entry));
  const rest = [...asked.filter(isFirm), ...asked.filter((i) => !isFirm(i))];
  const shown = rest.slice(0, most.value);
  const chosen = all.filter((i) => picked.value.has(i.entry.id));
  const onKeyDown = (e: KeyboardEvent) => {
    const from = e.target as HTMLElement;
    const card = from.closest<HTMLElement>('.review');
    // Within a choice, the arrow keys move between its values.
    if (!card || e.ctrlKey || e.metaKey || e.altKey || from.matches('[type=radio]')) return;
    const item = all.find((i) => i.entry.id === card.dataset.entry);
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      const next = cards()[cards().indexOf(card) + (e.key === 'ArrowDown' ? 1 : -1)];
      if (!next) return;
      e.preventDefault();
      next.focus();
    } else if (item && e.key.toLowerCase() === 'x') {
      e.preventDefault();
      pick(item.entry.id);
    } else if (from === card && /^[1-9]$/.test(e.key)) {
      e.preventDefault();
      card.querySelectorAll<HTMLInputElement>('.values input[type=radio]')[Number(e.key) - 1]?.click();
      card.querySelectorAll<HTMLInputElement>('.values input[type=radio]')[Number(e.key) - 1]?.focus();
    }
  };
  const group = (id: 'fraud' | 'rest' | 'vague', of: readonly ReviewItem[]) =>
    of.length > 0 && (
      <section class={`review-group review-group-${id}`} aria-labelledby={`review-${id}`}>
        <h2 id={`review-${id}`}>
          {id === 'fraud' && <Icon name="warning" />} {t(`review.group.${id}`)}
        </h2>
        {id !== 'rest' && <p>{t(`review.group.${id}.detail`)}</p>}
        <ol class="reviews">
          {of.map((item) => (
            <Question
              key={item.entry.id}
              item={item}
              busy={busy.value}
              isPicked={picked.value.has(item.entry.id)}
              onPick={() => pick(item.entry.id)}
              onAnswer={(act) => void settle([item], act)}
            />
          ))}
        </ol>
      </section>
    );
  return (
    <div ref={list} onKeyDown={onKeyDown}>
      <ViewHead title={t('review.title')} lead={t('review.lead')} />
      {problem.value && <Problem fault={problem.value} />}
      {items.value?.length === 0 && changes.value.length === 0 && (
        <Empty icon="check" title={t('review.empty')}>
          <p>{t('review.empty.detail')}</p>
        </Empty>
      )}
      {all.length + changes.value.length > 0 && (
        <p class="result-count" role="status">
          {t('review.count', { n: all.length + changes.value.length })} <span class="review-keys">{t('review.keys')}</span>
        </p>
      )}
      {group('fraud', fraud)}
      {changes.value.length > 0 && (
        <section class="review-group" aria-labelledby="review-changes">
          <h2 id="review-changes">{t('review.group.changes')}</h2>
          <p>{t('review.group.changes.detail')}</p>
          <ol class="reviews">
            {changes.value.map((change) => (
              <ChangeQuestion key={change.memory.id} change={change} />
            ))}
          </ol>
        </section>
      )}
      {group('rest', shown.filter(isFirm))}
      {group(
        'vague',
        shown.filter((i) => !isFirm(i)),
      )}
      {rest.length > shown.length && (
        <button type="button" class="button more-button" onClick={() => (most.value += MOST)}>
          {t('review.more', { n: rest.length - shown.length })}
        </button>
      )}
      {chosen.length > 0 && (
        <Several items={chosen} busy={busy.value} onAnswer={(act) => void settle(chosen, act)} onClear={() => (picked.value = new Set())} />
      )}
    </div>
  );
}

/** The answers that all selected questions share. */
function Several({ items, busy, onAnswer, onClear }: { items: readonly ReviewItem[]; busy: boolean; onAnswer(act: Act): void; onClear(): void }) {
  const [first, ...others] = items.map(answersOf);
  const shared = (first ?? []).filter(({ act }) => others.every((answers) => answers.some((a) => a.act === act)));
  return (
    <section class="several card" aria-label={t('review.several', { n: items.length })}>
      <p>{t('review.several', { n: items.length })}</p>
      <div class="form-row">
        {shared.map(({ act, words }) => (
          <button key={act} type="button" class="button" disabled={busy} onClick={() => onAnswer(act)}>
            {t(words)}
          </button>
        ))}
        {shared.length === 0 && <span class="quiet">{t('review.several.none')}</span>}
        <button type="button" class="button button-quiet" onClick={onClear}>
          {t('common.cancel')}
        </button>
      </div>
    </section>
  );
}
