// Badge of a memory's state. Current memories have none; an unconfirmed one links to its question.
import type { Memory } from 'memfold';
import { stateOf } from '../facts';
import { t } from '../i18n';
import { doubtAt, suspects } from '../matters';

export function StateBadge({ memory }: { memory: Memory }) {
  if (suspects.value.has(memory.id)) {
    return (
      <a class="badge badge-error" href="#/review">
        {t('matter.suspect')}
      </a>
    );
  }
  const state = stateOf(memory);
  if (state === 'current') return null;
  if (state === 'outdated') return <span class="badge">{t('state.outdated')}</span>;
  return (
    <a class={`badge badge-unconfirmed ${doubtAt(memory) === 'older' ? 'badge-doubt' : ''}`} href="#/review" title={t('state.unconfirmed.detail')}>
      {t('state.unconfirmed')}
    </a>
  );
}
