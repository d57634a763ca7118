// Reads what a user names on the command line. What can't be used is a `Unusable` that says where.
import { readFile } from 'node:fs/promises';

/** Input that can't be used: the program ends with status 2. */
export class Unusable extends Error {}

/** Input that the engine refuses is unusable; any other failure is a fault of the engine. */
export const REFUSALS = ['invalid_field', 'unknown_field', 'invalid_input', 'too_large', 'invalid_mail'];

async function bytes(path) {
  try {
    return await readFile(path);
  } catch (e) {
    throw new Unusable(`${path}: ${e.code === 'ENOENT' ? 'no such file' : e.code === 'EISDIR' ? 'is a directory' : e.message}`);
  }
}

async function text(path) {
  const raw = await bytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw);
  } catch {
    const good = new TextDecoder('utf-8').decode(raw).split('\uFFFD')[0];
    throw new Unusable(`${path}:${good.split('\n').length}: is not UTF-8`);
  }
}

/** The raw bytes of a mailbox: it need not be valid UTF-8. */
export const mailbox = bytes;

/** The four decisions, as labels and replies spell them. */
export const DECISIONS = ['SKIP', 'UPDATE', 'CREATE_AND_LINK', 'CREATE'];
const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);
const isText = (v) => typeof v === 'string';
const isList = (v) => Array.isArray(v) && v.every(isText);
const orNull = (rule) => (v) => v === undefined || v === null || rule(v);

/** What a side of a pair may hold, and the rule for each. */
const SIDE = {
  content: isText,
  category: orNull(isText),
  subject: orNull(isText),
  threadId: orNull(isText),
  people: orNull(isList),
  entities: orNull(isList),
  occurredAt: orNull(isText),
  sourceType: orNull(isText),
};

function side(row, name, where) {
  const value = row[name];
  if (!isObject(value)) throw new Unusable(`${where}: \`${name}\` is not an object`);
  const draft = {};
  for (const [field, rule] of Object.entries(SIDE)) {
    if (!rule(value[field])) throw new Unusable(`${where}: \`${name}.${field}\` is missing or of the wrong type`);
    if (value[field] !== undefined && value[field] !== null) draft[field] = value[field];
  }
  return draft;
}

/** The objects of a JSON Lines file, each with its line's number and place; blank lines are passed over. */
export async function objects(path) {
  const found = [];
  for (const [n, line] of (await text(path))
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const where = `${path}:${n + 1}`;
    let value;
    try {
      value = JSON.parse(line);
    } catch (e) {
      throw new Unusable(`${where}: is not JSON (${e.message})`);
    }
    if (!isObject(value)) throw new Unusable(`${where}: is not a JSON object`);
    found.push({ value, where, line: n + 1 });
  }
  return found;
}

/** The labelled pairs of a JSON Lines file. */
export async function pairs(path) {
  return (await objects(path)).map(({ value: row, where, line }) => {
    if (!DECISIONS.includes(row.expected)) {
      throw new Unusable(`${where}: \`expected\` is ${JSON.stringify(row.expected)}, not one of ${DECISIONS.join(', ')}`);
    }
    return { ...row, where, file: path, line, existing: side(row, 'existing', where), next: side(row, 'new', where) };
  });
}

/** The first line with which a text can no longer be the beginning of JSON: no token spans two lines. */
function faultyLine(source) {
  const lines = source.split('\n');
  const begins = (count) => {
    const start = lines.slice(0, count).join('\n');
    try {
      JSON.parse(start);
      return true;
    } catch (e) {
      // What is wrong is only that nothing follows.
      return /end of JSON input/.test(e.message) || e.message.includes(`position ${start.length}`);
    }
  };
  let [good, bad] = [0, lines.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (begins(middle)) good = middle;
    else bad = middle;
  }
  return bad;
}

const isLists = (v) => Array.isArray(v) && v.every(isList);

/** What is expected of an inbox, with every reference to a fact checked. */
export async function expectations(path) {
  const source = (await text(path)).replace(/^\uFEFF/, '');
  let value;
  try {
    value = JSON.parse(source);
  } catch (e) {
    throw new Unusable(`${path}:${faultyLine(source)}: is not JSON (${e.message})`);
  }
  const bad = (what) => new Unusable(`${path}: ${what}`);
  if (!isObject(value)) throw bad('is not a JSON object');
  if (!isText(value.asOf) || Number.isNaN(Date.parse(value.asOf))) throw bad('`asOf` is not an ISO time');
  if (!orNull(isText)(value.me)) throw bad('`me` is not an address');
  const lists = ['current', 'notCurrent', 'history', 'links', 'noNewMemory', 'injections', 'queries'];
  for (const name of lists) {
    value[name] ??= [];
    if (!Array.isArray(value[name])) throw bad(`\`${name}\` is not a list`);
  }
  const each = (name, rules) => {
    for (const [i, item] of value[name].entries()) {
      if (!isObject(item)) throw bad(`\`${name}[${i}]\` is not an object`);
      for (const [field, rule] of Object.entries(rules)) {
        if (!rule(item[field])) throw bad(`\`${name}[${i}].${field}\` is missing or of the wrong type`);
      }
    }
  };
  each('current', { id: isText, anyOf: isLists, category: orNull(isText), occurredAt: orNull(isText) });
  const facts = new Set(value.current.map((f) => f.id));
  const isFact = (v) => facts.has(v);
  const isFacts = (v) => Array.isArray(v) && v.every(isFact);
  each('notCurrent', { needles: isLists, unless: orNull(isLists) });
  each('history', { fact: isFact, anyOf: isLists });
  each('links', { from: isFact, to: isFact, types: isList });
  each('injections', { message: isText, needles: orNull(isLists), unless: orNull(isLists), keep: orNull(isFacts) });
  each('queries', {
    q: isText,
    expect: isFacts,
    k: (v) => Number.isInteger(v) && v > 0,
    avoid: orNull(isFacts),
    at: orNull(isText),
    from: orNull(isText),
    to: orNull(isText),
  });
  if (!isList(value.noNewMemory)) throw bad('`noNewMemory` is not a list of Message-IDs');
  return value;
}
