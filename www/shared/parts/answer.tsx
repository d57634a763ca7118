// The memories that a model chose as the answer: the headline of the first, and all as its sources.
import type { Answered, Hit } from 'memfold';
import { known, langOf, t } from '../i18n';
import { headlineOf } from '../headline';
import { headOf } from '../state';
import { CategoryTag } from './basics';
import { SaidBy } from './mail';
import { HeadlineText } from './statements';

/** The state of a question to a model: not asked, waiting, or answered. */
export type Reply = Answered | 'waiting' | null;

export const sourcesOf = (reply: Reply): readonly Hit[] => (reply === null || reply === 'waiting' ? [] : reply.sources);

/** The answer with its sources. The page's live region announces its text (`wordsOf`). */
export function Answer({ reply }: { reply: Reply }) {
  const sources = sourcesOf(reply);
  const words = wordsOf(reply);
  if (!words || reply === null) return null;
  return (
    <section class="answer" aria-labelledby="answer-title" aria-busy={reply === 'waiting'}>
      <h2 id="answer-title">{t('answer.title')}</h2>
      {sources.length > 0 ? (
        <p class="answer-text" lang={langOf(words)}>
          {words}
        </p>
      ) : (
        <p>{words}</p>
      )}
      {sources.length > 0 && (
        <>
          <h3>{t('answer.sources', { n: sources.length })}</h3>
          <ol class="answer-sources">
            {sources.map(({ memory }) => (
              <li key={memory.id}>
                <a href={`#/memories/${headOf(memory.id)?.id ?? memory.id}`}>
                  <HeadlineText memory={memory} />
                </a>
                <p class="memory-meta">
                  <CategoryTag category={memory.category} />
                  <SaidBy memory={memory} />
                </p>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** The text of the answer or the reason for none; empty if not asked. */
export function wordsOf(reply: Reply): string {
  if (reply === null) return '';
  if (reply === 'waiting') return t('answer.waiting');
  if (!reply.model) return reply.refused ? t('answer.refused', { why: whyOf(reply.refused) }) : '';
  const [best] = reply.sources;
  if (!best) return t('answer.nothing');
  const { topic, text } = headlineOf(best.memory);
  return topic ? `${topic}: ${text}` : text;
}

const whyOf = (code: string): string => known(`answer.${code}`) ?? known(`test.${code}`) ?? t('sent.unusable');
