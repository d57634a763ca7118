// A list of expandable decisions.
import { useSignal } from '@preact/signals';
import type { LogEntry } from 'memfold';
import { t } from '../../../shared/i18n';
import { Said } from '../../../shared/parts/basics';
import { EntryBy, EntryHead, Explanation, isUndoable, Undo } from '../../../shared/parts/explanation';
import { useGradually } from '../../../shared/parts/gradually';
import { Icon } from '../../../shared/parts/icon';
import { takenBack } from '../../../shared/state';
import { aboutWords, isFraud } from '../../../shared/words';

function Row({ entry }: { entry: LogEntry }) {
  const open = useSignal(false);
  const change = entry.propertyChanges?.[0];
  const gone = takenBack.value.has(entry.id);
  return (
    <li class={`entry ${open.value ? 'entry-open' : ''} ${gone ? 'entry-gone' : ''}`}>
      <button type="button" class="entry-head" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <span class="entry-tags">
          <EntryHead entry={entry} />
          {entry.status === 'error' && <span class="badge badge-error">{t('status.error')}</span>}
          {entry.needsReview &&
            (isFraud(entry) ? <span class="badge badge-error">{t('review.kind.fraud')}</span> : <span class="badge badge-review">{t('explain.review')}</span>)}
        </span>
        <span class="entry-text">
          <Said text={aboutWords(entry)} />
          {change && change.oldValue != null && change.newValue != null && (
            <span class="entry-change">
              <del>
                <span class="unseen">{t('common.removed')} </span>
                <Said text={change.oldValue} />
              </del>
              <Icon name="arrow" size={13} />
              <ins>
                <span class="unseen">{t('common.added')} </span>
                <Said text={change.newValue} />
              </ins>
            </span>
          )}
        </span>
        <span class="entry-meta">
          <span class="entry-chevron">
            <Icon name="chevron" size={16} />
          </span>
        </span>
      </button>
      <div class="entry-tools">
        <EntryBy entry={entry} />
        {isUndoable(entry) && !open.value && <Undo entry={entry} />}
      </div>
      {open.value && <Explanation entry={entry} />}
    </li>
  );
}

/** Decisions rendered at a time. */
const AT_A_TIME = 8;

/** The first `step` entries, and more on request. */
export function Feed({ entries, step = 25 }: { entries: readonly LogEntry[]; step?: number }) {
  const shown = useSignal(step);
  const left = entries.length - shown.value;
  const drawn = useGradually(Math.min(entries.length, shown.value), AT_A_TIME);
  return (
    <>
      <ol class="feed">
        {entries.slice(0, drawn).map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ol>
      {left > 0 && (
        <button type="button" class="button more-button" onClick={() => (shown.value += step * 2)}>
          {t('common.more', { n: Math.min(left, step * 2) })}
        </button>
      )}
    </>
  );
}
