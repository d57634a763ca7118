// The figures of pairs as tables for people.
import { table } from '../../www/terminal/table.mjs';

export const percent = (x) => (x === null ? '–' : `${(100 * x).toFixed(1)} %`);
export const plain = (digits) => (x) => (x === null ? '–' : x.toFixed(digits));

const FIGURES = [
  ['rows', plain(0)],
  ['accuracy', percent],
  ['updateVsLink', percent],
  ['updatePrecision', percent],
  ['updateRecall', percent],
  ['linkPrecision', percent],
  ['linkRecall', percent],
  ['confusion', percent],
  ['falseUpdate', percent],
  ['skipPrecision', percent],
  ['sureShare', percent],
  ['sureAccuracy', percent],
  ['askedShare', percent],
  ['changesRight', percent],
  ['changesFound', percent],
  ['ece', plain(3)],
  ['microsPerPair', plain(0)],
];

/** One column for all rows, what would be written, each language and each hardness. */
export function pairsTable(result) {
  const columns = [
    ['all', result],
    ['written', result.written],
  ];
  for (const [lang, f] of Object.entries(result.byLang)) columns.push([lang, f]);
  for (const [hard, f] of Object.entries(result.byHard)) columns.push([{ true: 'hard', false: 'easy' }[hard] ?? hard, f]);
  const rows = FIGURES.map(([name, show]) => [name, ...columns.map(([, f]) => show(f[name]))]);
  return `${result.mode} mode\n\n${table(['', ...columns.map(([title]) => ({ title, right: true }))], rows)}`;
}

const WITH_MODEL = [
  ['rows', plain(0)],
  ['accuracy', percent],
  ['updateRecall', percent],
  ['updateStored', percent],
  ['falseUpdate', percent],
  ['skipPrecision', percent],
  ['skipRecall', percent],
  ['linkRecall', percent],
  ['askedShare', percent],
  ['callsPerPair', plain(2)],
  ['promptTokensPerPair', plain(0)],
  ['promptTokensPerCall', plain(0)],
  ['answersRight', percent],
  ['withheld', plain(0)],
];
const ALONE = [
  ['outcomeRight', percent],
  ['writtenRight', percent],
  ['sureShare', percent],
  ['sureRight', percent],
  ['updateRecall', percent],
  ['falseUpdate', percent],
];

/** What is to be reached on pairs of hands that nobody fitted: who answers, the figure, the least or the most. */
const GOALS = [
  { when: (r) => r.oracle?.noise === 0 && r.mode === 'accurate', figure: 'accuracy', least: 0.985 },
  { when: (r) => r.oracle?.noise === 0 && r.mode === 'balanced', figure: 'accuracy', least: 0.92 },
  { when: (r) => r.oracle?.noise === 0 && r.mode === 'balanced', figure: 'askedShare', most: 0.56 },
  { when: (r) => r.oracle?.noise > 0, figure: 'falseUpdate', most: 0.03 },
  { when: () => true, alone: true, figure: 'writtenRight', least: 0.7 },
  { when: () => true, alone: true, figure: 'updateRecall', least: 0.55 },
  { when: () => true, alone: true, figure: 'falseUpdate', most: 0.03 },
];

/** Whether a figure reaches its goal. */
export function goalLine({ title, found, least, most, show }) {
  const reached = least === undefined ? found <= most : found >= least;
  return `${reached ? 'reached' : 'missed '}  ${title} ${show(found)}, ${least === undefined ? `at most ${show(most)}` : `at least ${show(least)}`}`;
}

/** A line for each goal of this run: whether it is reached. */
export function goalsReached(result) {
  return GOALS.filter((g) => g.when(result)).map(({ alone, figure, least, most }) => {
    return goalLine({ title: `${alone ? 'with no model, ' : ''}${figure}`, found: (alone ? result.noModel : result)[figure], least, most, show: percent });
  });
}

/** One line for each file and one for all: what is written with somebody to ask, then what is with nobody. */
export function modelTable(result) {
  const hands = Object.entries(result.byFile);
  const lines = hands.length > 1 ? [...hands, ['all', result]] : hands;
  const right = (title) => ({ title, right: true });
  const grid = (columns, of) =>
    table(
      ['', ...columns.map(([name]) => right(name))],
      lines.map(([hand, f]) => [hand, ...columns.map(([name, show]) => show(of(f)[name]))]),
    );
  const counts = (of) =>
    Object.entries(of)
      .map(([why, n]) => `${why} ${n}`)
      .join(', ') || 'none';
  const who = result.oracle
    ? `the labels answer, ${percent(result.oracle.noise)} of it wrong (seed ${result.oracle.seed})`
    : `a reader answers, ${result.reader.unanswered} of ${result.reader.asked} unanswered`;
  const told = [
    `${result.mode} mode, ${who}`,
    '',
    grid(WITH_MODEL, (f) => f),
    '',
    `answers refused: ${counts(result.refused)}`,
    `answers overruled: ${counts(result.overruled)}; ${result.overruledRight} of them right`,
    '',
    'with no model',
    '',
    grid(ALONE, (f) => f.noModel),
    '',
    'goals',
    ...goalsReached(result),
  ];
  if (result.exceptions?.length > 0) {
    const rows = result.exceptions.map((e) => [
      e.hand,
      String(e.id),
      e.expected,
      e.answer ?? '',
      e.decision,
      e.score === null ? '' : e.score.toFixed(2),
      e.why,
    ]);
    told.push('', table(['', 'pair', 'label', 'answer', 'written', right('score'), 'why'], rows));
  }
  return told.join('\n');
}
