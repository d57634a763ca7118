// The most important questions, on Today; Review has the others.
import type { ReviewItem } from 'memfold';
import { t } from '../i18n';
import { isFirm } from '../asking';
import { useReview } from '../reviewing';
import { isFraud } from '../words';
import { Problem } from './basics';
import { Icon } from './icon';
import { ChangeQuestion, claimOf, Question } from './question';

/** Questions shown on Today. */
const MOST = 5;

export function Questions() {
  const { items, changes, problem, busy, answer } = useReview();
  const all = items.value ?? [];
  const fraud = all.filter((i) => isFraud(i.entry));
  const questions = all.filter((i) => !isFraud(i.entry) && isFirm(i));
  const reported = changes.value.filter((change) => claimOf(change).replaced).slice(0, MOST);
  const shown = questions.slice(0, MOST - reported.length);
  const left = all.length + changes.value.length - reported.length - shown.length - fraud.length;
  return (
    <section class="questions" aria-labelledby="questions-title">
      <h2 id="questions-title">{t('questions.title')}</h2>
      {problem.value && <Problem fault={problem.value} />}
      {fraud.length > 0 && (
        <a class="fraud-line" href="#/review">
          <Icon name="warning" size={16} /> {t('questions.fraud', { n: fraud.length })}
        </a>
      )}
      {items.value !== null && reported.length + shown.length === 0 && <p class="quiet">{t('questions.none')}</p>}
      <ol class="reviews">
        {reported.map((change) => (
          <ChangeQuestion key={change.memory.id} change={change} />
        ))}
        {shown.map((item: ReviewItem) => (
          <Question key={item.entry.id} item={item} busy={busy.value} onAnswer={(act) => void answer([item], act)} />
        ))}
      </ol>
      {left > 0 && (
        <a class="more-link" href="#/review">
          {t('questions.more', { n: left })}
        </a>
      )}
    </section>
  );
}
