// The statements of a memory, newest first, and the outdated parts of each.
import type { Memory, Statement } from 'memfold';
import type { Highlight } from './types';

/** The time of the latest statement. */
export const saidAt = (m: Memory): string => m.statedAt ?? m.occurredAt;

/** The time of the latest statement from a mail; undefined if only the owner made statements. */
export function mailedAt(m: Memory): string | undefined {
  const mailed = statementsOf(m).flatMap(({ source, at }) => (source ? (at ?? saidAt(m)) : []));
  return mailed.length > 0 ? mailed.reduce((a, b) => (b > a ? b : a)) : m.sourceId ? saidAt(m) : undefined;
}

/** Whether the owner wrote or corrected the memory. */
export const isByHand = (m: Memory): boolean => m.sourceType === 'user_input' && !m.sourceId;

/** Whether the owner added a statement from a mail; then it has no author. */
export const isNote = (m: Memory, { source, author }: Statement): boolean =>
  m.sourceType === 'user_input' && source !== undefined && source === m.sourceId && author === undefined;

/** A part of a statement: its position, and whether it is outdated. */
export type Stretch = { text: string; from: number; struck: boolean };

/** The statements, newest first; a memory of an old format has one. */
export function statementsOf({ statements, content, sourceId, statedAt }: Memory): readonly Statement[] {
  if (statements && statements.length > 0) return statements;
  if (!content) return [];
  return [{ text: content, ...(sourceId ? { source: sourceId } : {}), ...(statedAt ? { at: statedAt } : {}) }];
}

/** The parts of a statement, in order. */
export function stretches({ text, struck = [] }: Statement): Stretch[] {
  const out: Stretch[] = [];
  let done = 0;
  const until = (to: number, isStruck: boolean) => {
    if (to > done) out.push({ text: text.slice(done, to), from: done, struck: isStruck });
    done = Math.max(done, to);
  };
  for (const [from, to] of struck) {
    until(from, false);
    until(to, true);
  }
  until(text.length, false);
  return out;
}

/** A letter or digit with its position. */
type Letter = { letter: string; statement: number; stretch: number; at: number };

function letters(text: string, statement = 0, stretch = 0, from = 0): Letter[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{S}]/gu)].map((m) => ({ letter: m[0], statement, stretch, at: from + m.index }));
}

const held = (said: readonly Statement[]): Letter[] =>
  said.flatMap((s, i) => stretches(s).flatMap((part, j) => (part.struck ? [] : letters(part.text, i, j, part.from))));

const same = (a: readonly Letter[], b: readonly Letter[]): boolean => a.length === b.length && a.every(({ letter }, i) => letter === b[i]!.letter);

/** Whether the content differs from the statements: a model worded it, or it is a summary. */
export const isReworded = (memory: Memory): boolean => !same(letters(memory.content), held(statementsOf(memory)));

/** Whether a memory has a single statement without outdated parts. */
export function isPlain(memory: Memory): boolean {
  const said = statementsOf(memory);
  return !isReworded(memory) && said.length <= 1 && said.every((s) => (s.struck ?? []).length === 0);
}

/**
 * Maps positions in the content to positions in the statements, letter by letter, since separators
 * differ.
 */
export function placesIn(memory: Memory, places: readonly Highlight[]): Highlight[][] {
  const said = statementsOf(memory);
  const out: Highlight[][] = said.map(() => []);
  const [of, there] = [letters(memory.content), held(said)];
  if (!same(of, there)) return out;
  for (const { start, end } of places) {
    let last: Letter | undefined;
    of.forEach(({ at }, i) => {
      const here = there[i]!;
      if (at < start || at >= end) return;
      const list = out[here.statement]!;
      const to = here.at + here.letter.length;
      if (last && last.statement === here.statement && last.stretch === here.stretch) list.at(-1)!.end = to;
      else list.push({ start: here.at, end: to });
      last = here;
    });
  }
  return out;
}

/** The change of a statement from one version to the next. */
export type Fate = 'new' | 'kept' | 'gone';
export type Revised = { fate: Fate; statement: Statement; parts: (Stretch & { now: boolean })[] };

const isSame = (a: Statement) => (b: Statement) => a.text === b.text && a.source === b.source;

/**
 * The statements of the later version, then the removed ones; `now` marks parts that the later
 * version struck out.
 */
export function revised(before: Memory, after: Memory): Revised[] {
  const [old, fresh] = [statementsOf(before), statementsOf(after)];
  const stay = fresh.map((statement): Revised => {
    const was = old.find(isSame(statement));
    const already = (from: number, to: number) => (was?.struck ?? []).some(([a, b]) => a <= from && to <= b);
    const parts = stretches(statement).map((p) => ({ ...p, now: p.struck && was !== undefined && !already(p.from, p.from + p.text.length) }));
    return { fate: was ? 'kept' : 'new', statement, parts };
  });
  const gone = old
    .filter((s) => !fresh.some(isSame(s)))
    .map((statement): Revised => ({ fate: 'gone', statement, parts: [{ text: statement.text, from: 0, struck: true, now: true }] }));
  return [...stay, ...gone];
}
