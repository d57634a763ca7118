// What differs between two short texts, word by word.

export type Piece = { kind: 'same' | 'gone' | 'new'; text: string };

const LIMIT = 400;
const words = (text: string): string[] => text.match(/\s+|[^\s]+/gu) ?? [];

/** The pieces that lead from `before` to `after`; texts of many words are shown as one replacement. */
export function diff(before: string, after: string): Piece[] {
  const a = words(before);
  const b = words(after);
  if (a.length > LIMIT || b.length > LIMIT) {
    return before === after
      ? [{ kind: 'same', text: after }]
      : [{ kind: 'gone', text: before }, { kind: 'new', text: after }];
  }
  // The classic table of longest common subsequences, filled from the end.
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const gone: string[] = [];
  const fresh: string[] = [];
  const pieces: Piece[] = [];
  const push = (kind: Piece['kind'], text: string) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  const flush = () => {
    if (gone.length > 0) push('gone', gone.join(''));
    if (fresh.length > 0) push('new', fresh.join(''));
    gone.length = fresh.length = 0;
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      // A lone blank between two changes belongs to them: else every word would be its own island.
      const blank = /^\s+$/u.test(a[i]!);
      const changesAfter = blank && (gone.length > 0 || fresh.length > 0) && a[i + 1] !== b[j + 1];
      if (changesAfter) {
        gone.push(a[i]!);
        fresh.push(b[j]!);
      } else {
        flush();
        push('same', b[j]!);
      }
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      gone.push(a[i++]!);
    } else {
      fresh.push(b[j++]!);
    }
  }
  flush();
  return pieces;
}
