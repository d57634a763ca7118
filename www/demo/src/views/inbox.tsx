// Mail and notes go in here, and the decisions about them come out.
import { useSignal } from '@preact/signals';
import type { Category, Receipt } from 'memfold';
import { add, faultOf } from '../../../shared/actions';
import { t } from '../../../shared/i18n';
import { CategoryChoice, Choice, DecisionBadge, Problem, ViewHead } from '../../../shared/parts/basics';
import { Explanation } from '../../../shared/parts/explanation';
import { mode } from '../../../shared/settings';
import { announce, entries, type Fault } from '../../../shared/state';
import { FOUR, named } from '../../../shared/words';
import { isBusy } from '../adding';
import { AddMail } from '../parts/add-mail';
import { Feed } from '../parts/feed';
import { ImportPanel } from '../parts/run-card';
import { setMode } from '../run';

export const InboxView = () => (
  <>
    <ViewHead title={t('inbox.title')} lead={t('inbox.lead')} />
    <div class="inbox">
      <div class="inbox-in">
        <AddMail />
        <Note />
        <ModeChoice disabled={isBusy()} />
      </div>
      <section class="inbox-out" aria-labelledby="feed-title">
        <ImportPanel />
        <div class="section-head">
          <h2 id="feed-title">{t('feed.title')}</h2>
          {entries.value.length > 0 && <p class="quiet">{t('feed.latest')}</p>}
        </div>
        {entries.value.length > 0 ? <Feed entries={entries.value} /> : <Teach />}
      </section>
    </div>
  </>
);

function ModeChoice({ disabled }: { disabled: boolean }) {
  return (
    <div class="mode">
      <Choice
        legend={t('mode.label')}
        name="mode"
        value={mode.value}
        disabled={disabled}
        options={(['balanced', 'fast'] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
        onChange={(next) => void setMode(next)}
      />
      <p class="quiet">{t(`mode.${mode.value}.detail`)}</p>
    </div>
  );
}

const Teach = () => (
  <div class="teach">
    <p>
      <strong>{t('feed.empty')}.</strong> {t('feed.empty.detail')}
    </p>
    <ul>
      {FOUR.map((d) => (
        <li key={d}>
          <DecisionBadge decision={d} />
          <p>{t(`decision.${d}.detail` as 'decision.CREATE.detail')}</p>
        </li>
      ))}
    </ul>
  </div>
);

function Note() {
  const text = useSignal('');
  const category = useSignal<Category>('misc');
  const shown = useSignal<Receipt | null>(null);
  const problem = useSignal<Fault | null>(null);
  const busy = useSignal(false);
  const act = async (dryRun: boolean) => {
    if (busy.value || !text.value.trim()) return;
    busy.value = true;
    problem.value = null;
    try {
      const receipt = await add({ content: text.value.trim(), category: category.value, statedAt: new Date().toISOString() }, dryRun);
      shown.value = receipt;
      if (dryRun) announce(`${t('note.would')} ${named('decision', receipt.entry.decision)}`);
      else {
        announce(t('note.saved', { decision: named('decision', receipt.entry.decision) }));
        text.value = '';
      }
    } catch (reason) {
      shown.value = null;
      problem.value = faultOf(reason);
    } finally {
      busy.value = false;
    }
  };
  const entry = shown.value?.entry;
  return (
    <section class="card" aria-labelledby="note-title">
      <h2 id="note-title">{t('note.title')}</h2>
      <form
        class="form"
        onSubmit={(e) => {
          e.preventDefault();
          void act(true);
        }}
      >
        <label class="field">
          <span>{t('note.label')}</span>
          <textarea
            rows={3}
            maxLength={8000}
            placeholder={t('note.placeholder')}
            value={text.value}
            aria-describedby="note-detail"
            onInput={(e) => {
              text.value = e.currentTarget.value;
              shown.value = null;
            }}
          />
        </label>
        <p class="quiet" id="note-detail">
          {t('note.detail')}
        </p>
        <div class="form-row form-row-even">
          <label class="field field-wide">
            <span>{t('eval.category')}</span>
            <CategoryChoice
              value={category.value}
              onChange={(next) => {
                category.value = next;
                shown.value = null;
              }}
            />
          </label>
          <button type="submit" class="button" disabled={busy.value || !text.value.trim()}>
            {t('note.preview')}
          </button>
          <button type="button" class="button button-primary" disabled={busy.value || !text.value.trim()} onClick={() => void act(false)}>
            {t('note.save')}
          </button>
        </div>
      </form>
      {problem.value && <Problem fault={problem.value} />}
      {entry && (
        <div class="note-result">
          <p>
            <DecisionBadge decision={entry.decision} />{' '}
            {entry.status === 'dry_run' ? t('note.would') : t('note.saved', { decision: named('decision', entry.decision) })}
          </p>
          <Explanation entry={entry} preview={shown.value?.memory} />
        </div>
      )}
    </section>
  );
}
