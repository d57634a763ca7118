// An import: its progress, results and undo. When it is finished, the most useful facts come first.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { count, langOf, minutes, percent, seconds, t } from '../../../shared/i18n';
import { ACCEPTED } from '../../../shared/mailbox';
import { Bar, Confirm, DecisionBadge, FileButton, Problem, Said, Unreached } from '../../../shared/parts/basics';
import { shown } from '../../../shared/mails';
import { MemoryCard } from '../../../shared/parts/memory';
import { Refused } from '../../../shared/parts/refused';
import { keepUnfinished } from '../../../shared/settings';
import { run, unfinished, type Run, type Unfinished } from '../../../shared/state';
import { named } from '../../../shared/words';
import { ingestFiles, loadSample, opening, refused, waitingFiles } from '../adding';
import { findingsOf } from '../findings';
import { question } from '../owner';
import {
  redoImport,
  redoProgress,
  cancel,
  undoneBefore,
  importMail,
  outcome,
  pause,
  retry,
  secondsLeft,
  undoProgress,
  undoImport,
  unfinishedEntries,
} from '../run';
import { SAMPLES, type SampleName } from '../samples';
import { ReadAgain } from './reread';
import { Whose } from './whose';

/** On narrow screens, scrolls the result below the pressed button into view. */
function useScrollIntoView(when: () => unknown): { current: HTMLElement | null } {
  const place = useRef<HTMLElement>(null);
  const now = when();
  useLayoutEffect(() => {
    if (now && matchMedia('(width < 75rem)').matches) place.current?.scrollIntoView({ block: 'start' });
  }, [now]);
  return place;
}

/** The running or last import, the question about its owner, and unreadable files. */
export function ImportPanel() {
  const place = useScrollIntoView(() => question.value ?? run.value?.startedAt ?? (refused.value.length > 0 && refused.value));
  return (
    <div class="taking" ref={place as { current: HTMLDivElement | null }}>
      {opening.value && <p role="status">{t('files.opening')}</p>}
      <Refused files={refused.value} />
      {question.value && <Whose question={question.value} />}
      {run.value && !question.value && <RunCard run={run.value} />}
      {!run.value && !question.value && unfinished.value && <LeftCard left={unfinished.value} />}
    </div>
  );
}

function RunCard({ run: r }: { run: Run }) {
  const { progress, now } = r;
  const running = r.state === 'running';
  const share = progress.totalBytes ? Math.min(1, progress.bytes / progress.totalBytes) : undefined;
  const { failed } = r;
  const gone = running ? [] : undoneBefore(r);
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
              <button type="button" class="button button-primary" onClick={() => void (r.sample ? loadSample(r.sample) : importMail(r.source, r.name))}>
                {t('run.goOn')}
              </button>
            )}
            <button type="button" class="button" onClick={() => (run.value = null)}>
              {t('common.close')}
            </button>
          </>
        )}
      </div>
      <progress class="unseen" aria-label={t('run.progress')} max={1} {...(share === undefined ? {} : { value: r.state === 'done' ? 1 : share })} />
      {r.state !== 'done' && <Bar value={share ?? 0} />}
      {r.fault && <Problem fault={r.fault} />}
      {running ? <Figures run={r} /> : <Findings run={r} />}
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
      {!running && (
        <details class="more">
          <summary>{t('run.figures')}</summary>
          <Figures run={r} />
        </details>
      )}
      {r.state === 'done' && (r.byRules || r.unreached) && <ReadAgain source="run" />}
      {!running && <AfterRun entries={r.entries.length} />}
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

function Figures({ run: { state, progress, sum } }: { run: Run }) {
  const found = sum.kept + sum.merged + sum.skipped + sum.aside;
  return (
    <>
      <dl class="tiles">
        <Tile label={t('run.mails')} value={progress.mails} />
        <Tile label={t('run.drafts')} value={found} />
        <Tile label={t('sum.kept')} value={sum.kept} tone="decision-CREATE" />
        <Tile label={t('sum.merged')} value={sum.merged} tone="decision-UPDATE" />
        <Tile label={t('sum.skipped')} value={sum.skipped} />
        <Tile label={t('sum.aside')} value={sum.aside} tone="decision-CREATE_AND_LINK" />
      </dl>
      {state !== 'running' && found > 0 && (
        <p class="quiet">
          {t('sum.words', { found, ...sum })}. {sum.aside > 0 && t('sum.aside.detail')}
        </p>
      )}
    </>
  );
}

/** Most listed subjects of mails without memories. */
const LISTED = 50;

/** The most useful facts of an import, and the mails without memories. */
function Findings({ run: r }: { run: Run }) {
  const found = findingsOf(r.entries);
  const { taughtNothing: none } = r;
  return (
    <>
      {found.length > 0 && (
        <section class="findings" aria-labelledby="findings-title">
          <h3 id="findings-title">{t('run.findings')}</h3>
          <ol class="memories">
            {found.map((memory) => (
              <MemoryCard key={memory.id} memory={memory} />
            ))}
          </ol>
        </section>
      )}
      {r.skipped > 0 && (
        <p>
          <a href="#/settings/never">{t('run.skipped', { n: r.skipped })}</a>
        </p>
      )}
      {none.n > 0 && (
        <details class="more">
          <summary>{t('run.nothing', { n: none.n })}</summary>
          <ul class="reasons">
            {none.listed.slice(0, LISTED).map(({ id, subject, from }, i) => (
              <li key={i}>
                {id ? (
                  <button type="button" class="linklike" lang={langOf(subject)} onClick={() => (shown.value = { source: id, marks: [] })}>
                    {subject || t('mail.noSubject')}
                  </button>
                ) : (
                  <span lang={langOf(subject)}>{subject || t('mail.noSubject')}</span>
                )}{' '}
                <span class="quiet">{from}</span>
              </li>
            ))}
            {none.n > LISTED && <li class="quiet">{t('run.nothing.more', { n: none.n - Math.min(LISTED, none.listed.length) })}</li>}
          </ul>
        </details>
      )}
    </>
  );
}

/** Mails read before yield nothing; their undone memories can be restored. */
const ReadBefore = ({ gone }: { gone: number }) => (
  <div class="read-before">
    <p>{t('again.detail', { n: gone })}</p>
    {redoProgress.value === null ? (
      <button type="button" class="button" disabled={undoProgress.value !== null} onClick={() => void redoImport()}>
        {t('again.go')}
      </button>
    ) : (
      <p role="status">{t('again.going', { n: redoProgress.value, of: gone })}</p>
    )}
  </div>
);

const duration = (left: number): string => (left < 90 ? seconds(Math.max(1, Math.round(left))) : minutes(Math.round(left / 60)));

/** Links to the results and the undo; for an unfinished import, how to continue. */
function AfterRun({ entries: n, children }: { entries: number; children?: ComponentChildren }) {
  const sure = useSignal(false);
  if (undoProgress.value !== null) return <p role="status">{t('undo.import.going', { n: undoProgress.value, of: n })}</p>;
  if (sure.value) {
    return (
      <Confirm
        label={t('undo.import')}
        ask={t('undo.import.sure', { n })}
        yes={t('undo.import.yes')}
        onYes={() => void undoImport()}
        onNo={() => (sure.value = false)}
      />
    );
  }
  return (
    <div class="form-row">
      {children ?? (
        <a class="button" href="#/memories">
          {t('run.everything')}
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
      <AfterRun entries={unfinishedEntries().length}>
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
