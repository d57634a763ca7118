// Mail goes in here, and the decisions come out.
import { useSignal } from '@preact/signals';
import type { Category, Receipt } from 'memfold';
import sampleUrl from '../../../../tests/inbox/sample.mbox?url';
import { consolidate, faultOf } from '../../../shared/actions';
import { count, percent, t } from '../../../shared/i18n';
import { Bar, CategoryChoice, Choice, DecisionBadge, FileButton, Problem, Said, ViewHead } from '../../../shared/parts/basics';
import { Explanation } from '../../../shared/parts/explanation';
import { Icon } from '../../../shared/parts/icon';
import { keepUnfinished, mode } from '../../../shared/settings';
import { announce, entries, fault, run, unfinished, type Fault, type Run, type Unfinished } from '../../../shared/state';
import { FOUR, named } from '../../../shared/words';
import { question } from '../owner';
import { Feed } from '../parts/feed';
import { Whose } from '../parts/whose';
import { cancel, ingest, outcome, pause, retry, secondsLeft, setMode } from '../run';

export async function loadSample(): Promise<void> {
  try {
    const answer = await fetch(sampleUrl);
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    await ingest(await answer.blob(), 'sample.mbox', true);
  } catch (reason) {
    fault.value = faultOf(reason);
  }
}

async function ingestFiles(files: readonly File[]): Promise<void> {
  for (const file of files) {
    if (!(await ingest(file, file.name))) return;
  }
}

export function InboxView() {
  return (
    <>
      <ViewHead title={t('inbox.title')} lead={t('inbox.lead')} />
      <div class="inbox">
        <div class="inbox-in">
          <AddMail />
          <Note />
        </div>
        <section class="inbox-out" aria-labelledby="feed-title">
          {question.value && <Whose question={question.value} />}
          {run.value && !question.value && <RunCard run={run.value} />}
          {!run.value && !question.value && unfinished.value && <LeftCard left={unfinished.value} />}
          <div class="section-head">
            <h2 id="feed-title">{t('feed.title')}</h2>
            {entries.value.length > 0 && <p class="quiet">{t('feed.latest')}</p>}
          </div>
          {entries.value.length > 0 ? <Feed entries={entries.value} /> : <Teach />}
        </section>
      </div>
    </>
  );
}

function AddMail() {
  const over = useSignal(false);
  const busy = run.value?.state === 'running' || question.value !== null;
  return (
    <section class="card" aria-labelledby="add-title">
      <h2 id="add-title">{t('drop.title')}</h2>
      <div
        class={`drop ${over.value ? 'drop-over' : ''}`}
        onDragOver={(e) => {
          e.preventDefault();
          over.value = true;
        }}
        onDragLeave={() => (over.value = false)}
        onDrop={(e) => {
          e.preventDefault();
          over.value = false;
          if (!busy) void ingestFiles([...(e.dataTransfer?.files ?? [])]);
        }}
      >
        <Icon name="inbox" size={28} />
        <p>
          <strong>{t('drop.hint')}</strong>
        </p>
        <p class="quiet">{t('drop.detail')}</p>
        <FileButton
          label={t('drop.choose')}
          accept=".mbox,.mbx,.eml,message/rfc822,application/mbox"
          multiple
          disabled={busy}
          onFiles={(files) => void ingestFiles(files)}
        />
      </div>
      <button type="button" class="button button-primary button-wide" id="sample" disabled={busy} onClick={() => void loadSample()}>
        {t('drop.sample')}
      </button>
      <p class="quiet under-button">{t('drop.sampleDetail')}</p>
      <ModeChoice disabled={busy} />
    </section>
  );
}

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

function RunCard({ run: r }: { run: Run }) {
  const { progress, counts, now } = r;
  const running = r.state === 'running';
  const share = progress.totalBytes ? Math.min(1, progress.bytes / progress.totalBytes) : undefined;
  const { failed } = r;
  const left = running ? secondsLeft(r) : undefined;
  return (
    <section class={`card run run-${r.state}`} aria-label={t('run.progress')}>
      <div class="run-head">
        <h2>{running ? t('run.title', { name: r.name }) : outcome(r)}</h2>
        {running ? (
          <>
            <button type="button" class="button" onClick={pause}>
              {t('run.pause')}
            </button>
            <button type="button" class="button" onClick={cancel}>
              {t('common.cancel')}
            </button>
          </>
        ) : (
          <>
            {(r.state === 'paused' || r.state === 'failed') && (
              <button type="button" class="button button-primary" onClick={() => void ingest(r.source, r.name, r.sample)}>
                {t('run.goOn')}
              </button>
            )}
            <button type="button" class="button" onClick={() => (run.value = null)}>
              {t('common.close')}
            </button>
          </>
        )}
      </div>
      <progress
        class="unseen"
        aria-label={t('run.progress')}
        max={1}
        {...(share === undefined ? {} : { value: r.state === 'done' ? 1 : share })}
      />
      <Bar value={r.state === 'done' ? 1 : (share ?? 0)} />
      <dl class="tiles">
        <Tile label={t('run.mails')} value={progress.mails} />
        <Tile label={t('run.drafts')} value={progress.drafts} />
        {FOUR.map((d) => (
          <Tile key={d} label={named('decision', d)} value={counts[d]} tone={`decision-${d}`} />
        ))}
      </dl>
      {running && (
        <p class="run-now">
          {now ? (
            <>
              <DecisionBadge decision={now.entry.decision} /> <Said text={now.entry.input} />
            </>
          ) : (
            t('run.waiting')
          )}
        </p>
      )}
      {running && <p class="quiet run-left">{left === undefined ? '\u00a0' : t('run.left', { time: duration(left) })}</p>}
      {r.owner && <p class="quiet">{t(r.sample ? 'run.sample' : 'run.owner', { address: r.owner })}</p>}
      {r.from.mails > 0 && <p class="quiet">{t('run.from', { mails: r.from.mails })}</p>}
      {!running && r.replayed > 0 && <p class="quiet">{t('run.replayed', { n: r.replayed })}</p>}
      {r.fault && <Problem fault={r.fault} />}
      {failed.length > 0 && (
        <details class="more">
          <summary>{t('run.unread', { n: failed.length })}</summary>
          <ul class="reasons">
            {failed.map((f) => (
              <li key={f.index}>
                {count(f.index + 1)}: {named('error', f.code)}
                {(f.subject ?? f.messageId) && (
                  <>
                    {' '}
                    <Said text={f.subject ?? f.messageId ?? ''} />
                  </>
                )}
              </li>
            ))}
          </ul>
          {!running && (
            <button type="button" class="button" onClick={() => void retry()}>
              {t('common.retry')}
            </button>
          )}
        </details>
      )}
    </section>
  );
}

const duration = (seconds: number): string =>
  seconds < 90 ? t('run.left.seconds', { n: Math.max(1, Math.round(seconds)) }) : t('run.left.minutes', { n: Math.round(seconds / 60) });

/** An import that an earlier visit did not finish. */
function LeftCard({ left }: { left: Unfinished }) {
  const share = left.size > 0 ? Math.min(1, left.next.bytes / left.size) : 0;
  return (
    <section class="card run" aria-labelledby="left-title">
      <h2 id="left-title">{t('left.title', { name: left.name })}</h2>
      <Bar value={share} />
      <p>{t('left.detail', { mails: left.next.mails, share: percent(share) })}</p>
      <div class="form-row">
        {left.modified === 0 ? (
          <button type="button" class="button button-primary" onClick={() => void loadSample()}>
            {t('run.goOn')}
          </button>
        ) : (
          <FileButton label={t('left.choose')} accept=".mbox,.mbx,.eml,message/rfc822,application/mbox" primary onFiles={(files) => void ingestFiles(files)} />
        )}
        <button type="button" class="button" onClick={() => keepUnfinished(null)}>
          {t('left.forget')}
        </button>
      </div>
    </section>
  );
}

const Tile = ({ label, value, tone }: { label: string; value: number; tone?: string }) => (
  <div class={`tile ${tone ?? ''}`}>
    <dt>{label}</dt>
    <dd>{count(value)}</dd>
  </div>
);

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
      const receipt = await consolidate({ content: text.value.trim(), category: category.value }, dryRun);
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
            <DecisionBadge decision={entry.decision} /> <span class="figure">{percent(entry.confidence)}</span>{' '}
            {entry.status === 'dry_run' ? t('note.would') : t('note.saved', { decision: named('decision', entry.decision) })}
          </p>
          <Explanation entry={entry} preview={shown.value?.memory} />
        </div>
      )}
    </section>
  );
}
