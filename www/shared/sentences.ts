// Splits a mail into sentences and finds the memory of each.
import type { Memory } from 'memfold';
import { statementsOf } from './statements';

export type Span = { start: number; end: number };
/** A sentence; `memory` is the current memory that rests on it. */
export type Sentence = Span & { memory: Memory | undefined };

/** A shorter line ends a sentence: a greeting, a list entry, a signature. */
const SHORT_LINE = 48;
const FEWEST_LETTERS = 4;

const isBoundary = (text: string, at: number): boolean => {
  const before = text.slice(0, at);
  if (/[.!?。…]["'”’)\]]*$/.test(before)) return true;
  const gap = /^\s+/.exec(text.slice(at))?.[0] ?? '';
  if (!gap.includes('\n')) return false;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return /\n\s*\n/.test(gap) || line.length < SHORT_LINE || /^\s*(?:[-*•>]|\d+[.)])/.test(text.slice(at + gap.length));
};

/** The spans of a text's sentences, without the space between them. */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  let start = text.search(/\S/);
  if (start < 0) return spans;
  for (const { index } of text.matchAll(/\s+/g)) {
    if (index <= start || !isBoundary(text, index)) continue;
    spans.push({ start, end: index });
    start = index + (/^\s+/.exec(text.slice(index))?.[0].length ?? 0);
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}

/** The spans that contain these words, ignoring white space differences. */
export function placesOf(text: string, marks: readonly string[]): Span[] {
  return marks.flatMap((mark) => {
    const words = mark
      .trim()
      .split(/\s+/)
      .map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    if (words.join('').length < FEWEST_LETTERS) return [];
    const found = new RegExp(words.join('[\\s>]+'), 'iu').exec(text);
    return found ? [{ start: found.index, end: found.index + found[0].length }] : [];
  });
}

/**
 * Words to look for in a statement's mail: the whole, without a subject or author prefix, and each
 * sentence.
 */
export function candidates(marks: readonly string[]): string[] {
  const bare = marks.map((m) => m.replace(/^[^:]{2,80}:\s+/, ''));
  return [...marks, ...bare, ...bare.flatMap((m) => m.split(/(?<=[.!?。])\s+/))];
}

/**
 * The sentences of a mail with their memories. `known` are memories of any version; `headOf`
 * returns the current version.
 */
export function taughtBy(source: string, text: string, known: Iterable<Memory>, headOf: (id: string) => Memory | undefined): Sentence[] {
  const places: { at: Span; memory: Memory }[] = [];
  for (const version of known) {
    const said = statementsOf(version).flatMap((s) => (s.source === source ? [s.text] : []));
    if (said.length === 0) continue;
    const head = headOf(version.id);
    if (!head || head.deletedAt || !head.content) continue;
    const evidence = version.sourceId === source && version.evidence ? [version.evidence.text] : [];
    for (const at of placesOf(text, [...evidence, ...candidates(said)])) places.push({ at, memory: head });
  }
  return sentencesOf(text).map((span) => {
    const overlap = ({ at }: { at: Span }): number => Math.min(at.end, span.end) - Math.max(at.start, span.start);
    const best = places
      .filter((p) => overlap(p) >= Math.min(FEWEST_LETTERS, span.end - span.start))
      .sort((a, b) => overlap(b) - overlap(a) || a.at.end - a.at.start - (b.at.end - b.at.start))[0];
    return { ...span, memory: best?.memory };
  });
}
