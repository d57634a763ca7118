// A mail's text: sentences link to their memories, others are dimmed, and selected words can be
// remembered.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { faultOf, remember, undo } from '../actions';
import { langOf, t } from '../i18n';
import type { Mail } from '../mails';
import { candidates, placesOf, taughtBy, type Sentence, type Span } from '../sentences';
import { headOf, memories, type Fault } from '../state';
import { topicOf } from '../headline';
import { Marked, Problem } from './basics';
import { Icon } from './icon';

/** Most characters to remember at once. */
const MOST = 2_000;

/** Whether the reader is selecting text; the click that ends a selection opens nothing. */
const isSelecting = (): boolean => document.getSelection()?.isCollapsed === false;

function Part({ text, sentence: { start, end, memory }, marks }: { text: string; sentence: Sentence; marks: readonly Span[] }) {
  const at = marks.filter((m) => m.start < end && m.end > start).map((m) => ({ start: Math.max(0, m.start - start), end: Math.min(m.end, end) - start }));
  const words = <Marked text={text.slice(start, end)} words={[]} at={at} />;
  if (!memory) {
    return (
      <span class="untaught" data-sentence>
        {words}
      </span>
    );
  }
  return (
    <a
      class="taught"
      data-sentence
      draggable={false}
      href={`#/memories/${memory.id}`}
      title={t('mail.taught', { topic: topicOf(memory) })}
      onClick={(e) => {
        e.preventDefault();
        // The mail gets no history entry.
        if (!isSelecting()) location.replace(`#/memories/${memory.id}`);
      }}
    >
      {words}
    </a>
  );
}

/** Selects the next or the previous sentence. */
function step(frame: HTMLElement, by: 1 | -1): void {
  const all = [...frame.querySelectorAll<HTMLElement>('[data-sentence]')];
  const node = document.getSelection()?.anchorNode;
  const now = all.findIndex((one) => node && one.contains(node));
  const next = all[now < 0 ? (by > 0 ? 0 : all.length - 1) : now + by];
  if (!next) return;
  document.getSelection()?.selectAllChildren(next);
  next.scrollIntoView({ block: 'nearest' });
}

/** `covers`: it hides the toasts, so it shows the result and its undo itself. */
export function MailText({ mail, marks = [], covers = false }: { mail: Mail; marks?: readonly string[]; covers?: boolean }) {
  const frame = useRef<HTMLDivElement>(null);
  const selected = useSignal('');
  const busy = useSignal(false);
  const problem = useSignal<Fault | null>(null);
  /** The last result, and the entry to undo. */
  const told = useSignal<{ words: string; entry: string | undefined } | null>(null);
  useLayoutEffect(() => frame.current?.querySelector('mark')?.scrollIntoView({ block: 'center' }), [mail.id]);
  useEffect(() => {
    const look = () => {
      const now = document.getSelection();
      const isHere = now !== null && now.rangeCount > 0 && frame.current?.contains(now.getRangeAt(0).commonAncestorContainer) === true;
      if (isHere || now?.isCollapsed === false) selected.value = isHere ? now.toString().replace(/\s+/g, ' ').trim().slice(0, MOST) : '';
    };
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, []);
  const sentences = taughtBy(mail.id, mail.text, memories.value.values(), headOf);
  const marked = placesOf(mail.text, candidates(marks));
  const keep = async () => {
    const words = selected.value;
    if (busy.value || words.length < 2) return;
    busy.value = true;
    problem.value = told.value = null;
    try {
      told.value = await remember(mail, words);
      document.getSelection()?.removeAllRanges();
      selected.value = '';
    } catch (reason) {
      problem.value = faultOf(reason);
    } finally {
      busy.value = false;
    }
  };
  const takeBack = async () => {
    const entry = told.value?.entry;
    told.value = null;
    try {
      if (entry) await undo(entry);
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  return (
    <>
      <div
        class="mail-text"
        ref={frame}
        lang={langOf(mail.text)}
        tabIndex={0}
        role="region"
        aria-label={t('mail.text')}
        aria-describedby="mail-text-help"
        onClick={(e) => {
          const sentence = (e.target as HTMLElement).closest<HTMLElement>('.untaught');
          if (sentence && !isSelecting()) document.getSelection()?.selectAllChildren(sentence);
        }}
        onKeyDown={(e) => {
          if (e.target !== e.currentTarget || (e.key !== 'ArrowRight' && e.key !== 'ArrowLeft') || e.shiftKey) return;
          e.preventDefault();
          step(e.currentTarget, e.key === 'ArrowRight' ? 1 : -1);
        }}
      >
        {sentences.map((sentence, i) => (
          <>
            {mail.text.slice(sentences[i - 1]?.end ?? 0, sentence.start)}
            <Part key={sentence.start} text={mail.text} sentence={sentence} marks={marked} />
          </>
        ))}
      </div>
      <div class="mail-keep">
        <button
          type="button"
          class="button button-primary"
          disabled={busy.value || selected.value.length < 2}
          // A mouse press would clear the selection.
          onMouseDown={(e) => e.preventDefault()}
          onClick={() => void keep()}
        >
          <Icon name="CREATE" size={16} /> {t('mail.remember')}
        </button>
        {covers && told.value && (
          <p class="done" role="status">
            {told.value.words}{' '}
            {told.value.entry && (
              <button type="button" class="linklike" onClick={() => void takeBack()}>
                {t('explain.undo')}
              </button>
            )}
          </p>
        )}
        <p class="quiet" id="mail-text-help">
          {t('mail.text.help')}
        </p>
      </div>
      {problem.value && <Problem fault={problem.value} />}
    </>
  );
}
