// Mail goes in here, and the decisions come out.
import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Category, Receipt } from 'memfold';
import { consolidate, faultOf } from '../../../shared/actions';
import { loaded } from '../../../shared/engine/error';
import type { Refusal } from '../../../shared/files';
import { count, lang, minutes, percent, seconds, t } from '../../../shared/i18n';
import { ACCEPTED } from '../../../shared/mailbox';
import { Bar, CategoryChoice, Choice, Confirm, DecisionBadge, FileButton, Problem, Said, Unreached, ViewHead } from '../../../shared/parts/basics';
import { Explanation } from '../../../shared/parts/explanation';
import { Icon } from '../../../shared/parts/icon';
import { Refused } from '../../../shared/parts/refused';
import { keepUnfinished, mode } from '../../../shared/settings';
import { announce, entries, fault, run, unfinished, type Fault, type Run, type Unfinished } from '../../../shared/state';
import { FOUR, named } from '../../../shared/words';
import { goTo } from '../guide';
import { question } from '../owner';
import { Feed } from '../parts/feed';
import { Whose } from '../parts/whose';
import { bringBack, bringingBack, cancel, goneBefore, ingest, outcome, pause, retry, secondsLeft, setMode, takingBack, undoImport, writtenBefore } from '../run';
import { sampleMail, SAMPLES, type SampleName } from '../samples';

/** What could not be read of the files that were chosen last. */
const refused = signal<readonly Refusal[]>([]);
async function loadSample(name: SampleName): Promise<void> {
  refused.value = [];
  try {
    if (await ingest(await sampleMail(name), SAMPLES[name].file, name)) goTo(0);
  } catch (reason) {
    fault.value = faultOf(reason);
  }
}

/** Files that are opened, and mailboxes that wait for their turn. */
const opening = signal(false);
const waitingFiles = signal(0);

async function ingestFiles(files: readonly File[]): Promise<void> {
  if (opening.value) return;
  opening.value = true;
  refused.value = [];
  let mailboxes: readonly File[] = [];
  try {
    const { opened } = await loaded(import('../../../shared/files'));
    const chosen = await opened(files, (n) => t('files.mails', { n }));
    refused.value = chosen.refused;
    mailboxes = chosen.mailboxes;
    if (chosen.refused.length > 0) announce(t('files.refused', { n: chosen.refused.length }));
  } catch (reason) {
    fault.value = faultOf(reason);
  } finally {
    opening.value = false;
  }
  for (const [i, file] of mailboxes.entries()) {
    waitingFiles.value = mailboxes.length - i - 1;
    if (!(await ingest(file, file.name))) break;
  }
  waitingFiles.value = 0;
}

/** On a narrow screen what happens lies beneath what was pressed: it comes into sight. */
function useSight(when: () => unknown): { current: HTMLElement | null } {
  const place = useRef<HTMLElement>(null);
  const now = when();
  useLayoutEffect(() => {
    if (now && matchMedia('(width < 75rem)').matches) place.current?.scrollIntoView({ block: 'start' });
  }, [now]);
  return place;
}

export function InboxView() {
  const place = useSight(() => question.value ?? run.value?.startedAt ?? (refused.value.length > 0 && refused.value));
  return (
    <>
      <ViewHead title={t('inbox.title')} lead={t('inbox.lead')} />
      <div class="inbox">
        <div class="inbox-in">
          <AddMail />
          <Note />
        </div>
        <section class="inbox-out" aria-labelledby="feed-title" ref={place}>
          {opening.value && <p role="status">{t('files.opening')}</p>}
          <Refused files={refused.value} />
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
  const busy = run.value?.state === 'running' || question.value !== null || opening.value || takingBack.value !== null || bringingBack.value !== null;
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
          accept={ACCEPTED}
          multiple
          primary
          disabled={busy}
          onFiles={(files) => void ingestFiles(files)}
        />
      </div>
      <div class="samples">
        <h3>{t('sample.title')}</h3>
        <p class="quiet">{t('sample.detail')}</p>
        <div class="form-row form-row-even">
          {(lang.value === 'ko' ? (['ko', 'en'] as const) : (['en', 'ko'] as const)).map((name) => (
            <button key={name} type="button" class="button" id={`sample-${name}`} disabled={busy} onClick={() => void loadSample(name)}>
              {t(`sample.${name}`)}
            </button>
          ))}
        </div>
      </div>
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
  const { progress, sum, now } = r;
  const found = sum.kept + sum.merged + sum.skipped + sum.aside;
  const running = r.state === 'running';
  const share = progress.totalBytes ? Math.min(1, progress.bytes / progress.totalBytes) : undefined;
  const { failed } = r;
  const gone = running ? [] : goneBefore(r);
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
              <button type="button" class="button button-primary" onClick={() => void (r.sample ? loadSample(r.sample) : ingest(r.source, r.name))}>
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
        <Tile label={t('run.drafts')} value={found} />
        <Tile label={t('sum.kept')} value={sum.kept} tone="decision-CREATE" />
        <Tile label={t('sum.merged')} value={sum.merged} tone="decision-UPDATE" />
        <Tile label={t('sum.skipped')} value={sum.skipped} />
        <Tile label={t('sum.aside')} value={sum.aside} tone="decision-CREATE_AND_LINK" />
      </dl>
      {!running && found > 0 && (
        <p class="quiet">
          {t('sum.words', { found, ...sum })}. {sum.aside > 0 && t('sum.aside.detail')}
        </p>
      )}
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
      {waitingFiles.value > 0 && <p class="quiet">{t('files.next', { n: waitingFiles.value })}</p>}
      {!running && r.replayed > gone.length && <p class="quiet">{t('run.replayed', { n: r.replayed - gone.length })}</p>}
      {!running && gone.length > 0 && <ReadBefore gone={gone.length} />}
      {r.unreached && <Unreached why={r.unreached} />}
      {!running && <AfterRun entries={r.entries.length} />}
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

/** Of mails that were read before nothing comes; what they taught was taken back, and can be brought back. */
const ReadBefore = ({ gone }: { gone: number }) => (
  <div class="read-before">
    <p>{t('again.detail', { n: gone })}</p>
    {bringingBack.value === null ? (
      <button type="button" class="button" disabled={takingBack.value !== null} onClick={() => void bringBack()}>
        {t('again.go')}
      </button>
    ) : (
      <p role="status">{t('again.going', { n: bringingBack.value, of: gone })}</p>
    )}
  </div>
);

const duration = (left: number): string => (left < 90 ? seconds(Math.max(1, Math.round(left))) : minutes(Math.round(left / 60)));

/** Where to look now, and the way back; for an import that was left unfinished, what else can be done with it. */
function AfterRun({ entries: n, children }: { entries: number; children?: ComponentChildren }) {
  const sure = useSignal(false);
  if (takingBack.value !== null) return <p role="status">{t('undo.import.going', { n: takingBack.value, of: n })}</p>;
  if (sure.value) {
    return <Confirm label={t('undo.import')} ask={t('undo.import.sure', { n })} yes={t('undo.import.yes')} onYes={() => void undoImport()} onNo={() => (sure.value = false)} />;
  }
  return (
    <div class="form-row">
      {children ?? (
        <a class="button button-primary" href="#/memories">
          {t('memories.title')}
        </a>
      )}
      {n > 0 && (
        <button type="button" class="button" onClick={() => (sure.value = true)}>
          {t('undo.import')}
        </button>
      )}
    </div>
  );
}

const sampleOf = ({ name, modified }: Unfinished): SampleName | undefined =>
  modified === 0 ? (Object.keys(SAMPLES) as SampleName[]).find((one) => SAMPLES[one].file === name) : undefined;

/** An import that an earlier visit did not finish. */
function LeftCard({ left }: { left: Unfinished }) {
  const share = left.size > 0 ? Math.min(1, left.next.bytes / left.size) : 0;
  return (
    <section class="card run" aria-labelledby="left-title">
      <h2 id="left-title">{t('left.title', { name: left.name })}</h2>
      <Bar value={share} />
      <p>{t('left.detail', { mails: left.next.mails, share: percent(share) })}</p>
      <AfterRun entries={writtenBefore().length}>
        {sampleOf(left) ? (
          <button type="button" class="button button-primary" onClick={() => void loadSample(sampleOf(left)!)}>
            {t('run.goOn')}
          </button>
        ) : (
          <FileButton label={t('left.choose')} accept={ACCEPTED} primary onFiles={(files) => void ingestFiles(files)} />
        )}
        <button type="button" class="button" onClick={() => keepUnfinished(null)}>
          {t('left.forget')}
        </button>
      </AfterRun>
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
      const receipt = await consolidate({ content: text.value.trim(), category: category.value, statedAt: new Date().toISOString() }, dryRun);
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
