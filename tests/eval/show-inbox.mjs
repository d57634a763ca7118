// The figures of mailboxes as tables for people.
import { table } from '../../www/terminal/table.mjs';
import { goalLine, percent, plain } from './show.mjs';

const share = (part, whole) => (whole === 0 ? null : part / whole);
const isClean = (r) => r.oracle?.noise === 0;

/** What is to be reached where the ledgers answer and nothing of it is wrong: the figure, the least or the most. */
const GOALS = [
  { title: 'facts found', of: (r) => share(r.factsFound, r.facts), least: 0.99, show: percent },
  { title: 'histories right', of: (r) => share(r.historiesRight, r.histories), least: 0.97, show: percent },
  { title: 'stale facts left', of: (r) => share(r.staleLeft, r.stale), most: 0.02, show: percent },
  { title: 'links right', of: (r) => share(r.linksRight, r.links), least: 1, show: percent },
  { title: 'reminders that added', of: (r) => r.remindersAdded, most: 0, show: plain(0) },
  { title: 'questions answered', of: (r) => share(r.hits, r.queries), least: 0.75, show: percent },
  { title: 'spurious memories a mail', of: (r) => r.spuriousPerMail, most: 0.15, show: plain(2) },
  { title: 'right memory shown', of: (r) => share(r.shown.ofShown, r.shown.of), least: 0.98, show: percent },
  { title: 'calls a mail', of: (r) => r.answers.callsPerMail, most: 1, show: plain(2) },
  { title: 'tokens a mail', of: (r) => r.answers.promptTokensPerMail, most: 1200, show: plain(0) },
];

/** What is remembered, once its owner has agreed to the changes that waited and are right. */
const agreed = (result) => ({ ...result, ...result.owner });

/** A line for each goal of this run for which there is something to count; what the owner's word changes stands below. */
export function inboxGoals(result) {
  if (!isClean(result)) return [];
  const lines = (of) =>
    GOALS.map((g) => ({ ...g, found: g.of(of) }))
      .filter((g) => g.found !== null)
      .map(goalLine);
  const before = lines(result);
  if (!result.owner) return before;
  const after = lines(agreed(result)).filter((line) => !before.includes(line));
  const { settled, waiting } = result.owner;
  return [...before, '', `once its owner has agreed to ${settled} changes of the ${waiting} decisions that wait`, ...after];
}

const OF = [
  ['facts found', 'factsFound', 'facts'],
  ['  in a right category', 'categoriesRight', 'factsFound'],
  ['  on the right day', 'datesRight', 'dates'],
  ['stale facts left', 'staleLeft', 'stale'],
  ['  unmarked', 'staleUnmarked', 'stale'],
  ['histories right', 'historiesRight', 'histories'],
  ['links right', 'linksRight', 'links'],
  ['  one memory tells both', 'toldTogether', 'links'],
  ['reminders that added', 'remindersAdded', 'reminders'],
  ['injections with effect', 'injectionsHadEffect', 'injections'],
  ['questions answered', 'hits', 'queries'],
  ['  with the span given', 'hitsWithSpan', 'queries'],
  ['spurious memories', 'spurious', 'memories'],
];

const counted = (of) =>
  Object.entries(of)
    .map(([why, n]) => `${why} ${n}`)
    .join(', ') || '0';

/** What was asked and answered, a line each. */
function askedRows({ answers, shown, noise }) {
  if (!answers) return [];
  const rows = [['questions', `${answers.calls}, ${plain(0)(answers.promptTokensPerMail)} tokens a mail`, '', '']];
  if (answers.reader) rows.push(['  unanswered', String(answers.reader.unanswered), '', '']);
  rows.push(['  refused', counted(answers.refused), '', '']);
  if (shown) {
    const { entries, notShown, notNamed, unknown, otherTasks, garbled, overruled } = answers.ledger;
    rows.push(
      ['entries', String(entries), '', ''],
      ['  not written as told', counted(overruled), '', ''],
      ['  of no memory shown', String(notShown), '', ''],
      ['  links not named', String(notNamed), '', ''],
      ['  about other tasks', String(otherTasks), '', ''],
      ['  about other mails', String(unknown), '', ''],
      ['right memory shown', String(shown.ofShown), 'of', String(shown.of)],
      ['  to link to', String(shown.linksShown), 'of', String(shown.links)],
      ['candidates a mail', plain(1)(share(shown.candidates, shown.mails)), '', ''],
      ['  not meant', plain(1)(share(shown.irrelevant, shown.mails)), '', ''],
    );
    if (noise)
      rows.push(
        ['entries made wrong', counted(garbled), '', ''],
        ['  facts lost', String(noise.factsLost), '', ''],
        ['  memories damaged', String(noise.damaged), '', ''],
      );
  }
  return rows;
}

/** The figures, the goals, then everything that was missed. */
export function inboxTable(result) {
  const rows = OF.map(([title, part, whole]) => [title, String(result[part]), 'of', String(result[whole])]);
  if (result.asked) {
    const { stored, right, unstored, silent } = result.asked;
    rows.push(['asked, of what is stored', String(right), 'of', String(stored)], ['  of what is not, none named', String(silent), 'of', String(unstored)]);
  }
  rows.push(['  a mail', plain(2)(result.spuriousPerMail), '', ''], ['  of matters that are over', String(result.closed), '', ''], ...askedRows(result));
  if (result.owner) {
    const { waiting, settled, factsFound, staleLeft, historiesRight } = result.owner;
    rows.push(['waiting for the owner', String(waiting), '', ''], ['  right changes agreed to', String(settled), '', '']);
    rows.push(
      ['  facts found then', String(factsFound), 'of', String(result.facts)],
      ['  stale facts left', String(staleLeft), 'of', String(result.stale)],
      ['  histories right', String(historiesRight), 'of', String(result.histories)],
    );
  }
  rows.push(
    ['model calls', String(result.modelCalls), '', ''],
    ['would ask', `${result.wouldAsk.calls} calls, ${result.wouldAsk.tokens} tokens`, '', ''],
    ['mails', String(result.mails), '', ''],
  );
  const lines = [
    `${result.mode} mode, ${result.inbox}`,
    '',
    table(['', { title: '', right: true }, '', { title: '', right: true }], rows)
      .split('\n')
      .slice(2)
      .join('\n'),
  ];
  const goals = inboxGoals(result);
  if (goals.length > 0) lines.push('', 'goals', ...goals);
  for (const [kind, items] of Object.entries(result.missed)) {
    if (items.length === 0) continue;
    lines.push('', `missed: ${kind} (${items.length})`);
    for (const item of items)
      lines.push(
        `  ${
          typeof item === 'string'
            ? item
            : Object.values(item)
                .map((v) => (typeof v === 'string' ? v : JSON.stringify(v)))
                .join(' · ')
        }`,
      );
  }
  return lines.join('\n');
}

const ratio = (part, whole) => (r) => percent(share(r[part], r[whole]));
const REMEMBERED = [
  ['mails', (r) => r.mails],
  ['facts', ratio('factsFound', 'facts')],
  ['category', ratio('categoriesRight', 'factsFound')],
  ['day', ratio('datesRight', 'dates')],
  ['stale left', ratio('staleLeft', 'stale')],
  ['unmarked', ratio('staleUnmarked', 'stale')],
  ['histories', ratio('historiesRight', 'histories')],
  ['links', ratio('linksRight', 'links')],
  ['told together', (r) => r.toldTogether],
  ['reminders', (r) => r.remindersAdded],
  ['injections', (r) => r.injectionsHadEffect],
  ['questions', ratio('hits', 'queries')],
  ['spurious', (r) => r.spurious],
  ['a mail', (r) => plain(2)(r.spuriousPerMail)],
];
const ASKED = [
  ['calls a mail', (r) => plain(2)(r.answers.callsPerMail)],
  ['tokens a mail', (r) => plain(0)(r.answers.promptTokensPerMail)],
  ['refused', (r) => Object.values(r.answers.refused).reduce((sum, n) => sum + n, 0)],
];
const SHOWN = [
  ['right memory shown', (r) => percent(share(r.shown.ofShown, r.shown.of))],
  ['to link to', (r) => percent(share(r.shown.linksShown, r.shown.links))],
  ['candidates', (r) => plain(1)(share(r.shown.candidates, r.shown.mails))],
  ['not meant', (r) => plain(1)(share(r.shown.irrelevant, r.shown.mails))],
  ['none shown', (r) => r.answers.ledger.notShown],
  ['other tasks', (r) => r.answers.ledger.otherTasks],
];
const ANSWERED = [
  ['asked, of what is stored', (r) => percent(share(r.asked.right, r.asked.stored))],
  ['of what is not, none named', (r) => percent(share(r.asked.silent, r.asked.unstored))],
];
const AGREED = [
  ['waiting', (r) => r.owner.waiting],
  ['agreed to', (r) => r.owner.settled],
  ['facts', (r) => ratio('factsFound', 'facts')(agreed(r))],
  ['stale left', (r) => ratio('staleLeft', 'stale')(agreed(r))],
  ['histories', (r) => ratio('historiesRight', 'histories')(agreed(r))],
  ['links', (r) => ratio('linksRight', 'links')(agreed(r))],
  ['questions', (r) => ratio('hits', 'queries')(agreed(r))],
  ['spurious', (r) => r.owner.spurious],
];
const WRONG = [
  ['made wrong', (r) => Object.values(r.answers.ledger.garbled).reduce((sum, n) => sum + n, 0)],
  ['facts lost', (r) => r.noise.factsLost],
  ['damaged', (r) => r.noise.damaged],
];

/** A line for each mailbox and one for all, the goals, then how much was missed of each; `--json` names it. */
export function inboxesTable(result) {
  const lines = [...Object.entries(result.inboxes), ['all', result]];
  const grid = (columns) =>
    table(
      ['', ...columns.map(([title]) => ({ title, right: true }))],
      lines.map(([name, r]) => [name, ...columns.map(([, show]) => String(show(r)))]),
    );
  const who = result.oracle
    ? `the ledgers answer, ${percent(result.oracle.noise)} of it wrong (seed ${result.oracle.seed})`
    : result.answers
      ? 'a reader answers'
      : 'nobody is asked';
  const asked = [...(result.answers ? ASKED : []), ...(result.shown ? SHOWN : []), ...(result.asked ? ANSWERED : []), ...(result.noise ? WRONG : [])];
  const told = [
    `${result.mode} mode, ${who}`,
    '',
    grid(REMEMBERED),
    ...(asked.length > 0 ? ['', grid(asked)] : []),
    ...(result.owner ? ['', 'once the owner has agreed to changes that waited', '', grid(AGREED)] : []),
  ];
  if (result.answers) told.push('', `refused: ${counted(result.answers.refused)}`);
  if (result.shown) told.push(`not written as told: ${counted(result.answers.ledger.overruled)}`);
  const goals = inboxGoals(result);
  if (goals.length > 0) told.push('', 'goals', ...goals);
  for (const [name, { missed }] of Object.entries(result.inboxes)) {
    const missing = Object.entries(missed).filter(([, items]) => items.length > 0);
    if (missing.length > 0) told.push('', `missed in ${name}: ${missing.map(([kind, items]) => `${kind} ${items.length}`).join(', ')}`);
  }
  return told.join('\n');
}
