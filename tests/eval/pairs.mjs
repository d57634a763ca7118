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
  return share(sums.reduce((sum, b) => sum + Math.abs(b.right - b.confidence), 0), rows.length);
}

/** The figures over outcomes `{expected, decision, confidence, sure, asked, micros}`. */
export function figures(rows) {
  const is = (label) => (row) => row.expected === label;
  const took = (label) => (row) => row.decision === label;
  const right = (row) => row.decision === row.expected;
  const precision = (label) => share(count(rows, (r) => took(label)(r) && right(r)), count(rows, took(label)));
  const recall = (label) => share(count(rows, (r) => is(label)(r) && right(r)), count(rows, is(label)));
  const both = rows.filter((r) => is(UPDATE)(r) || is(LINK)(r));
  const others = rows.filter((r) => !is(UPDATE)(r));
  const sure = rows.filter((r) => r.sure);
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
    askedShare: share(count(rows, (r) => r.asked), rows.length),
    ece: calibrationError(rows),
    microsPerPair: share(rows.reduce((sum, r) => sum + r.micros, 0), rows.length),
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
