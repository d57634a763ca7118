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

  /** The handle of a fact's memory: of one that is shown, else of the entry by which an earlier mail of the same question makes it. */
  #handleOf(fact, candidates, before) {
    const shown = this.#memoryOf(fact, candidates)?.handle;
    if (shown !== undefined) return shown;
    const at = before.findLastIndex((e) => e.fact === fact);
    return at < 0 ? null : `E${at + 1}`;
  }

  #entryOf(said, candidates, before) {
    const handle = this.#handleOf(said.fact, candidates, before);
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
  #hear(mails, candidates) {
    const heard = mails.map(({ source, told }) => {
      const here = new Set(told.map((s) => s.fact));
      const linked = new Set(told.flatMap((s) => s.links.map((l) => l.to)).filter((fact) => !here.has(fact)));
      const meant = [
        ...told.filter((s) => this.#isTold(s.fact)).map((s) => ({ fact: s.fact, as: 'of' })),
        ...[...linked].map((fact) => ({ fact, as: 'link' })),
      ].map((m) => ({ ...m, handle: this.#memoryOf(m.fact, candidates)?.handle ?? null }));
      return { source, candidates: 0, irrelevant: 0, meant };
    });
    // What several mails are shown together counts once.
    const handles = new Set(heard.flatMap((h) => h.meant.map((m) => m.handle)));
    Object.assign(heard[0], { candidates: candidates.length, irrelevant: candidates.filter((c) => !handles.has(c.handle)).length });
    this.heard.push(...heard);
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
    const { task, text = '', source, sources, candidates = [] } = question;
    if (task !== 'mail' || text.includes(' one new memory ')) {
      this.counts.otherTasks += 1;
      throw new Error(`the ledger does not answer this: ${task}`);
    }
    const asked = (sources ?? [source]).filter((of) => of !== undefined);
    const known = asked.filter((of) => this.#book.has(of)).map((of) => ({ source: of, told: inOrder(oncePerFact(this.#book.of(of))) }));
    this.counts.unknown += Math.max(asked.length, 1) - known.length;
    if (known.length === 0) return JSON.stringify({ entries: [] });
    this.#hear(known, candidates);
    const [entries, extra, said] = [[], [], []];
    for (const { source: of, told } of known) {
      const nth = this.#asked.get(of) ?? 0;
      this.#asked.set(of, nth + 1);
      // A mail that is asked about again is told anew.
      if (nth > 0) this.told = this.told.filter((t) => t.source !== of);
      for (const one of told) {
        const { entry, more } = this.#garbled(this.#entryOf(one, candidates, said), one, of, question, nth);
        const mail = sources && { mail: sources.indexOf(of) + 1 };
        entries.push({ ...entry, ...mail });
        if (more !== null) extra.push({ ...more, ...mail });
        said.push(one);
        this.told.push({ source: of, fact: one.fact, op: entry.op, text: entry.text });
      }
    }
    // Kept only now: this reply's own words are in no memory that it was shown.
    for (const [n, { text }] of entries.entries()) if (text) this.#given.set(said[n].fact, [...this.textsOf(said[n].fact), text]);
    this.counts.entries += entries.length;
    return JSON.stringify({ entries: [...entries, ...extra] });
  }
}
