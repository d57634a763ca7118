// `--search`: questions over correct memories. Each mailbox's facts are stored as its ledger words them at the end, so that only search
// can fail. Questions whose language no expected fact is written in are counted apart.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { zoneOf } from './inbox.mjs';
import { expectations, mailbox, Unusable } from './input.mjs';
import { ledger } from './ledger.mjs';
import { heads } from './mbox.mjs';
import { percent } from './show.mjs';
import { holdsAll, normal } from './text.mjs';
import { table } from '../../www/terminal/table.mjs';

/** Every fact is stored as a memory of its own: no pair is alike enough to be merged. */
const APART = { mode: 'fast', bands: { skip: 1, update: 1, link: 1 } };
const GROUPS = { development: '', kept: 'kept/' };
const MORNING = 'T09:00:00';

const bare = (id) => id.trim().replace(/^<|>$/g, '');
const isKorean = (text) => /\p{Script=Hangul}/u.test(text);

/** The facts of a ledger as they stand at the end: drafts of memories, each with its fact's id. */
export function correctMemories(book, dates, offset) {
  const entities = new Map(book.messages.flatMap((id) => book.of(id)).map((e) => [e.fact, e.entities]));
  return [...book.standing().values()].map(({ fact, value, message, category, day }) => {
    const statedAt = dates.get(bare(message));
    return {
      fact,
      draft: { content: value, category, entities: entities.get(fact), ...(statedAt && { statedAt }), ...(day && { occurredAt: `${day}${MORNING}${offset}` }) },
    };
  });
}

/** Whether the memories that were found answer a query: each expected fact is among them, and none that lies outside of its time. */
export function answers(query, facts, found) {
  const meets = (memory, id) => memory.fact === id || holdsAll(normal(memory.content), facts.get(id).anyOf);
  const meetsAny = (memory, ids = []) => ids.some((id) => meets(memory, id));
  return query.expect.every((id) => found.some((m) => meets(m, id))) && !found.some((m) => meetsAny(m, query.avoid) && !meetsAny(m, query.expect));
}

/** Puts the questions of a mailbox to its correct memories; gives each with what was found. */
export async function searched({ bytes, expected, book }, open, embedder) {
  const memories = await open({
    storage: 'memory',
    policy: APART,
    zone: zoneOf(expected.asOf),
    ...(expected.me ? { owner: [expected.me] } : {}),
    ...(embedder ? { embedder } : {}),
  });
  try {
    const dates = new Map(
      heads(bytes)
        .filter((h) => h.date)
        .map((h) => [bare(h.id), h.date]),
    );
    const offset = /(?:Z|[+-]\d{2}:?\d{2})$/.exec(expected.asOf)?.[0] ?? 'Z';
    const stored = new Map();
    for (const { fact, draft } of correctMemories(book, dates, offset)) stored.set((await memories.add(draft)).memory.id, fact);
    if (embedder) {
      const { waiting, stopped } = await memories.model.reembed();
      if (waiting > 0) throw new Unusable(`the embedder left ${waiting} texts out${stopped ? `: ${stopped}` : ''}`);
    }
    const facts = new Map(expected.current.map((f) => [f.id, f]));
    const texts = new Map([...stored].map(([id, fact]) => [fact, id]));
    const results = [];
    for (const query of expected.queries) {
      const hits = await memories.search(query.q, { limit: query.k, now: query.at ?? expected.asOf });
      const found = hits.map((h) => ({ content: h.memory.content, fact: stored.get(h.memory.id), score: h.score, relevance: h.relevance }));
      const wanted = [];
      for (const id of query.expect) wanted.push(texts.has(id) ? (await memories.get(texts.get(id))).content : facts.get(id).about);
      const acrossLanguages = wanted.every((text) => isKorean(text) !== isKorean(query.q));
      results.push({ q: query.q, expect: query.expect, limit: query.k, answered: answers(query, facts, found), acrossLanguages, wanted, found });
    }
    return results;
  } finally {
    await memories.close();
  }
}

/** The embedder of a module: its default export makes vectors of texts, told whether they are queries or documents. */
async function embedderOf(path) {
  if (path === undefined) return undefined;
  let module;
  try {
    module = await import(pathToFileURL(resolve(path)).href);
  } catch (e) {
    throw new Unusable(`${path}: ${e.message}`);
  }
  if (typeof module.default !== 'function') throw new Unusable(`${path}: has no default export that embeds texts`);
  return { model: path, embed: (texts, call) => module.default(texts, call) };
}

/** Axes on which texts that are neither facts nor questions differ by their letters. */
const LETTERS = 256;

/** An embedder that knows each question's facts: the most that fusing can make of one. Every fact is an axis; a question lies among its own. */
export function perfect({ expected, book }) {
  const standing = [...book.standing().values()];
  const axes = new Map(standing.map(({ fact }, n) => [fact, n]));
  const facts = new Map(standing.map(({ fact, value }) => [value.trim(), [fact]]));
  const questions = new Map(expected.queries.map(({ q, expect }) => [q.trim(), expect]));
  const vector = (text, kind) => {
    const own = (kind === 'query' ? questions : facts).get(text.trim()) ?? [];
    const at = own.map((fact) => axes.get(fact)).filter((n) => n !== undefined);
    const row = new Float32Array(axes.size + LETTERS);
    for (const n of at) row[n] = 1;
    if (at.length === 0)
      for (let i = 0; i + 2 < text.length; i++)
        row[axes.size + (((text.charCodeAt(i) * 31 + text.charCodeAt(i + 1)) * 31 + text.charCodeAt(i + 2)) % LETTERS)] += 1;
    return row;
  };
  return { model: 'perfect', embed: async (texts, { kind }) => texts.map((text) => vector(text, kind)) };
}

const share = (results) => ({ questions: results.length, answered: results.filter((r) => r.answered).length });
const figures = (results) => ({ ...share(results), acrossLanguages: share(results.filter((r) => r.acrossLanguages)) });

/** The questions of all mailboxes with a ledger, in two groups. */
export async function measureSearch({ json, embedder: path, encoder }, { open }, dir = fileURLToPath(new URL('../inbox/', import.meta.url))) {
  const embedder = path === 'perfect' ? undefined : (encoder ?? (await embedderOf(path)));
  const groups = {};
  for (const [group, folder] of Object.entries(GROUPS)) {
    const inboxes = {};
    for (const file of readdirSync(dir + folder)
      .filter((f) => f.endsWith('.ledger.jsonl'))
      .sort()) {
      const name = file.replace('.ledger.jsonl', '');
      const at = `${dir}${folder}${name}`;
      const given = { bytes: await mailbox(`${at}.mbox`), expected: await expectations(`${at}.expect.json`), book: await ledger(`${at}.ledger.jsonl`) };
      if (given.expected.queries.length > 0) inboxes[name] = await searched(given, open, embedder ?? (path === 'perfect' ? perfect(given) : undefined));
    }
    groups[group] = { ...figures(Object.values(inboxes).flat()), inboxes };
  }
  return json ? JSON.stringify({ embedder: encoder?.model ?? path ?? null, groups }) : searchTable(groups);
}

/** A line for each mailbox and each group. */
export function searchTable(groups) {
  const of = ({ questions, answered }) => [String(questions), questions === 0 ? '–' : percent(answered / questions)];
  const row = (name, f) => [name, ...of(f), ...of(f.acrossLanguages)];
  const rows = Object.entries(groups).flatMap(([group, { inboxes, ...all }]) => [
    ...Object.entries(inboxes).map(([name, results]) => row(name, figures(results))),
    row(group, all),
  ]);
  const right = (title) => ({ title, right: true });
  return table(['', right('questions'), right('answered'), right('across languages'), right('answered')], rows);
}
