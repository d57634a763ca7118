// The requests sent to models, with their texts.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Sent } from '../types';
import { faultOf } from '../actions';
import { engine } from '../engine';
import { known, moment, t } from '../i18n';
import { announce, entries, type Fault } from '../state';
import { Problem, Said } from './basics';

const SHOWN = 20;

/** The requests sent to models, with their texts. */
export function SentList() {
  const list = useSignal<readonly Sent[] | null>(null);
  const shown = useSignal(SHOWN);
  const problem = useSignal<Fault | null>(null);
  const read = () =>
    engine.model.sent({ limit: 500 }).then(
      (sent) => (list.value = sent.filter(left)),
      (reason) => (problem.value = faultOf(reason)),
    );
  useSignalEffect(() => {
    void entries.value;
    void read();
  });
  const sent = list.value ?? [];
  return (
    <section class="card" aria-labelledby="left-title">
      <h2 id="left-title">{t('left.device')}</h2>
      {problem.value && <Problem fault={problem.value} />}
      {list.value && sent.length === 0 ? (
        <p>{t('left.nothing')}</p>
      ) : (
        <>
          <p>{t('left.device.detail', { n: sent.length })}</p>
          <ol class="sent">
            {sent.slice(0, shown.value).map((one, n) => (
              // Keyed from the oldest, since new ones come first and several may have the same
              // time.
              <li key={sent.length - n}>
                <details class="more">
                  <summary>
                    <span class="sent-head">
                      <time dateTime={one.time}>{moment(one.time)}</time>
                      <span>{[one.to?.replace(/^https?:\/\//, ''), one.model].filter(Boolean).join(' · ') || t('left.own')}</span>
                      <span class={one.outcome === 'answered' ? 'quiet' : 'sent-fault'}>{outcomeOf(one)}</span>
                      <span class="quiet figure">{t('left.size', { tokens: one.tokens, bytes: one.bytes })}</span>
                    </span>
                  </summary>
                  {one.texts.map((text, n) => (
                    <pre key={n} class="code" tabIndex={0}>
                      <Said text={text} />
                    </pre>
                  ))}
                </details>
              </li>
            ))}
          </ol>
          <div class="form-row">
            {sent.length > shown.value && (
              <button type="button" class="button" onClick={() => (shown.value += SHOWN)}>
                {t('common.more', { n: Math.min(SHOWN, sent.length - shown.value) })}
              </button>
            )}
            <button
              type="button"
              class="button button-danger-quiet"
              onClick={() =>
                void engine.model.clearSent().then(() => {
                  announce(t('left.cleared'));
                  return read();
                })
              }
            >
              {t('left.clear')}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

/** Failures of an embedder on this device have no texts, because nothing was sent. */
const left = ({ to, texts }: Sent): boolean => to !== undefined || texts.length > 0;

const outcomeOf = ({ outcome }: Sent): string => known(`sent.${outcome}`) ?? known(`test.${outcome}`) ?? t('sent.unusable');
