// Suggestions for misspelled names.

/** The edit distance: letters inserted, deleted, changed or swapped. */
function distance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

/** The known name closest to a misspelled one, if close enough. */
export function closestName(said: string, known: readonly string[]): string | undefined {
  const plain = (word: string) => word.toLowerCase().replace(/[_-]/g, '');
  const word = plain(said);
  const near = known.map((name) => [distance(word, plain(name)), name] as const).sort(([a], [b]) => a - b)[0];
  return near !== undefined && near[0] <= Math.max(1, Math.floor(word.length / 3)) ? near[1] : undefined;
}

/** Adds a suggestion to an engine message about an unknown name. */
export function withSuggestion(message: string): string {
  const told = /(?:unknown field|is) `([^`]*)`, (?:expected(?: one of)?|which is none of) (`.*`)$/.exec(message);
  const name =
    told &&
    closestName(
      told[1]!,
      told[2]!.split(/, | or /).map((known) => known.replaceAll('`', '')),
    );
  return name === null || name === undefined ? message : `${message}; did you mean \`${name}\`?`;
}
