#!/usr/bin/env node
// Scores what a memory system holds after reading a mailbox. One file, no dependency: plain Node 20 or later.
//
//   node score.mjs MANIFEST.json RESULT.json… [--split test|development] [--json] [--missed]
//
// MANIFEST.json is the data set's manifest. A RESULT.json holds the output of one system:
//
//   { "system": "NAME VERSION",
//     "mailboxes": { "wren": {
//       "memories": [{ "id": "1", "text": "…",       what the memory says
//                      "properties": ["…"],          optional: values that the system stores beside the text
//                      "days": ["2025-09-16"],       optional: days of the event, stored beside the text
//                      "current": true,              optional: false for an old or deleted memory
//                      "doubtful": false,            optional: true if the system marks the memory as unconfirmed or possibly outdated
//                      "sources": ["<id@host>"],     optional: Message-IDs that the memory is from
//                      "versions": [{ "text": "…" }] }],   optional: oldest first, the last one is the memory itself
//       "links": [{ "from": "1", "to": "2", "type": "sequential" }],   optional
//       "answers": [{ "q": "…", "memories": ["1", "2"] }] } } }        ids of the memories found for each question, best first
//
// The matching is a copy of tests/eval/text.mjs, so that this file can be published alone; a test compares both.
// A version has a memory's text, properties and days. A system without versions, links or sources gets "–" there. Matching is by substring (README.md); no model judges anything.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const KEPT = '\u0000';

/** NFKC, lower case, no thousands commas, no white space except one blank between two digits. */
export function normal(text) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\p{Nd}),(?=\p{Nd}{3}(?!\p{Nd}))/gu, '')
    .replace(/(?<=\p{Nd})\s+(?=\p{Nd})/gu, KEPT)
    .replace(/\s+/gu, '')
    .replaceAll(KEPT, ' ');
}

const isDigit = (c) => c !== undefined && /\p{Nd}/u.test(c);

/** Whether a normalised text holds a needle. A needle that begins or ends with a digit does not match inside a number. */
function holds(text, needle) {
  const wanted = normal(needle);
  if (wanted === '') return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const inNumber = (isDigit(wanted[0]) && isDigit(text[at - 1])) || (isDigit(wanted.at(-1)) && isDigit(text[at + wanted.length]));
    if (!inNumber) return true;
  }
  return false;
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** A day in words, in both languages of the data set. */
function dayInWords(iso) {
  const [year, month, day] = iso.split('-').map(Number);
  return `${day} ${MONTHS[month - 1]} ${year} / ${year}년 ${month}월 ${day}일`;
}

const fullText = ({ text, properties = [], days = [] }) => [text, ...properties, ...days.map(dayInWords)].join(' · ');

/** A matcher: whether a memory holds at least one needle of each list. Each text is normalised once. */
function matcher() {
  const normalised = new Map();
  return (memory, lists) => {
    const text = fullText(memory);
    if (!normalised.has(text)) normalised.set(text, normal(text));
    return lists.every((any) => any.some((needle) => holds(normalised.get(text), needle)));
  };
}

/** Whether the expected values occur in the versions in their order, the last one in the latest version. */
function historyHolds(says, versions, anyOf) {
  if (anyOf.length === 0) return true;
  if (versions.length === 0 || !says(versions.at(-1), [anyOf.at(-1)])) return false;
  let next = 0;
  for (const version of versions.slice(0, -1)) {
    if (next < anyOf.length - 1 && says(version, [anyOf[next]])) next += 1;
  }
  return next === anyOf.length - 1;
}

/** From the ledger: the texts of matters that are over at the end, and the earlier values of facts that changed. */
function fromLedger(mails, expected) {
  const wanted = new Set(expected.current.map((f) => f.id));
  const [last, values] = [new Map(), new Map()];
  for (const { says } of mails) {
    for (const said of says) {
      if (said.is === 'repeat') continue;
      last.set(said.fact, said);
      values.set(said.fact, [...(values.get(said.fact) ?? []), normal(said.value)]);
    }
  }
  const over = [...last.values()].filter((said) => !wanted.has(said.fact));
  const overValues = new Set(over.map((said) => normal(said.value)));
  const overQuotes = over.map((said) => normal(said.quote));
  const earlier = new Set([...values.values()].flatMap((all) => all.filter((value) => value !== all.at(-1))));
  return {
    isOver: (text) => overValues.has(normal(text)) || overQuotes.some((quote) => normal(text).includes(quote)),
    isEarlier: (text) => earlier.has(normal(text)),
  };
}

/**
 * Counts for one mailbox: `expected` is the parsed *.expect.json, `ledger` the parsed lines of *.ledger.jsonl (none: []).
 * What the system does not report (`versions`, `links`, `sources`) is null. `missed` lists what went wrong.
 */
export function score(result, expected, ledger = []) {
  const says = matcher();
  const { isOver, isEarlier } = fromLedger(ledger, expected);
  const byId = new Map(result.memories.map((m) => [m.id, m]));
  const current = result.memories.filter((m) => m.current !== false);
  const meeting = new Map(expected.current.map((f) => [f.id, current.filter((m) => says(m, f.anyOf))]));
  const anyOf = new Map(expected.current.map((f) => [f.id, f.anyOf]));
  const offends = (m, rule) => says(m, rule.needles) && !(rule.unless?.length && says(m, rule.unless));
  const isOutdated = (m) => expected.notCurrent.some((rule) => offends(m, rule));
  const missed = { facts: [], outdated: [], histories: [], links: [], questions: [], spurious: [] };

  const found = expected.current.filter((f) => meeting.get(f.id).length > 0);
  for (const f of expected.current) if (meeting.get(f.id).length === 0) missed.facts.push({ id: f.id, about: f.about });
  const hasSources = result.memories.some((m) => m.sources !== undefined);
  const isSourced = (f) => meeting.get(f.id).some((m) => m.sources?.some((id) => f.messages.includes(id)));

  let outdatedUnmarked = 0;
  for (const rule of expected.notCurrent) {
    const offending = current.filter((m) => offends(m, rule));
    if (offending.length > 0) missed.outdated.push({ id: rule.id, memories: offending.map((m) => m.text) });
    if (offending.some((m) => !m.doubtful)) outdatedUnmarked += 1;
  }

  const hasVersions = result.memories.some((m) => m.versions !== undefined);
  for (const history of expected.history) {
    const chains = meeting.get(history.fact).map((m) => m.versions ?? [m]);
    if (!chains.some((chain) => historyHolds(says, chain, history.anyOf))) missed.histories.push({ fact: history.fact, values: history.values });
  }

  for (const link of expected.links) {
    const ids = (fact) => new Set(meeting.get(fact).map((m) => m.id));
    const [from, to] = [ids(link.from), ids(link.to)];
    const joins = (l) => (from.has(l.from) && to.has(l.to)) || (from.has(l.to) && to.has(l.from));
    if (!(result.links ?? []).some((l) => l.from !== l.to && joins(l) && link.types.includes(l.type))) missed.links.push({ from: link.from, to: link.to });
  }

  const asked = { at1: 0, at3: 0, at5: 0, atLimit: 0, outdatedAt3: 0 };
  const answers = new Map(result.answers.map((a) => [a.q, a.memories.map((id) => byId.get(id))]));
  for (const query of expected.queries) {
    const ranked = answers.get(query.q) ?? [];
    const meets = (m, ids) => ids.some((id) => says(m, anyOf.get(id)));
    const isAnswered = (k) => {
      const shown = ranked.slice(0, k);
      return (
        query.expect.every((id) => shown.some((m) => says(m, anyOf.get(id)))) && !shown.some((m) => meets(m, query.avoid ?? []) && !meets(m, query.expect))
      );
    };
    if (isAnswered(1)) asked.at1 += 1;
    if (isAnswered(3)) asked.at3 += 1;
    if (isAnswered(5)) asked.at5 += 1;
    if (isAnswered(query.k)) asked.atLimit += 1;
    else missed.questions.push({ q: query.q, expect: query.expect, got: ranked.slice(0, query.k).map((m) => m.text) });
    if (ranked.slice(0, 3).some(isOutdated)) asked.outdatedAt3 += 1;
  }

  const wanted = new Set([...meeting.values()].flat());
  const spurious = current.filter((m) => !wanted.has(m) && !isOver(m.text));
  missed.spurious = spurious.map((m) => m.text);
  return {
    facts: expected.current.length,
    factsFound: found.length,
    factsSourced: hasSources ? found.filter(isSourced).length : null,
    histories: expected.history.length,
    historiesRight: hasVersions ? expected.history.length - missed.histories.length : null,
    outdated: expected.notCurrent.length,
    outdatedLeft: missed.outdated.length,
    outdatedUnmarked,
    links: expected.links.length,
    linksRight: result.links === undefined ? null : expected.links.length - missed.links.length,
    questions: expected.queries.length,
    ...asked,
    memories: current.length,
    spurious: spurious.length,
    spuriousEarlier: spurious.filter((m) => isEarlier(m.text)).length,
    missed,
  };
}

/** The sum over several mailboxes. A count that a system does not report in all of them is null. */
export function together(scores) {
  const names = Object.keys(scores[0]).filter((name) => name !== 'missed');
  return Object.fromEntries(names.map((name) => [name, scores.some((s) => s[name] === null) ? null : scores.reduce((sum, s) => sum + s[name], 0)]));
}

const share = (part, whole) => (part === null ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

/** Columns of the table: title, cell. */
const COLUMNS = [
  ['facts found', (s) => share(s.factsFound, s.facts)],
  ['naming their mail', (s) => share(s.factsSourced, s.facts)],
  ['histories', (s) => share(s.historiesRight, s.histories)],
  ['outdated, unmarked', (s) => share(s.outdatedUnmarked, s.outdated)],
  ['links', (s) => share(s.linksRight, s.links)],
  ['answered at 1', (s) => share(s.at1, s.questions)],
  ['at 3', (s) => share(s.at3, s.questions)],
  ['at 5', (s) => share(s.at5, s.questions)],
  ['outdated among 3', (s) => share(s.outdatedAt3, s.questions)],
  ['memories', (s) => String(s.memories)],
  ['spurious (earlier values)', (s) => `${s.spurious} (${s.spuriousEarlier})`],
];

/** A Markdown table: one row for each system. */
export const table = (rows) =>
  [
    `| | ${COLUMNS.map(([title]) => title).join(' | ')} |`,
    `|---|${COLUMNS.map(() => '--:').join('|')}|`,
    ...rows.map(({ system, all }) => `| ${system} | ${COLUMNS.map(([, cell]) => cell(all)).join(' | ')} |`),
  ].join('\n');

const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const lines = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));

/** The mailboxes of a split, with the absolute paths of their files. */
export function mailboxes(manifest, split) {
  const at = (file) => file && resolve(dirname(manifest), file);
  return json(manifest)
    .mailboxes.filter((m) => m.split === split)
    .map((m) => ({ ...m, mbox: at(m.mbox), expect: at(m.expect), ledger: at(m.ledger) }));
}

/** The scores of one system on a split: of each mailbox, and of all. */
export function scoreSystem(result, manifest, split) {
  const scores = {};
  for (const { name, expect, ledger } of mailboxes(manifest, split)) {
    if (result.mailboxes[name] === undefined) throw new Error(`${result.system}: mailbox ${name} is missing`);
    scores[name] = score(result.mailboxes[name], json(expect), ledger ? lines(ledger) : []);
  }
  return { system: result.system, all: together(Object.values(scores)), mailboxes: scores };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { parseArgs } = await import('node:util');
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { split: { type: 'string', default: 'test' }, json: { type: 'boolean' }, missed: { type: 'boolean' } },
  });
  const [manifest, ...results] = positionals;
  if (results.length === 0) {
    process.stderr.write('Usage: node score.mjs MANIFEST.json RESULT.json… [--split test|development] [--json] [--missed]\n');
    process.exit(2);
  }
  const scored = results.map((path) => scoreSystem(json(path), manifest, values.split));
  const withoutMissed = (name, value) => (name === 'missed' && !values.missed ? undefined : value);
  process.stdout.write(`${values.json || values.missed ? JSON.stringify(scored, withoutMissed, 1) : table(scored)}\n`);
}
