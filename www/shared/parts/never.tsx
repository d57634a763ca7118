// The "Never remember" list of senders, domains and topics.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { faultOf } from '../engine/error';
import { forbid, kindOf, never, remove, type Kind } from '../forbidden';
import { langOf, t } from '../i18n';
import { names } from '../mails';
import { route } from '../router';
import { announce, type Fault } from '../state';
import { Problem } from './basics';
import { Icon } from './icon';

export function NeverCard() {
  const place = useRef<HTMLElement>(null);
  const text = useSignal('');
  const problem = useSignal<Fault | null>(null);
  const isWanted = route.value.id === 'never' || location.hash === '#never';
  useLayoutEffect(() => {
    if (isWanted) place.current?.scrollIntoView({ block: 'start' });
  }, [isWanted]);
  const attempt = async (work: Promise<void>) => {
    problem.value = null;
    try {
      await work;
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const entries = (['people', 'topics'] as const).flatMap((kind) => never.value[kind].map((entry): [Kind, string] => [kind, entry]));
  return (
    <section class="card never" ref={place} aria-labelledby="never-title">
      <h2 id="never-title">{t('never.title')}</h2>
      <p>{t('never.detail')}</p>
      {entries.length === 0 ? (
        <p class="quiet">{t('never.none')}</p>
      ) : (
        <ul class="never-list">
          {entries.map(([kind, entry]) => (
            <li key={`${kind} ${entry}`}>
              <Icon name={kind === 'topics' ? 'misc' : entry.startsWith('@') ? 'mail' : 'people'} size={16} />
              <span lang={langOf(entry)}>{entry}</span>
              {names.value.has(entry) && <span class="quiet">{names.value.get(entry)}</span>}
              <button
                type="button"
                class="button button-icon"
                aria-label={t('never.remove', { name: entry })}
                onClick={() => void attempt(remove(kind, entry).then(() => announce(t('never.undid'))))}
              >
                <Icon name="DELETE" size={16} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="form-row"
        onSubmit={(e) => {
          e.preventDefault();
          const entry = text.value.trim();
          if (entry) void attempt(forbid(kindOf(entry), entry).then(() => void (text.value = '')));
        }}
      >
        <label class="field field-wide">
          <span>{t('never.label')}</span>
          <input
            type="text"
            maxLength={320}
            spellcheck={false}
            autocomplete="off"
            required
            aria-describedby="never-help"
            value={text.value}
            onInput={(e) => (text.value = e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {t('never.add')}
        </button>
      </form>
      <p class="quiet" id="never-help">
        {t('never.help')}
      </p>
      {problem.value && <Problem fault={problem.value} />}
    </section>
  );
}
