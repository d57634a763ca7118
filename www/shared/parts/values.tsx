// A choice between values with source and day; the newest is marked, and the effect is previewed.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { t } from '../i18n';

export type Value<V extends string> = { value: V; words: ComponentChildren; by?: ComponentChildren; isNewest?: boolean; result: string };

export function Values<V extends string>({
  name,
  question,
  options,
  busy,
  told,
  children,
  onSave,
}: {
  name: string;
  question: string;
  options: readonly Value<V>[];
  busy: boolean;
  told?: ComponentChildren;
  children?: ComponentChildren;
  onSave(value: V): void;
}) {
  const chosen = useSignal<V | null>(null);
  const now = options.find((o) => o.value === chosen.value);
  return (
    <form
      class="values"
      onSubmit={(e) => {
        e.preventDefault();
        if (now) onSave(now.value);
      }}
      onKeyDown={(e) => {
        const option = options[Number(e.key) - 1];
        if (!option || e.ctrlKey || e.metaKey || e.altKey || busy) return;
        e.preventDefault();
        chosen.value = option.value;
        const place = e.currentTarget.querySelectorAll<HTMLInputElement>('input[type=radio]')[Number(e.key) - 1];
        place?.focus();
      }}
    >
      <fieldset disabled={busy}>
        <legend class="review-ask">{question}</legend>
        {told}
        {options.map((o, i) => (
          <div key={o.value} class="value">
            <label>
              <input type="radio" name={name} checked={chosen.value === o.value} onChange={() => (chosen.value = o.value)} />
              <span class="value-words">
                {o.words} {o.isNewest && <span class="badge badge-newest">{t('review.newest')}</span>}
              </span>
              <kbd aria-hidden="true">{i + 1}</kbd>
            </label>
            {o.by && <p class="value-by">{o.by}</p>}
          </div>
        ))}
      </fieldset>
      <p class="value-result quiet" role="status">
        {now ? now.result : t('review.choose')}
      </p>
      <div class="form-row">
        <button type="submit" class="button button-primary" disabled={busy || !now}>
          {t('review.save')}
        </button>
        {children}
      </div>
    </form>
  );
}
