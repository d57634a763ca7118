// The labels of a pair speak as a model would: a well-formed reply to what the engine asks about the pair. It calls nobody, and
// never looks at what the engine thinks of the pair.
import { createHash } from 'node:crypto';
import { DECISIONS, Unusable } from './input.mjs';

const RELATIONS = ['sequential', 'causal', 'prerequisite', 'elaboration', 'reference', 'alternative'];
const CONFLICTS = ['CONTRADICTION', 'UPDATE', 'OVERLAP', 'NONE'];
const KINDS = ['value_change', 'addition', 'removal', 'expansion'];

/** How sure the oracle says to be, also where it is made to say something wrong. */
const CONFIDENCE = 0.95;
/** What the engine takes of a value and of the changes of a pair. */
const MAX_VALUE = 200;
const MAX_CHANGES = 6;

/** The form in which the engine compares words: NFKC, lower case, white space as one blank. */
export const fold = (text) => text.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ');

/** Whether both texts say what a change takes from them. */
export function isSaid({ oldValue, newValue, changeType }, old, next) {
  const stands = (value, text) => typeof value === 'string' && [...value].length <= MAX_VALUE && isWhole(fold(value), fold(text));
  if (changeType === 'addition') return oldValue === null && stands(newValue, next);
  if (changeType === 'removal') return newValue === null && stands(oldValue, old);
  return stands(oldValue, old) && stands(newValue, next) && fold(oldValue) !== fold(newValue);
}

/** Whether words stand in a text as whole words: behind a Korean word or a name a particle may follow, behind a figure its unit may not. */
function isWhole(words, text) {
  if (words === '') return false;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const [before, after] = [text.slice(0, at).at(-1) ?? ' ', text.slice(at + words.length)[0] ?? ' '];
    const opens = !/[\p{L}\p{N}]/u.test(before) || !/[\p{L}\p{N}]/u.test(words[0]);
    const last = words.at(-1);
    const closes =
      !/[\p{L}\p{N}%]/u.test(after) ||
      !/[\p{L}\p{N}]/u.test(last) ||
      (/[은는이가을를에로의와과도까부]/u.test(after) && !/[가-힣]/u.test(last)) ||
      (/[가-힣]/u.test(last) && words.length > 1 && /[가-힣]/u.test(after));
    if (opens && closes) return true;
  }
  return false;
}

const MARKS = /^[^\p{L}\p{N}\p{Sc}]+|[^\p{L}\p{N}\p{Sc}\p{So}%‰]+$/gu;
const words = (text) => [...text.matchAll(/\S+/gu)].map((m) => ({ from: m.index, to: m.index + m[0].length, key: fold(m[0]).replace(MARKS, '') }));

/** The longest stretch of words of a text that `other` has none of; null where there is none. */
function ownWords(text, other) {
  const theirs = new Set(words(other).map((w) => w.key));
  let [best, run] = [null, null];
  for (const word of words(text)) {
    if (word.key === '' || theirs.has(word.key)) run = null;
    else if (run === null || word.to - run.from > MAX_VALUE) run = { from: word.from, to: word.to };
    else run.to = word.to;
    if (run !== null && (best === null || run.to - run.from > best.to - best.from)) best = { ...run };
  }
  return best && cut(text.slice(best.from, best.to).replace(MARKS, ''));
}

/** As much as a value may have, cut between words where there is more than one. */
const cut = (text) =>
  text.length <= MAX_VALUE
    ? text
    : text
        .slice(0, MAX_VALUE + 1)
        .replace(/\s\S*$/u, '')
        .slice(0, MAX_VALUE);

/** A change in the words of two texts, whatever they are. */
export function difference(old, next, property = '') {
  const [oldValue, newValue] = [ownWords(old, next), ownWords(next, old)];
  const change = (changeType, from, to) => ({ property, oldValue: from, newValue: to, changeType });
  if (oldValue !== null && newValue !== null) return change('value_change', oldValue, newValue);
  if (newValue === null && oldValue !== null) return change('removal', oldValue, null);
  return change('addition', null, newValue ?? cut(next.trim()));
}

/** The changes of an update: those of the label that the texts say, else one taken from the texts. */
function changesOf(row, old, next) {
  const labelled = (row.propertyChanges ?? []).filter((c) => KINDS.includes(c.changeType));
  const plain = labelled.map(({ property, oldValue, newValue, changeType }) => ({
    property: property ?? '',
    oldValue: oldValue ?? null,
    newValue: newValue ?? null,
    changeType,
  }));
  const said = plain.filter((c) => isSaid(c, old, next)).slice(0, MAX_CHANGES);
  return said.length > 0 ? said : [difference(old, next, plain[0]?.property)];
}

/** Three numbers from 0 up to 1 that follow from what they are drawn for. */
export function draws(...of) {
  const hash = createHash('sha256').update(of.join('\u0000')).digest();
  return [0, 4, 8].map((at) => hash.readUInt32BE(at) / 2 ** 32);
}

/**
 * What is answered about a row, the n-th time it is asked: its label, or with the chance `noise` one of the other three. The draw
 * follows from seed, row and n alone, so that two engines hear the same mistakes.
 */
export function opinion(row, { noise = 0, seed = 1, nth = 0 } = {}) {
  const [chance, which, relation] = draws(seed, row.id ?? `${row.file}:${row.line}`, nth);
  if (chance >= noise) return { outcome: row.expected, relation: row.relationshipType ?? 'reference', wrong: false };
  const others = DECISIONS.filter((d) => d !== row.expected);
  return { outcome: others[Math.floor(which * others.length)], relation: RELATIONS[Math.floor(relation * RELATIONS.length)], wrong: true };
}

/** What the label says of a stored and a new text as they were sent, as the entry of a reply. */
function entry(row, said, handle, old, next) {
  const base = { category: 'misc', gone: [], people: [], links: [], analysis: null };
  if (said.outcome === 'SKIP') return { ...base, op: 'repeat', of: handle };
  const tells = { ...base, text: next, evidence: cut(next.trim()) };
  if (said.outcome === 'CREATE') return { ...tells, op: 'new' };
  const updates = said.outcome === 'UPDATE';
  const changes = !updates ? [] : said.wrong ? [difference(old, next)] : changesOf(row, old, next);
  const subjects = [row.subjectA, row.subjectB].map((subject) => (subject ?? '').slice(0, MAX_VALUE));
  const why = (!said.wrong && row.reasoning) || (/[가-힣]/.test(next) ? '표지에 그렇게 적혀 있습니다.' : 'The label says so.');
  const named = changes.map(({ property, oldValue, newValue }) => ({ property, old: oldValue, new: newValue }));
  const analysis = { subjects, changes: named, why, factors: [], sure: CONFIDENCE };
  return updates ? { ...tells, op: 'update', of: handle, analysis } : { ...tells, op: 'new', links: [{ to: handle, type: said.relation }], analysis };
}

/** A value with the fields of a schema alone, and what it lacks of the required ones as nothing. */
export function shaped(value, schema = {}) {
  const types = [schema.type].flat();
  if (value === undefined) {
    if (types.includes('null') || schema.enum?.includes(null)) return null;
    if (schema.enum) return schema.enum[0];
    const nothing = { string: '', number: 0, integer: 0, boolean: false, array: [] };
    return types[0] in nothing ? nothing[types[0]] : shaped({}, schema);
  }
  if (Array.isArray(value)) return value.map((item) => shaped(item, schema.items));
  if (typeof value !== 'object' || value === null || !schema.properties) return value;
  const wanted = Object.keys(schema.properties).filter((name) => name in value || schema.required?.includes(name));
  return Object.fromEntries(wanted.map((name) => [name, shaped(value[name], schema.properties[name])]));
}

/** A reply to a question about a row's pair, in the form that the question's schema wants. */
export function replyTo(question, row, said) {
  const { candidates = [], schema = {} } = question;
  if (question.task !== 'mail' || candidates.length !== 1) {
    throw new Error(`the labels of a pair do not answer this: ${question.task}, ${candidates.length} stored`);
  }
  const [{ handle, content }] = candidates;
  return shaped({ entries: [entry(row, said, handle, content, row.next.content)] }, schema);
}

/** Refuses labels that no reply could repeat. */
export function checkLabels(row) {
  const known = (name, words) => {
    const word = row[name];
    if (word !== undefined && word !== null && !words.includes(word)) {
      throw new Unusable(`${row.where}: \`${name}\` is ${JSON.stringify(word)}, not one of ${words.join(', ')}`);
    }
  };
  known('relationshipType', RELATIONS);
  known('conflict', CONFLICTS);
  const changes = row.propertyChanges ?? [];
  const isChange = (c) => typeof c === 'object' && c !== null && KINDS.includes(c.changeType);
  if (!Array.isArray(changes) || !changes.every(isChange)) throw new Unusable(`${row.where}: \`propertyChanges\` is not a list of changes`);
}
