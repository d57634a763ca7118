// Deletion by a request in words, and the list of deleted memories.
import { useSignal } from '@preact/signals';
import type { DeletePreview } from '../types';
import { faultOf, forget, remove, restore } from '../actions';
import { engine } from '../engine';
import { t } from '../i18n';
import { announce, deleted, type Fault } from '../state';
import { Problem } from './basics';
import { MemoryText } from './statements';

/** "Delete everything about …": shows what it would delete before the deletion. */
export function DeleteInWords() {
  const request = useSignal('');
  const preview = useSignal<DeletePreview | null>(null);
  const problem = useSignal<Fault | null>(null);
  const look = async () => {
    problem.value = preview.value = null;
    try {
      preview.value = await engine.previewDelete(request.value);
      announce(t('words.found', { n: preview.value.memories.length }));
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const go = async (deed: typeof remove) => {
    const ids = preview.value?.memories.map((d) => d.memory.id) ?? [];
    try {
      await deed(ids, request.value);
      preview.value = null;
      request.value = '';
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const found = preview.value?.memories ?? [];
  return (
    <details class="card words">
      <summary>{t('words.title')}</summary>
      <form
        class="form-row words-form"
        onSubmit={(e) => {
          e.preventDefault();
          void look();
        }}
      >
        <label class="field">
          <span>{t('words.request')}</span>
          <input
            type="text"
            required
            maxLength={998}
            placeholder={t('words.example')}
            value={request.value}
            onInput={(e) => (request.value = e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {t('words.preview')}
        </button>
      </form>
      {problem.value && <Problem fault={problem.value} />}
      {preview.value && (
        <div role="group" aria-label={t('words.title')}>
          <p role="status">{t('words.found', { n: found.length })}</p>
          {found.length > 0 && (
            <>
              <ul class="words-found">
                {found.map((d) => (
                  <li key={d.memory.id}>
                    <MemoryText memory={d.memory} mark={d.matched} /> <span class="quiet">{t('words.with', { versions: d.versions, links: d.links })}</span>
                  </li>
                ))}
              </ul>
              <div class="form-row">
                <button type="button" class="button button-danger" onClick={() => void go(remove)}>
                  {t('words.delete', { n: found.length })}
                </button>
                <button type="button" class="button button-danger-quiet" onClick={() => void go((ids) => forget(ids))}>
                  {t('memory.forget')}
                </button>
                <button type="button" class="button" onClick={() => (preview.value = null)}>
                  {t('common.cancel')}
                </button>
              </div>
            </>
          )}
        </div>
      )}
    </details>
  );
}

/** Deleted memories that can be restored. */
export function Deleted() {
  const problem = useSignal<Fault | null>(null);
  const back = (id: string) =>
    void restore(id).then(
      () => (problem.value = null),
      (reason) => (problem.value = faultOf(reason)),
    );
  if (deleted.value.length === 0) return null;
  return (
    <details class="card words">
      <summary>{t('deleted.title', { n: deleted.value.length })}</summary>
      {problem.value && <Problem fault={problem.value} />}
      <ul class="words-found">
        {deleted.value.map((m) => (
          <li key={m.id}>
            <MemoryText memory={m} />{' '}
            <button type="button" class="button button-quiet" onClick={() => back(m.id)}>
              {t('memory.restore')}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
