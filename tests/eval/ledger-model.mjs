// The ledger of a mailbox speaks as a model would that reads a mail beside what is remembered. It knows memories by the words that
// it gave them alone, and never looks at what the engine thinks.
import { garbled } from './garble.mjs';
import { draws, fold } from './oracle.mjs';

/** What a mail says of each fact, once: the last value, and all the links and names. */
function oncePerFact(entries) {
  const facts = new Map();
  for (const entry of entries) {
    const before = facts.get(entry.fact);
    if (before === undefined) {
      facts.set(entry.fact, entry);
      continue;
    }
    const last = entry.op === 'repeat' ? before : entry;
    facts.set(entry.fact, {
      ...last,
      op: before.op === 'new' ? 'new' : last.op,
      of: before.of,
      day: last.day ?? before.day,
      entities: [...new Set([...before.entities, ...entry.entities])],
      links: [...before.links, ...entry.links],
    });
  }
  return [...facts.values()];
}

/** Each entry behind those of the same mail that it links to, else in their order: a link names only what stands before it. */
function inOrder(entries) {
  const [ordered, seen] = [[], new Set()];
  const put = (entry) => {
    if (seen.has(entry)) return;
    seen.add(entry);
    for (const { to } of entry.links) entries.filter((e) => e.fact === to).forEach(put);
    ordered.push(entry);
  };
  entries.forEach(put);
  return ordered;
}

/** One run's model. `heard` has what it was shown for each mail, `told` what it said, `counts` what it had to do without. */
export class LedgerModel {
  #book;
  #people;
  #noise;
  #seed;
  #given = new Map();
  #asked = new Map();
  heard = [];
  told = [];
  garbledFacts = new Set();
  counts = { entries: 0, notShown: 0, notNamed: 0, unknown: 0, otherTasks: 0, garbled: {} };

  /** `people`: the names that are a person's. `noise`: the share of entries that go wrong, by `seed`. */
  constructor(book, { people = new Set(), noise = 0, seed = 1 } = {}) {
    this.#book = book;
    this.#people = people;
    this.#noise = noise;
    this.#seed = seed;
  }

  /** The texts that it gave a fact, oldest first. */
  textsOf(fact) {
    return this.#given.get(fact) ?? [];
  }

  /** Whether it said something of a fact, so that there may be a memory. */
  #isTold(fact) {
    return this.#given.has(fact);
  }

  /** The candidate that is the memory of a fact. */
  #memoryOf(fact, candidates) {
    for (const text of this.textsOf(fact).toReversed()) {
      const found = candidates.find((c) => fold(c.content) === fold(text));
      if (found) return found;
    }
    return null;
  }

  #linksOf(said, own, candidates, before) {
    const links = [];
    for (const { to, type } of said.links) {
      const at = before.findLastIndex((e) => e.fact === to);
      const handle = this.#memoryOf(to, candidates)?.handle ?? (at < 0 ? null : `E${at + 1}`);
      if (handle === null) this.counts.notNamed += 1;
      else if (handle !== own && !links.some((l) => l.to === handle)) links.push({ to: handle, type });
    }
    return links;
  }

  #entryOf(said, candidates, before) {
    const handle = this.#memoryOf(said.fact, candidates)?.handle ?? null;
    if (handle === null && this.#isTold(said.fact)) this.counts.notShown += 1;
    // Of a mail that comes late, what was new then is an earlier state of a memory.
    const op = handle === null ? 'new' : said.op === 'new' ? 'update' : said.op;
    const tells = op !== 'repeat';
    return {
      op,
      of: handle,
      with: null,
      text: tells ? said.value : null,
      gone: [],
      category: tells ? said.category : null,
      day: tells ? said.day : null,
      people: said.entities.filter((name) => this.#people.has(name)),
      links: this.#linksOf(said, handle, candidates, before),
      evidence: said.quote,
    };
  }

  /** What was meant of what it was shown: the older facts that the mail changes, repeats or links to, each with its handle. */
  #hear(source, told, candidates) {
    const here = new Set(told.map((s) => s.fact));
    const linked = new Set(told.flatMap((s) => s.links.map((l) => l.to)).filter((fact) => !here.has(fact)));
    const meant = [
      ...told.filter((s) => this.#isTold(s.fact)).map((s) => ({ fact: s.fact, as: 'of' })),
      ...[...linked].map((fact) => ({ fact, as: 'link' })),
    ].map((m) => ({ ...m, handle: this.#memoryOf(m.fact, candidates)?.handle ?? null }));
    const handles = new Set(meant.map((m) => m.handle));
    this.heard.push({ source, candidates: candidates.length, irrelevant: candidates.filter((c) => !handles.has(c.handle)).length, meant });
  }

  #garbled(entry, said, source, question, nth) {
    const { language, candidates = [] } = question;
    const [chance, which, draw] = draws(this.#seed, source, said.fact, nth);
    if (chance >= this.#noise) return { entry, more: null };
    const wrong = garbled({ entry, value: said.value, candidates, language, which, draw });
    this.garbledFacts.add(said.fact);
    this.counts.garbled[wrong.kind] = (this.counts.garbled[wrong.kind] ?? 0) + 1;
    return wrong;
  }

  /** The raw text of a reply. It throws about anything but mails, also about a single memory: there is no reply to that. */
  answer(question) {
    const { task, text = '', source, candidates = [] } = question;
    if (task !== 'mail' || text.includes(' one new memory ')) {
      this.counts.otherTasks += 1;
      throw new Error(`the ledger does not answer this: ${task}`);
    }
    if (source === undefined || !this.#book.has(source)) {
      this.counts.unknown += 1;
      return JSON.stringify({ entries: [] });
    }
    const told = inOrder(oncePerFact(this.#book.of(source)));
    this.#hear(source, told, candidates);
    const [entries, extra, said] = [[], [], []];
    const nth = this.#asked.get(source) ?? 0;
    this.#asked.set(source, nth + 1);
    // A mail that is asked about again is told anew.
    if (nth > 0) this.told = this.told.filter((t) => t.source !== source);
    for (const one of told) {
      const { entry, more } = this.#garbled(this.#entryOf(one, candidates, said), one, source, question, nth);
      entries.push(entry);
      if (more !== null) extra.push(more);
      said.push(one);
      this.told.push({ source, fact: one.fact, op: entry.op, text: entry.text });
    }
    // Kept only now: this reply's own words are in no memory that it was shown.
    for (const [n, { text }] of entries.entries()) if (text) this.#given.set(said[n].fact, [...this.textsOf(said[n].fact), text]);
    this.counts.entries += entries.length;
    return JSON.stringify({ entries: [...entries, ...extra] });
  }
}
