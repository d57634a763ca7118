// Makes an entry of a model's reply wrong, in the ways in which models go wrong. What it changes follows from numbers that it is given.

/** Words that no mail has. */
const UNSAID = { ko: '어떤 메일에도 없는 말이다', en: 'words that stand in no mail at all' };

const pick = (list, draw) => list[Math.floor(draw * list.length)];
const others = (entry, candidates) => candidates.filter((c) => c.handle !== entry.of);

/** Another op: of a memory where it needs one, with what a memory would say where it needs that. */
function swapped(entry, value, candidates, draw) {
  const ops = ['new', 'update', 'repeat'].filter((op) => op !== entry.op && (op === 'new' || entry.of !== null || candidates.length > 0));
  const op = pick(ops, draw);
  const of = op === 'new' ? null : (entry.of ?? pick(candidates, draw).handle);
  return { ...entry, op, of, text: op === 'repeat' ? null : value };
}

/** A text with one digit changed. */
function refigured(text, draw) {
  const digits = [...text.matchAll(/\d/g)];
  const { index, 0: digit } = pick(digits, draw);
  return `${text.slice(0, index)}${(Number(digit) + 1 + Math.floor(draw * 8)) % 10}${text.slice(index + 1)}`;
}

/** Each way: whether an entry can go wrong so, and the entry that it becomes. */
const WAYS = {
  another: {
    can: ({ entry, candidates }) => entry.of !== null && others(entry, candidates).length > 0,
    make: ({ entry, candidates, draw }) => ({ ...entry, of: pick(others(entry, candidates), draw).handle }),
  },
  figure: {
    can: ({ entry }) => /\d/.test(entry.text ?? ''),
    make: ({ entry, draw }) => ({ ...entry, text: refigured(entry.text, draw) }),
  },
  evidence: { can: () => true, make: ({ entry, language }) => ({ ...entry, evidence: UNSAID[language] ?? UNSAID.en }) },
  swapped: {
    can: ({ entry, candidates }) => entry.of !== null || candidates.length > 0,
    make: ({ entry, value, candidates, draw }) => swapped(entry, value, candidates, draw),
  },
  unknown: {
    can: () => true,
    make: ({ entry }) => (entry.of === null ? { ...entry, links: [...entry.links, { to: 'M99', type: 'reference' }] } : { ...entry, of: 'M99' }),
  },
  empty: { can: ({ entry }) => entry.text !== null, make: ({ entry }) => ({ ...entry, text: '' }) },
  day: { can: () => true, make: ({ entry, draw }) => ({ ...entry, day: `${2040 + Math.floor(draw * 50)}-07-19` }) },
  // The second one takes the first one back.
  twice: {
    can: ({ entry }) => entry.op === 'update',
    make: ({ entry }) => entry,
    more: ({ entry, candidates }) => ({ ...entry, text: candidates.find((c) => c.handle === entry.of).content, links: [] }),
  },
};

export const KINDS = Object.keys(WAYS);

/**
 * An entry gone wrong: `kind`, the `entry` that it becomes and, for some, one `more`. `value` is the fact as it stands after the
 * mail, `which` and `draw` are numbers from 0 up to 1 that say what goes wrong, and how.
 */
export function garbled({ entry, value, candidates, language, which, draw }) {
  const at = { entry, value, candidates, language, draw };
  const kind = pick(
    KINDS.filter((k) => WAYS[k].can(at)),
    which,
  );
  return { kind, entry: WAYS[kind].make(at), more: WAYS[kind].more?.(at) ?? null };
}
