// The figures as tables for people.
import { table } from '../../www/terminal/table.mjs';

const percent = (x) => (x === null ? '–' : `${(100 * x).toFixed(1)} %`);
const plain = (digits) => (x) => (x === null ? '–' : x.toFixed(digits));

const FIGURES = [
  ['rows', plain(0)], ['accuracy', percent], ['updateVsLink', percent], ['updatePrecision', percent], ['updateRecall', percent],
  ['linkPrecision', percent], ['linkRecall', percent], ['confusion', percent], ['falseUpdate', percent], ['skipPrecision', percent],
  ['sureShare', percent], ['sureAccuracy', percent], ['askedShare', percent], ['ece', plain(3)], ['microsPerPair', plain(0)],
];

/** One column for all rows, what would be written, each language and each hardness. */
export function pairsTable(result) {
  const columns = [['all', result], ['written', result.written]];
  for (const [lang, f] of Object.entries(result.byLang)) columns.push([lang, f]);
  for (const [hard, f] of Object.entries(result.byHard)) columns.push([{ true: 'hard', false: 'easy' }[hard] ?? hard, f]);
  const rows = FIGURES.map(([name, show]) => [name, ...columns.map(([, f]) => show(f[name]))]);
  return `${result.mode} mode\n\n${table(['', ...columns.map(([title]) => ({ title, right: true }))], rows)}`;
}

const WITH_MODEL = [
  ['rows', plain(0)], ['accuracy', percent], ['updateRecall', percent], ['updateStored', percent], ['falseUpdate', percent], ['skipPrecision', percent], ['skipRecall', percent],
  ['linkRecall', percent], ['askedShare', percent], ['callsPerPair', plain(2)], ['promptTokensPerPair', plain(0)], ['promptTokensPerCall', plain(0)],
  ['answersRight', percent], ['withheld', plain(0)],
];
const ALONE = [
  ['outcomeRight', percent], ['writtenRight', percent], ['sureShare', percent], ['sureRight', percent], ['updateRecall', percent], ['falseUpdate', percent],
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

/** A line for each goal of this run: whether it is reached. */
export function goalsReached(result) {
  return GOALS.filter((g) => g.when(result)).map(({ alone, figure, least, most }) => {
    const found = (alone ? result.noModel : result)[figure];
    const reached = least === undefined ? found <= most : found >= least;
    const goal = least === undefined ? `at most ${percent(most)}` : `at least ${percent(least)}`;
    return `${reached ? 'reached' : 'missed '}  ${alone ? 'with no model, ' : ''}${figure} ${percent(found)}, ${goal}`;
  });
}

/** One line for each file and one for all: what is written with somebody to ask, then what is with nobody. */
export function modelTable(result) {
  const hands = Object.entries(result.byFile);
  const lines = hands.length > 1 ? [...hands, ['all', result]] : hands;
  const right = (title) => ({ title, right: true });
  const grid = (columns, of) => table(['', ...columns.map(([name]) => right(name))], lines.map(([hand, f]) => [hand, ...columns.map(([name, show]) => show(of(f)[name]))]));
  const counts = (of) => Object.entries(of).map(([why, n]) => `${why} ${n}`).join(', ') || 'none';
  const who = result.oracle ? `the labels answer, ${percent(result.oracle.noise)} of it wrong (seed ${result.oracle.seed})` : `a reader answers, ${result.reader.unanswered} of ${result.reader.asked} unanswered`;
  const told = [
    `${result.mode} mode, ${who}`, '', grid(WITH_MODEL, (f) => f), '',
    `answers refused: ${counts(result.refused)}`,
    `answers overruled: ${counts(result.overruled)}; ${result.overruledRight} of them right`, '',
    'with no model', '', grid(ALONE, (f) => f.noModel), '',
    'goals', ...goalsReached(result),
  ];
  if (result.exceptions?.length > 0) {
    const rows = result.exceptions.map((e) => [e.hand, String(e.id), e.expected, e.answer ?? '', e.decision, e.score === null ? '' : e.score.toFixed(2), e.why]);
    told.push('', table(['', 'pair', 'label', 'answer', 'written', right('score'), 'why'], rows));
  }
  return told.join('\n');
}

const OF = [
  ['facts found', 'factsFound', 'facts'], ['  in a right category', 'categoriesRight', 'factsFound'], ['  on the right day', 'datesRight', 'dates'],
  ['stale facts left', 'staleLeft', 'stale'], ['histories right', 'historiesRight', 'histories'], ['links right', 'linksRight', 'links'],
  ['reminders that added', 'remindersAdded', 'reminders'], ['injections with effect', 'injectionsHadEffect', 'injections'],
  ['questions answered', 'hits', 'queries'], ['  with the span given', 'hitsWithSpan', 'queries'], ['spurious memories', 'spurious', 'memories'],
];

/** The figures, then everything that was missed. */
export function inboxTable(result) {
  const rows = OF.map(([title, part, whole]) => [title, String(result[part]), 'of', String(result[whole])]);
  rows.push(['  a mail', plain(2)(result.spuriousPerMail), '', '']);
  if (result.answers) {
    const { calls, promptTokensPerMail, reader, refused } = result.answers;
    const told = Object.entries(refused).map(([why, n]) => `${why} ${n}`).join(', ');
    rows.push(['questions', `${calls}, ${plain(0)(promptTokensPerMail)} tokens a mail`, '', ''], ['  unanswered', String(reader.unanswered), '', ''], ['  refused', told || '0', '', '']);
  }
  rows.push(['model calls', String(result.modelCalls), '', ''], ['would ask', `${result.wouldAsk.calls} calls, ${result.wouldAsk.tokens} tokens`, '', ''], ['mails', String(result.mails), '', '']);
  const lines = [`${result.mode} mode, ${result.inbox}`, '', table(['', { title: '', right: true }, '', { title: '', right: true }], rows).split('\n').slice(2).join('\n')];
  for (const [kind, items] of Object.entries(result.missed)) {
    if (items.length === 0) continue;
    lines.push('', `missed: ${kind} (${items.length})`);
    for (const item of items) lines.push(`  ${typeof item === 'string' ? item : Object.values(item).map((v) => (typeof v === 'string' ? v : JSON.stringify(v))).join(' · ')}`);
  }
  return lines.join('\n');
}
