// The decisions about the open mail: old and new value, reasons, and one-click corrections.
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Decision, LogEntry, Memory } from 'memfold';
import { faultOf, forget, review, undo, type Verdict } from '../../../shared/actions';
import { t } from '../../../shared/i18n';
import { CategoryTag, Confirm, DecisionBadge, Empty, Problem, Said } from '../../../shared/parts/basics';
import { EntryBy, Explanation } from '../../../shared/parts/explanation';
import { Icon } from '../../../shared/parts/icon';
import { Byline } from '../../../shared/parts/mail';
import { Reported } from '../../../shared/parts/reported';
import { MemoryText, Revision } from '../../../shared/parts/statements';
import { memories, type Fault } from '../../../shared/state';
import { statementsOf } from '../../../shared/statements';
import { isDoubt, isFraud, named, plainReasons, reasonWords } from '../../../shared/words';
import { placeOf, type Thread } from '../messages';
import { Alone, type OpenTab } from './alone';
import { own } from './client';
import { onNews, status } from './frame';
import { Known } from './known';
import { MailShown } from './mail-shown';
import { PauseAll } from './pause';
import { partWords, w } from './words';

/** The thread in the active tab; on a separate page, the last opened one. */
async function openNow(): Promise<OpenTab | undefined> {
  const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
  const stored = (await chrome.storage.session.get()) as Record<string, OpenTab>;
  const here = tab?.id === undefined ? undefined : stored[`tab:${tab.id}`];
  if (here && tab?.id !== undefined) return { ...here, id: tab.id };
  return Object.entries(stored)
    .flatMap(([key, value]) => (key.startsWith('tab:') ? [{ ...value, id: Number(key.slice(4)) }] : []))
    .sort((a, b) => b.at - a.at)[0];
}

const found = signal<{ tab: OpenTab; thread: Thread } | null | undefined>(undefined);
const problem = signal<Fault | null>(null);
let turn = 0;

async function load(): Promise<void> {
  const mine = ++turn;
  try {
    const tab = await openNow();
    const thread = tab && (await own.thread(tab.account, tab.thread));
    if (mine !== turn) return;
    problem.value = null;
    if (thread) {
      const all = new Map(memories.value);
      for (const memory of thread.memories) all.set(memory.id, memory);
      memories.value = all;
    }
    found.value = tab && thread ? { tab, thread } : null;
  } catch (reason) {
    if (mine === turn) problem.value = faultOf(reason);
  }
}

/** A decision with the owner's review. */
type Item = { entry: LogEntry; word: LogEntry | undefined; gone: boolean };

function items(entries: readonly LogEntry[]): Item[] {
  const undone = new Set<string>();
  const words = new Map<string, LogEntry>();
  // Newest first, so an undo comes before the undone entry.
  for (const e of entries) {
    if (e.action === 'undo' && e.about && !undone.has(e.id)) undone.add(e.about);
    if (e.action === 'review' && e.about && !undone.has(e.id) && !words.has(e.about)) words.set(e.about, e);
  }
  return entries
    .filter((e) => e.action === 'consolidate')
    .map((entry) => ({ entry, word: words.get(entry.id), gone: undone.has(entry.id) }))
    .reverse();
}

/** The open mail, as a part of Today. */
export function OpenMail() {
  useEffect(() => {
    void load();
    const again = () => void load();
    const off = onNews(again);
    chrome.storage.session.onChanged.addListener(again);
    chrome.tabs.onActivated.addListener(again);
    return () => {
      off();
      chrome.storage.session.onChanged.removeListener(again);
      chrome.tabs.onActivated.removeListener(again);
    };
  }, []);
  const fault = useSignal<Fault | null>(null);
  const now = found.value;
  const deed = async (work: () => Promise<unknown>): Promise<void> => {
    fault.value = null;
    try {
      await work();
      await load();
      // The pressed button may be gone, so the focus moves to the heading.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
      });
    } catch (reason) {
      fault.value = faultOf(reason);
    }
  };
  if (problem.value) return <Problem fault={problem.value} onRetry={() => void load()} />;
  if (now === undefined)
    return (
      <p class="quiet" role="status">
        {t('app.opening')}
      </p>
    );
  const lost = status.value?.missing ?? [];
  if (now === null) {
    return (
      <>
        {lost.length > 0 ? (
          <Empty icon="warning" title={w('thread.unreadable')}>
            <p>{w('thread.unreadable.detail', { parts: lost.map(partWords).join(', ') })}</p>
          </Empty>
        ) : (
          <p class="thread-none">
            <strong>{w('thread.none')}.</strong> {w('thread.none.detail')}
          </p>
        )}
        <PauseAll />
      </>
    );
  }
  const { thread, tab } = now;
  const list = items(thread.entries);
  const subject = tab.subject || thread.subject;
  const counted = { remembered: 0, updated: 0, known: 0 };
  for (const { entry, word } of list) {
    const { decision, touched } = word ?? entry;
    counted[placeOf({ decision, wrote: touched.length > 0 || word !== undefined })]++;
  }
  return (
    <section class="open-mail" aria-labelledby="open-mail">
      <h2 id="open-mail">
        {w('inbox.title')}
        {subject && (
          <span class="thread-subject">
            <Said text={subject} />
          </span>
        )}
      </h2>
      {fault.value && <Problem fault={fault.value} />}
      <Known tab={tab} thread={thread} />
      {thread.failed > 0 && <p class="quiet">{w('thread.failed', { n: thread.failed })}</p>}
      {list.length === 0 ? (
        thread.mails > 0 ? (
          <Empty icon="check" title={w('thread.nothing')}>
            <p>{w('thread.nothing.detail', { n: thread.mails })}</p>
          </Empty>
        ) : (
          <Empty icon="inbox" title={w('thread.unread')}>
            <p>{w('thread.unread.detail')}</p>
            <a class="button" href="options.html" target="_blank">
              {w('nav.options')}
            </a>
          </Empty>
        )
      ) : (
        <>
          <p class="result-count" role="status">
            {w('thread.summary', counted)}
          </p>
          <ol class="decisions">
            {list.map((item) => (
              <One key={item.entry.id} item={item} deed={deed} />
            ))}
          </ol>
        </>
      )}
      {thread.mails > 0 && <MailShown key={tab.thread} tab={tab} thread={thread} />}
      {thread.mails > 0 && <Alone tab={tab} onDone={load} />}
      <PauseAll />
    </section>
  );
}

/** The possible corrections of each decision, in the owner's words. */
const FIXES: Partial<
  Record<Decision, readonly (readonly ['fix.notUpdate' | 'fix.link' | 'fix.duplicate' | 'fix.update' | 'fix.noLink' | 'fix.keep', Verdict])[]>
> = {
  UPDATE: [
    ['fix.notUpdate', 'CREATE'],
    ['fix.link', 'CREATE_AND_LINK'],
    ['fix.duplicate', 'SKIP'],
  ],
  CREATE_AND_LINK: [
    ['fix.update', 'UPDATE'],
    ['fix.noLink', 'CREATE'],
    ['fix.duplicate', 'SKIP'],
  ],
  SKIP: [
    ['fix.keep', 'CREATE'],
    ['fix.update', 'UPDATE'],
    ['fix.link', 'CREATE_AND_LINK'],
  ],
};

function One({ item: { entry, word, gone }, deed }: { item: Item; deed(work: () => Promise<unknown>): Promise<void> }) {
  const open = useSignal(false);
  const busy = useSignal(false);
  const sure = useSignal(false);
  const now = word ?? entry;
  const made = now.memoryId ? memories.value.get(now.memoryId) : undefined;
  const target = now.targetId ? memories.value.get(now.targetId) : undefined;
  const revised = now.decision === 'UPDATE' && target !== undefined && made !== undefined && made.version > target.version;
  const forgotten = entry.redacted !== undefined;
  const settled = word !== undefined || gone || forgotten;
  const wrote = now.touched.length > 0;
  const go = (work: () => Promise<unknown>) => {
    busy.value = true;
    void deed(work).finally(() => (busy.value = false));
  };
  const doubt = !settled && isDoubt(entry);
  const fixes = settled || entry.status === 'error' || !entry.targetId ? [] : (FIXES[entry.decision] ?? []);
  return (
    <li class="card decision" aria-busy={busy.value}>
      <p class="review-head">
        <DecisionBadge decision={now.decision} />
        <CategoryTag category={entry.category} />
        {entry.needsReview && !settled && <span class="badge badge-review">{t('explain.review')}</span>}
        {gone && <span class="badge">{w('thread.takenBack')}</span>}
      </p>
      {!revised && <EntryBy entry={entry} />}
      {forgotten ? (
        <p class="quiet">{w('thread.forgotten')}</p>
      ) : (
        <>
          <div class="decision-text">
            {revised && target && made ? <Revision before={target} after={made} /> : <p>{made ? <MemoryText memory={made} /> : <Said text={entry.input} />}</p>}
          </div>
          {isFraud(entry) && !settled && (
            <p class="problem">
              <Icon name="warning" />{' '}
              {plainReasons(entry)
                .filter((r) => r.kind === 'sensitive_change' || r.kind === 'suspected' || r.kind === 'unproven')
                .map((r) => reasonWords(r))
                .join(' ')}
            </p>
          )}
          {target && (now.decision === 'CREATE_AND_LINK' || now.decision === 'SKIP') && <Other entry={now} memory={target} doubt={doubt} />}
          {made && !gone && <Reported memory={made} settle />}
          {word && <p class="quiet">{w('thread.decided', { decision: named('decision', word.decision) })}</p>}
        </>
      )}
      {!forgotten && (
        <div class="fixes" role="group" aria-label={w('thread.fix')}>
          {entry.needsReview && !settled && (
            <button type="button" class="chip" disabled={busy.value} onClick={() => go(() => review([{ entryId: entry.id, verdict: 'accept' }]))}>
              {doubt ? t('doubt.keep') : w('fix.right')}
            </button>
          )}
          {fixes.map(([words, verdict]) => (
            <button key={verdict} type="button" class="chip" disabled={busy.value} onClick={() => go(() => review([{ entryId: entry.id, verdict }]))}>
              {doubt && verdict === 'UPDATE' ? t('doubt.replace') : w(words)}
            </button>
          ))}
          {wrote && !gone && !word && (
            <button type="button" class="chip" disabled={busy.value} onClick={() => go(() => undo(entry.id))}>
              {t('explain.undo')}
            </button>
          )}
          {word && !gone && (
            <button type="button" class="chip" disabled={busy.value} onClick={() => go(() => undo(word.id))}>
              {t('explain.undo')}
            </button>
          )}
          {made && !gone && (
            <a class="chip" href={`#/memories/${made.id}`}>
              {w('thread.matter')}
            </a>
          )}
          {made && wrote && !gone && (
            <button type="button" class="chip chip-danger" aria-expanded={sure.value} disabled={busy.value} onClick={() => (sure.value = !sure.value)}>
              {w('fix.forget')}
            </button>
          )}
        </div>
      )}
      {sure.value && made && (
        <Confirm
          label={w('fix.forget')}
          ask={w('fix.forget.sure')}
          yes={w('fix.forget.yes')}
          disabled={busy.value}
          onNo={() => (sure.value = false)}
          onYes={() => {
            sure.value = false;
            go(() => forget(made.id));
          }}
        />
      )}
      {!forgotten && (
        <>
          <button type="button" class="why" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
            <Icon name="chevron" size={14} />
            {w('thread.why')}
          </button>
          {open.value && <Explanation entry={now.reasons.length > 0 ? now : entry} />}
        </>
      )}
    </li>
  );
}

const Other = ({ entry, memory, doubt }: { entry: LogEntry; memory: Memory; doubt: boolean }) => (
  <p class="decision-other">
    <span class="relation">
      {doubt
        ? t('doubt.outdates')
        : entry.decision === 'SKIP'
          ? w('thread.knownAs')
          : `${w('thread.linkedTo')} · ${named('relation', entry.relation ?? 'none')}`}
    </span>{' '}
    <a href={`#/memories/${memory.id}`}>
      <MemoryText memory={memory} />
    </a>{' '}
    <Byline {...statementsOf(memory)[0]} />
  </p>
);
