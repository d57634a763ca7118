// The figures of labelled pairs. Pure: outcomes in, numbers out.

const UPDATE = 'UPDATE';
const LINK = 'CREATE_AND_LINK';

/** A share, or `null` where nothing was counted: an empty class has no precision. */
const share = (part, whole) => (whole === 0 ? null : part / whole);
const count = (rows, test) => rows.reduce((n, row) => n + (test(row) ? 1 : 0), 0);

/**
 * The expected calibration error: how far confidence and accuracy lie apart, over ten bins of confidence,
 * weighted by the rows in each.
 */
export function calibrationError(rows, bins = 10) {
  const sums = Array.from({ length: bins }, () => ({ n: 0, right: 0, confidence: 0 }));
  for (const row of rows) {
    const bin = sums[Math.min(bins - 1, Math.max(0, Math.floor(row.confidence * bins)))];
    bin.n += 1;
    bin.right += row.decision === row.expected ? 1 : 0;
    bin.confidence += row.confidence;
  }
  return share(
    sums.reduce((sum, b) => sum + Math.abs(b.right - b.confidence), 0),
    rows.length,
  );
}

const plainText = (text) =>
  (text ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, ' ')
    .trim();
const within = ([a, b]) => a !== '' && b !== '' && (a.includes(b) || b.includes(a));

/** How many property changes of an update were told, how many of them are labelled, and how many are labelled. */
export function changesTold(told, labelled) {
  const meets = (one, other) => ['oldValue', 'newValue'].every((side) => !one[side] || within([one, other].map((c) => plainText(c[side]))));
  return { told: told.length, right: count(told, (one) => labelled.some((other) => meets(one, other))), labelled: labelled.length };
}

/** The figures over outcomes `{expected, decision, confidence, sure, asked, micros, changes}`; `changes` stands at updates alone. */
export function figures(rows) {
  const is = (label) => (row) => row.expected === label;
  const took = (label) => (row) => row.decision === label;
  const right = (row) => row.decision === row.expected;
  const precision = (label) =>
    share(
      count(rows, (r) => took(label)(r) && right(r)),
      count(rows, took(label)),
    );
  const recall = (label) =>
    share(
      count(rows, (r) => is(label)(r) && right(r)),
      count(rows, is(label)),
    );
  const both = rows.filter((r) => is(UPDATE)(r) || is(LINK)(r));
  const others = rows.filter((r) => !is(UPDATE)(r));
  const sure = rows.filter((r) => r.sure);
  const changed = (part, whole) => share(...[part, whole].map((of) => rows.reduce((sum, { changes }) => sum + (changes ? of(changes) : 0), 0)));
  const mixedUp = (r) => (is(UPDATE)(r) && took(LINK)(r)) || (is(LINK)(r) && took(UPDATE)(r));
  return {
    rows: rows.length,
    accuracy: share(count(rows, right), rows.length),
    updateVsLink: share(count(both, right), both.length),
    updatePrecision: precision(UPDATE),
    updateRecall: recall(UPDATE),
    linkPrecision: precision(LINK),
    linkRecall: recall(LINK),
    confusion: share(count(both, mixedUp), both.length),
    falseUpdate: share(count(others, took(UPDATE)), others.length),
    skipPrecision: precision('SKIP'),
    sureShare: share(sure.length, rows.length),
    sureAccuracy: share(count(sure, right), sure.length),
    askedShare: share(
      count(rows, (r) => r.asked),
      rows.length,
    ),
    ece: calibrationError(rows),
    changesRight: changed(
      (c) => c.right,
      (c) => c.told,
    ),
    changesFound: changed(
      (c) => c.right,
      (c) => c.labelled,
    ),
    microsPerPair: share(
      rows.reduce((sum, r) => sum + r.micros, 0),
      rows.length,
    ),
  };
}

/** The same figures for each value of a field of the rows. */
export function figuresBy(rows, field) {
  const values = [...new Set(rows.map((r) => String(r[field] ?? 'none')))].sort();
  return Object.fromEntries(values.map((v) => [v, figures(rows.filter((r) => String(r[field] ?? 'none') === v))]));
}

/** All figures of a run: over all rows, by language and by hardness. */
export function report(rows) {
  return { ...figures(rows), byLang: figuresBy(rows, 'lang'), byHard: figuresBy(rows, 'hard') };
}

/** How often each word comes, the most frequent first. */
function tally(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}

/** What is decided with no model, over `alone`: `{outcome, decision, sure}` of each row. */
function aloneFigures(rows) {
  const right = (row) => row.alone.decision === row.expected;
  const updates = rows.filter((r) => r.expected === UPDATE);
  const others = rows.filter((r) => r.expected !== UPDATE);
  const sure = rows.filter((r) => r.alone.sure);
  return {
    outcomeRight: share(
      count(rows, (r) => r.alone.outcome === r.expected),
      rows.length,
    ),
    writtenRight: share(count(rows, right), rows.length),
    sureShare: share(sure.length, rows.length),
    sureRight: share(
      count(sure, (r) => r.alone.outcome === r.expected),
      sure.length,
    ),
    updateRecall: share(count(updates, right), updates.length),
    falseUpdate: share(
      count(others, (r) => r.alone.decision === UPDATE),
      others.length,
    ),
  };
}

/** The figures of rows that were consolidated with somebody to ask; `null` shares as above. */
export function modelFigures(rows) {
  const sum = (of) => rows.reduce((n, row) => n + of(row), 0);
  const right = (row) => row.decision === row.expected;
  const recall = (label) =>
    share(
      count(rows, (r) => r.expected === label && right(r)),
      count(rows, (r) => r.expected === label),
    );
  const others = rows.filter((r) => r.expected !== UPDATE);
  const updates = rows.filter((r) => r.expected === UPDATE);
  const skips = rows.filter((r) => r.decision === 'SKIP');
  const calls = sum((r) => r.calls);
  const promptTokens = sum((r) => r.promptTokens);
  const answered = rows.filter((r) => r.answer !== null);
  return {
    rows: rows.length,
    accuracy: share(count(rows, right), rows.length),
    updateRecall: recall(UPDATE),
    updateStored: share(
      count(updates, (r) => right(r) && !r.withheld),
      updates.length,
    ),
    falseUpdate: share(
      count(others, (r) => r.decision === UPDATE),
      others.length,
    ),
    skipPrecision: share(count(skips, right), skips.length),
    skipRecall: recall('SKIP'),
    linkRecall: recall(LINK),
    askedShare: share(
      count(rows, (r) => r.calls > 0),
      rows.length,
    ),
    callsPerPair: share(calls, rows.length),
    promptTokensPerPair: share(promptTokens, rows.length),
    promptTokensPerCall: share(promptTokens, calls),
    answered: answered.length,
    answersRight: share(
      count(answered, (r) => r.answer === r.expected),
      answered.length,
    ),
    refused: tally(rows.flatMap((r) => r.refused)),
    overruled: tally(rows.flatMap((r) => r.overruled)),
    overruledRight: count(answered, (r) => r.overruled.length > 0 && r.answer === r.expected),
    withheld: count(rows, (r) => r.withheld),
    noModel: aloneFigures(rows),
  };
}
