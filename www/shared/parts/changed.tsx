// Changes since the last visit: the old and the new value, the author and the time.
import { useSignal } from '@preact/signals';
import type { LogEntry } from 'memfold';
import { topicOf } from '../headline';
import { moment, t } from '../i18n';
import { changed, lastVisit, replacedBy } from '../visit';
import { Said } from './basics';
import { EntryBy } from './explanation';
import { Icon } from './icon';

const FIRST = 5;
const STEP = 20;

function Line({ entry }: { entry: LogEntry }) {
  const found = replacedBy(entry);
  if (!found) return null;
  const { memory, values } = found;
  return (
    <li class="changed">
      <a class="changed-topic" href={`#/memories/${memory.id}`}>
        <Said text={topicOf(memory)} />
      </a>
      {values.map(({ old, now }, i) => (
        <p key={i} class="changed-values">
          {old && (
            <>
              <del>
                <span class="unseen">{t('common.removed')} </span>
                <Said text={old} />
              </del>
              <Icon name="arrow" size={14} />
            </>
          )}
          <ins>
            <span class="unseen">{t('common.added')} </span>
            <Said text={now} />
          </ins>
        </p>
      ))}
      <p class="memory-meta">
        <EntryBy entry={entry} />
      </p>
    </li>
  );
}

export function WhatChanged() {
  const shown = useSignal(FIRST);
  const all = changed.value;
  const left = all.length - shown.value;
  const since = lastVisit.value;
  return (
    <section class="what-changed" aria-labelledby="changed-title">
      <h2 id="changed-title">{t('changed.title')}</h2>
      {since !== undefined && <p class="quiet">{t('changed.since', { at: moment(new Date(since).toISOString()) })}</p>}
      {all.length === 0 ? (
        <p class="quiet">{t('changed.nothing')}</p>
      ) : (
        <ol class="changes-list">
          {all.slice(0, shown.value).map((entry) => (
            <Line key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {left > 0 && (
        <button type="button" class="linklike" onClick={() => (shown.value += STEP)}>
          {t('common.more', { n: Math.min(left, STEP) })}
        </button>
      )}
    </section>
  );
}
