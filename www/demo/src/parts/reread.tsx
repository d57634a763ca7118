// Offers to read mails again with a model: one line, the estimate, progress, and the undo.
import { useSignal, useSignalEffect } from '@preact/signals';
import { t } from '../../../shared/i18n';
import { Bar, Problem } from '../../../shared/parts/basics';
import { BuiltInLoading } from '../../../shared/parts/loading';
import { entries, run } from '../../../shared/state';
import { mode } from '../../../shared/settings';
import { hasKeptMails } from '../mails';
import { cancel, close, estimate, mayAsk, outcome, start, undo, type Reread, type RereadSource } from '../reread';
import { rereading, undoProgress } from '../run';

/** One line for the mails of an import, or for those that the browser keeps. */
export function ReadAgain({ source }: { source: RereadSource }) {
  const now = rereading.value;
  if (mode.value === 'fast') return null;
  if (now && now.source === source) return <Going now={now} />;
  return (
    <div class="form-row reread">
      <span>{t('reread.lead')}</span>
      {mayAsk() ? (
        <button type="button" class="button" disabled={now?.state === 'running' || run.value?.state === 'running'} onClick={() => void estimate(source)}>
          {t('reread.go')}
        </button>
      ) : (
        <SetUp />
      )}
    </div>
  );
}

const SetUp = () => (
  <a class="button" href="#/settings">
    {t('reread.setup')}
  </a>
);

function Going({ now }: { now: Reread }) {
  const closing = (
    <button type="button" class="button" onClick={close}>
      {t('common.close')}
    </button>
  );
  const cancelling = (
    <button type="button" class="button" onClick={cancel}>
      {t('common.cancel')}
    </button>
  );
  switch (now.state) {
    case 'estimating':
      return (
        <div class="form-row reread">
          <span role="status">{t('reread.estimating')}</span>
          {cancelling}
        </div>
      );
    case 'noModel':
      return (
        <div class="form-row reread">
          <span role="status">{t('reread.noModel')}</span>
          <SetUp />
        </div>
      );
    case 'estimated': {
      const { calls: n, tokens } = now.estimate;
      return (
        <div class="form-row reread">
          <span role="status">{n > 0 ? t('reread.estimate', { n, tokens: Math.round(tokens / 100) * 100 }) : t('reread.none')}</span>
          {n > 0 && (
            <button type="button" class="button button-primary" onClick={() => void start(now.source, now.estimate)}>
              {t('reread.start')}
            </button>
          )}
          {closing}
        </div>
      );
    }
    case 'running':
      return (
        <>
          <BuiltInLoading />
          <Bar value={now.of > 0 ? now.mails / now.of : 0} />
          <div class="form-row reread">
            <span>{t('reread.going', { n: now.mails, of: now.of })}</span>
            {cancelling}
          </div>
        </>
      );
    case 'ended':
      return (
        <>
          <div class="form-row reread">
            <span role="status">{outcome(now)}</span>
            {now.entries.length > 0 && (
              <button type="button" class="button" disabled={undoProgress.value !== null} onClick={() => void undo(now.entries)}>
                {t('reread.undo')}
              </button>
            )}
            {closing}
          </div>
          {now.failed > 0 && <p class="problem">{t('reread.failed', { n: now.failed })}</p>}
        </>
      );
    case 'failed':
      return (
        <>
          <Problem fault={now.fault} onRetry={() => void estimate(now.source)} />
          {closing}
        </>
      );
  }
}

/** The same in the settings, for the mails that this browser keeps. */
export function ReadAgainCard() {
  const isThere = useSignal(false);
  useSignalEffect(() => {
    void entries.value;
    void hasKeptMails().then(
      (is) => (isThere.value = is),
      () => undefined,
    );
  });
  if (!isThere.value || mode.value === 'fast' || !mayAsk()) return null;
  return (
    <section class="card" aria-labelledby="reread-title">
      <h2 id="reread-title">{t('reread.title')}</h2>
      <p class="quiet">{t('reread.detail')}</p>
      <ReadAgain source="kept" />
    </section>
  );
}
