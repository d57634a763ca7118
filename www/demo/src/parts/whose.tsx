// "Whose mailbox is this?": asked before an import with an unknown owner. The suggestion is only
// prefilled.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/i18n';
import { announce } from '../../../shared/state';
import type { Question } from '../owner';

export function Whose({ question: { name, guess, answer } }: { question: Question }) {
  const typed = useSignal('');
  const head = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    head.current?.focus();
    announce(t('whose.title'));
  }, []);
  return (
    <section class="card whose" aria-labelledby="whose-title" aria-describedby="whose-detail">
      <h2 id="whose-title" tabIndex={-1} ref={head}>
        {t('whose.title')}
      </h2>
      <p class="quiet" id="whose-detail">
        <strong>{name}</strong>: {t('whose.detail')}
      </p>
      {guess && (
        <div class="form-row">
          <button type="button" class="button button-primary" onClick={() => answer({ address: guess })}>
            {t('whose.guess', { address: guess })}
          </button>
        </div>
      )}
      <form
        class="form-row"
        onSubmit={(e) => {
          e.preventDefault();
          answer({ address: typed.value });
        }}
      >
        <label class="field">
          <span>{t(guess ? 'whose.other' : 'whose.address')}</span>
          <input
            type="email"
            required
            maxLength={320}
            autocomplete="email"
            placeholder="me@example.com"
            value={typed.value}
            onInput={(e) => (typed.value = e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {t('whose.use')}
        </button>
      </form>
      <div class="form-row">
        <button type="button" class="button" onClick={() => answer('unknown')}>
          {t('whose.unknown')}
        </button>
        <button type="button" class="button button-quiet" onClick={() => answer('cancel')}>
          {t('common.cancel')}
        </button>
      </div>
    </section>
  );
}
