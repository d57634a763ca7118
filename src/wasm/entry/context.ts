// `context` and `profile`: memories as text for a prompt. They read no clock, so the same store gives the same text.
import { invalid, object, refuseUnknown, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { turn } from './source.js';
import type { Memory, SearchOptions, ZoneOption } from './types.js';

/** Options of `profile`. */
export interface ProfileOptions {
  /** The most tokens of the text, by the engine's estimate: four letters or 1.25 Hangul syllables a token. 1,000 by default. */
  tokens?: number;
}

/** Options of `context`. */
export interface ContextOptions extends ProfileOptions, Pick<SearchOptions, 'from' | 'to' | 'now' | 'asOf' | 'category' | 'people'> {}

/** Memories as text for a prompt. */
export interface PromptText {
  /** One line for each memory; empty without memories. */
  text: string;
  /** The memory of each citation mark: `sources[1]` is the id of the memory in line `[1]`. */
  sources: Record<number, string>;
}

/** A memory with the ids of newer ones that may outdate it. */
interface Cited {
  memory: Memory;
  by: string[];
}

type Zone = ZoneOption | null | undefined;

/** The most lines, and the most hits of a search. */
const MOST = 100;
const HITS = 30;
const PAGE = 250;
const FILTERS = ['from', 'to', 'now', 'asOf', 'category', 'people'];
/** Relative times of a question count from here first, which also switches off fading: the ranking does not depend on the day. */
const NO_TIME = '1970-01-01T00:00:00Z';

/** The engine's estimate in twentieths of a token; the same figures as `tokens` in `src/decision/prompt.rs`. */
const weigh = (line: string): number => [...line].reduce((sum, c) => sum + (c >= '가' && c <= '힣' ? 16 : 5), 0);

/** Invisible characters but joiners, tags of markup, and code fences. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u{e0100}-\u{e01ef}]|<(?=[/!?|]|[a-z][\w-]*[\s>/])|`(?=``)/giu;

/** Stored text as a JSON string on one line, so that it can end neither its line nor a block of the prompt. */
const quoted = (stored: string): string => JSON.stringify(stored).replace(UNSAFE, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);

/** A function for the calendar day of a day or a time, in the owner's zone. */
function daysIn(zone: Zone): (at: string) => string {
  const [, sign, hours, minutes] = /^([+\-−])(\d\d):?(\d\d)?$/.exec(String(zone)) ?? [];
  const offset = hours === undefined ? undefined : (sign === '+' ? 1 : -1) * (60 * Number(hours) + Number(minutes ?? 0));
  const east = typeof zone === 'number' ? zone : /^z$/i.test(String(zone)) ? 0 : offset;
  const timeZone = east === undefined && typeof zone === 'string' ? { timeZone: zone } : {};
  const clock = new Intl.DateTimeFormat('en', { ...timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (at) => {
    if (at.length === 10) return at;
    if (east !== undefined) return new Date(Date.parse(at) + east * 60_000).toISOString().slice(0, 10);
    const parts = Object.fromEntries(clock.formatToParts(Date.parse(at)).map(({ type, value }) => [type, value]));
    return `${parts.year}-${parts.month}-${parts.day}`;
  };
}

const said = ({ statedAt, createdAt }: Memory): string => statedAt ?? createdAt;

function lineOf({ memory, by }: Cited, mark: (id: string) => string, day: (at: string) => string): string {
  const { id, content, occurredAt, validUntil, confirmation, confirmedContent, reportedBy } = memory;
  const [told, happens, until] = [day(said(memory)), day(occurredAt), validUntil && day(validUntil)];
  const notes = [
    ...(happens === told ? [] : [`happens ${happens}`]),
    ...(until === undefined || until === happens ? [] : [`until ${until}`]),
    ...(confirmation === 'provisional' ? [`unconfirmed${reportedBy === undefined ? '' : `, reported by ${quoted(reportedBy)}`}`] : []),
    ...(confirmedContent ? [`confirmed: ${quoted(confirmedContent)}`] : []),
    ...(by.length === 0 ? [] : [`may be outdated by ${by.map(mark).join(', ')}`]),
  ];
  return `${mark(id)} ${told}: ${quoted(content)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

/** Renders the units that fit, best first; a unit is shown whole or not at all. `arrange` orders the lines. */
function render(units: Cited[][], tokens: number, zone: Zone, arrange = (shown: Cited[]): Cited[] => shown): PromptText {
  const day = daysIn(zone);
  const shown = new Map<string, Cited>();
  let left = 20 * tokens;
  for (const unit of units) {
    const more = unit.filter(({ memory }) => !shown.has(memory.id));
    const cost = more.reduce((sum, one) => sum + weigh(`${lineOf(one, () => '[000]', day)}\n`), 0);
    if (cost > left || shown.size + more.length > MOST) continue;
    left -= cost;
    for (const one of more) shown.set(one.memory.id, one);
  }
  const lines = arrange([...shown.values()]);
  const marks = new Map(lines.map(({ memory }, n) => [memory.id, n + 1]));
  return {
    text: lines.map((one) => lineOf(one, (id) => `[${marks.get(id)}]`, day)).join('\n'),
    sources: Object.fromEntries([...marks].map(([id, n]) => [n, id])),
  };
}

/** Matters in the order of their best hit, each from the oldest to the newest statement. */
function byMatter(shown: Cited[]): Cited[] {
  const matters: Cited[][] = [];
  for (const one of shown) {
    const { id, threadId } = one.memory;
    const isSame = (other: Cited) =>
      (threadId !== undefined && other.memory.threadId === threadId) || other.by.includes(id) || one.by.includes(other.memory.id);
    const matter = matters.find((members) => members.some(isSame));
    if (matter) matter.push(one);
    else matters.push([one]);
  }
  const age = ({ memory }: Cited) => `${said(memory)} ${memory.id}`;
  return matters.flatMap((members) => members.sort((a, b) => (age(a) < age(b) ? -1 : 1)));
}

function checkTokens(tokens: number): void {
  if (!Number.isSafeInteger(tokens) || tokens < 1) throw invalid('tokens', 'is not a whole number from 1 up');
}

/** The units to show: each memory after those that may outdate it. `newer` has their ids, of any version. */
async function unitsOf(engine: Verbs, memories: Memory[], newer: (memory: Memory) => Promise<string[]>): Promise<Cited[][]> {
  const cited = new Map<string, Cited>(memories.map((memory) => [memory.id, { memory, by: [] }]));
  for (const memory of memories) {
    for (const id of await newer(memory)) {
      const head = (await engine.history(id, {})).at(-1);
      const { by } = cited.get(memory.id)!;
      if (head === undefined || head.deletedAt !== undefined || head.id === memory.id || by.includes(head.id)) continue;
      if (!cited.has(head.id)) cited.set(head.id, { memory: head, by: [] });
      by.push(head.id);
    }
  }
  const unit = (id: string, seen: Set<string>): Cited[] => {
    if (seen.has(id)) return [];
    seen.add(id);
    const one = cited.get(id)!;
    return [...one.by.flatMap((other) => unit(other, seen)), one];
  };
  return memories.map(({ id }) => unit(id, new Set()));
}

/**
 * Text about a question; see `Memories.context`.
 * @internal
 */
export async function contextOf(engine: Verbs, zone: Zone, question: string, options: ContextOptions | undefined): Promise<PromptText> {
  const { tokens = 1_000, ...filters } = object(options, 'options');
  refuseUnknown(Object.fromEntries(Object.entries(filters).filter(([name]) => !FILTERS.includes(name))), ['tokens', ...FILTERS]);
  checkTokens(tokens);
  if (text(question, 'question').trim() === '' || [...question].length > 998) throw invalid('question', 'is not a text of 1 to 998 characters');
  const { from, to, now, asOf } = filters;
  const search = { ...filters, limit: HITS };
  let found = await engine.answer(question, { ...search, now: now ?? NO_TIME });
  if (![now, from, to].some(Boolean) && (found.from ?? found.to) !== undefined) {
    // A relative time, such as "last week", needs the clock.
    const timed = await engine.answer(question, search);
    if (timed.from !== found.from || timed.to !== found.to) found = timed;
  }
  if (!asOf) {
    const newer = new Map(found.hits.map(({ memory, mayBeOutdatedBy = [] }) => [memory.id, mayBeOutdatedBy]));
    return render(
      await unitsOf(
        engine,
        found.hits.map(({ memory }) => memory),
        async ({ id }) => newer.get(id) ?? [],
      ),
      tokens,
      zone,
      byMatter,
    );
  }
  // A look at the past shows nothing newer, and nothing that was hidden or erased since.
  const stored = await Promise.all(found.hits.map(({ memory }) => engine.get(memory.id)));
  const units = found.hits.filter((_, n) => stored[n] && stored[n].deletedAt === undefined).map(({ memory }) => [{ memory, by: [] }]);
  return render(units, tokens, zone, byMatter);
}

const CATEGORIES = ['task', 'decision', 'meeting', 'project', 'misc', 'ads'];

/** The order of a profile: lower keys come first. */
const profileKeys = ({ confirmation, category, sourceType, importance }: Memory): number[] => [
  Number(confirmation === 'provisional'),
  Number(category === 'ads'),
  Number(sourceType === 'realtime'),
  -[0.4, 0.7, 0.9].filter((tier) => importance >= tier).length,
  CATEGORIES.indexOf(category),
];

function compareForProfile(a: Memory, b: Memory): number {
  const [keys, others] = [profileKeys(a), profileKeys(b)];
  const differs = keys.findIndex((key, n) => key !== others[n]);
  if (differs >= 0) return keys[differs]! - others[differs]!;
  return `${said(a)} ${a.id}` < `${said(b)} ${b.id}` ? 1 : -1;
}

/**
 * Text about the owner; see `Memories.profile`.
 * @internal
 */
export async function profileOf(engine: Verbs, zone: Zone, options: ProfileOptions | undefined): Promise<PromptText> {
  const { tokens = 1_000, ...unknown } = object(options, 'options');
  refuseUnknown(unknown, ['tokens']);
  checkTokens(tokens);
  let best: Memory[] = [];
  let page: Memory[];
  let after: string | undefined;
  do {
    page = await engine.list({ limit: PAGE, ...(after !== undefined && { after }) });
    best = [...best, ...page].sort(compareForProfile).slice(0, MOST);
    // A SQLite file answers at once: without a turn, all pages would hold the event loop together.
    await turn();
    after = page.at(-1)?.id;
  } while (page.length === PAGE);
  const newer = async ({ id }: Memory) => (await engine.getEdges(id, {})).filter(({ kind, from }) => kind === 'may_replace' && from === id).map(({ to }) => to);
  return render(await unitsOf(engine, best, newer), tokens, zone);
}
