// Statements word for word: outdated parts are struck through, followed by author and time.
import type { Memory } from 'memfold';
import type { Highlight } from '../types';
import { headlineOf } from '../headline';
import { langOf, t } from '../i18n';
import { isNote, isPlain, isReworded, placesIn, revised, statementsOf, stretches, type Stretch } from '../statements';
import { Marked, Said } from './basics';
import { Byline } from './mail';

/** Outdated words, marked for screen readers too. */
const Struck = ({ text, now }: { text: string; now: boolean }) => {
  // Spaces at the edges are not struck through.
  const [, before = '', inner = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  const words = (
    <>
      <span class="unseen">{`(${t('said.struck')} `}</span>
      {inner}
      <span class="unseen">)</span>
    </>
  );
  return (
    <>
      {before}
      {now ? <del>{words}</del> : <s>{words}</s>}
      {after}
    </>
  );
};

export const Parts = ({
  parts,
  mark = [],
  at = [],
}: {
  parts: readonly (Stretch & { now?: boolean })[];
  mark?: readonly string[];
  at?: readonly Highlight[];
}) => (
  <span lang={langOf(parts.map((p) => p.text).join(''))}>
    {parts.map(({ text, from, struck, now }) => {
      const here = at
        .filter((h) => h.start < from + text.length && h.end > from)
        .map((h) => ({ start: Math.max(0, h.start - from), end: Math.min(text.length, h.end - from) }));
      return struck ? <Struck key={from} text={text} now={now ?? false} /> : <Marked key={from} text={text} words={mark} at={here} />;
    })}
  </span>
);

/** The current text of a memory, with outdated parts struck through. */
export function MemoryText({ memory, mark = [], at = [] }: { memory: Memory; mark?: readonly string[]; at?: readonly Highlight[] }) {
  if (isReworded(memory)) return <Said text={memory.content} mark={mark} at={at} />;
  const places = placesIn(memory, at);
  return (
    <>
      {statementsOf(memory).map((statement, i) => (
        <span key={i}>
          {i > 0 && ' · '}
          <Parts parts={stretches(statement)} mark={mark} at={places[i] ?? []} />
        </span>
      ))}
    </>
  );
}

/** A memory in one line: topic and current value; `bare` leaves out the topic. */
export function HeadlineText({ memory, bare, mark = [], at = [] }: { memory: Memory; bare?: boolean; mark?: readonly string[]; at?: readonly Highlight[] }) {
  const { topic, parts } = headlineOf(memory);
  const within = (from: number, length: number) =>
    at.flatMap(({ start, end }) => (end > from && start < from + length ? [{ start: Math.max(0, start - from), end: Math.min(end - from, length) }] : []));
  return (
    <>
      {topic && !bare && (
        <>
          <strong class="topic">
            <Said text={topic} mark={mark} />
          </strong>
          {' · '}
        </>
      )}
      {parts.map(({ text, from }, i) => (
        <span key={from}>
          {i > 0 && ' · '}
          <Said text={text} mark={mark} at={within(from, text.length)} />
        </span>
      ))}
    </>
  );
}

/** The statements of a memory, one below the other; nothing for a single valid one. */
export function Statements({ memory }: { memory: Memory }) {
  if (isPlain(memory)) return null;
  return (
    <section>
      <h3>{t('said.title')}</h3>
      {isReworded(memory) && <p class="quiet">{t('said.reworded')}</p>}
      <ol class="statements">
        {statementsOf(memory).map((statement, i) => (
          <li key={i}>
            <Parts parts={stretches(statement)} /> <Byline {...statement} isNote={isNote(memory, statement)} marks={[statement.text]} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The difference between two versions: new statements first, removed ones last. */
export const Revision = ({ before, after }: { before: Memory; after: Memory }) => (
  <>
    {isReworded(after) && (
      <p>
        <Said text={after.content} /> <span class="quiet">{t('said.reworded')}</span>
      </p>
    )}
    <ol class="statements">
      {revised(before, after).map(({ fate, statement, parts }, i) => (
        <li key={i} class={`statement-${fate}`}>
          {fate === 'new' ? (
            <ins>
              <span class="unseen">{t('common.added')} </span>
              <Parts parts={parts} />
            </ins>
          ) : (
            <Parts parts={parts} />
          )}{' '}
          <Byline {...statement} isNote={isNote(after, statement)} marks={[statement.text]} />
        </li>
      ))}
    </ol>
  </>
);
