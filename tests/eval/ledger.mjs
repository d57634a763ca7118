// What each mail of a mailbox says, as a thoughtful person would keep it (`*.ledger.jsonl`). It knows the mails in their order and
// nothing of an engine.
import { objects, Unusable } from './input.mjs';
import { normal } from './text.mjs';

const OPS = ['new', 'update', 'repeat'];
const bare = (id) => id.trim().replace(/^<|>$/g, '');
const isText = (v) => typeof v === 'string' && v !== '';

/** The entries of one mail; `standing` (fact → how it stands) goes on with them. */
function entriesOf(says, message, standing, where) {
  const here = new Map();
  return says.map((said, n) => {
    const bad = (what) => new Unusable(`${where}: \`says[${n}]\` ${what}`);
    if (typeof said !== 'object' || said === null) throw bad('is not an object');
    for (const field of ['fact', 'quote', 'value', 'category']) if (!isText(said[field])) throw bad(`has no \`${field}\``);
    const { fact, quote, value, category, is: op, day = null, entities = [], links = [] } = said;
    if (!OPS.includes(op)) throw bad(`has \`is\` ${JSON.stringify(op)}, not one of ${OPS.join(', ')}`);
    const of = standing.get(fact) ?? null;
    if (op === 'new' && of) throw bad(`is new, but ${fact} was stated before`);
    if (op !== 'new' && !of) throw bad(`is ${op === 'update' ? 'an update' : 'a repeat'} of ${fact}, which was not stated before`);
    if (!Array.isArray(links) || !links.every((l) => isText(l?.to) && isText(l?.type))) throw bad('has links without `to` or `type`');
    const linked = links.map(({ to, type }) => ({ to, type, entry: here.get(to) ?? null, value: standing.get(to)?.value ?? null }));
    if (op !== 'repeat') standing.set(fact, Object.freeze({ fact, value, message, category, day }));
    here.set(fact, n);
    return { op, fact, of, value, quote, category, day, entities, links: linked };
  });
}

/**
 * A ledger. `of(id)` gives the entries of a mail: `op` (new, update, repeat), `fact`, `of` (how the fact stood before: its
 * value, message, category and day; null where it is new), `value` (how it stands now), `quote`, `category`, `day`, `entities`
 * and `links` (`to` a fact, `type`, the `entry` of the same mail that states it or null, the `value` that it has or null).
 */
export class Ledger {
  #mails = new Map();
  #end = new Map();

  /** Over `{value, where}`, one for each mail, in the order in which they were sent. */
  constructor(lines) {
    for (const { value: mail, where } of lines) {
      if (!isText(mail.message) || !Array.isArray(mail.says)) throw new Unusable(`${where}: has no \`message\` or no \`says\``);
      const id = bare(mail.message);
      if (this.#mails.has(id)) throw new Unusable(`${where}: ${mail.message} comes twice`);
      const before = new Map(this.#end);
      this.#mails.set(id, { before, lang: mail.lang ?? null, entries: entriesOf(mail.says, mail.message, this.#end, where) });
    }
  }

  /** Whether it knows the mail, with or without angle brackets. */
  has(id) {
    return this.#mails.has(bare(id));
  }

  /** The entries of a mail, in its order; none of one that it does not know. */
  of(id) {
    return this.#mails.get(bare(id))?.entries ?? [];
  }

  /** The language that a mail is written in; null where that is not said. */
  langOf(id) {
    return this.#mails.get(bare(id))?.lang ?? null;
  }

  /** How each fact stood before a mail came (fact → value, message, category, day); as of the end where no mail is named. */
  standing(id) {
    return new Map(id === undefined ? this.#end : this.#mails.get(bare(id))?.before);
  }

  /** The message ids, in the order of the mails, without angle brackets. */
  get messages() {
    return [...this.#mails.keys()];
  }
}

/** The ledger in a JSON Lines file. */
export const ledger = async (path) => new Ledger(await objects(path));

/**
 * What a ledger knows beside what is expected. `closed(text)`: whether a text tells how a matter that is over stands at the end, in
 * the ledger's own words or in those of the mail that said it; over is what is not expected any more. `tells(message, fact)`:
 * whether a mail states a fact or changes it.
 */
export function known(book, expected) {
  const wanted = new Set(expected.current.map((f) => f.id));
  const ends = [...book.standing().values()].filter((s) => !wanted.has(s.fact));
  const values = new Set(ends.map((s) => normal(s.value)));
  const quotes = ends.map((s) => normal(book.of(s.message).findLast((e) => e.fact === s.fact && e.op !== 'repeat').quote));
  return {
    closed: (text) => values.has(normal(text)) || quotes.some((quote) => normal(text).includes(quote)),
    tells: (message, fact) => book.of(message).some((e) => e.fact === fact && e.op !== 'repeat'),
  };
}
