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
  rows.push(['model calls', String(result.modelCalls), '', ''], ['would ask', `${result.wouldAsk.calls} calls, ${result.wouldAsk.tokens} tokens`, '', ''], ['mails', String(result.mails), '', '']);
  const lines = [`${result.mode} mode, ${result.inbox}`, '', table(['', { title: '', right: true }, '', { title: '', right: true }], rows).split('\n').slice(2).join('\n')];
  for (const [kind, items] of Object.entries(result.missed)) {
    if (items.length === 0) continue;
    lines.push('', `missed: ${kind} (${items.length})`);
    for (const item of items) lines.push(`  ${typeof item === 'string' ? item : Object.values(item).map((v) => (typeof v === 'string' ? v : JSON.stringify(v))).join(' · ')}`);
  }
  return lines.join('\n');
}
