// The vectors that every peer gets, the same in every run and runtime, and how many of the truly nearest it finds.

export const K = 10;
/** Vectors of one group, of which the first are near to each other and the last hardly. */
const GROUP = 32;
const QUERIES = 20;

/** Unit vectors to be stored, in groups as texts about one matter are, and others to ask with. */
export function vectors(count, width, queries) {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 31 - 1;
  const groups = Math.ceil(count / GROUP);
  const centres = Array.from({ length: groups }, () => Float32Array.from({ length: width }, next));
  const near = (n, far) => {
    const v = centres[n % groups].map((x) => x + far * next());
    const norm = Math.hypot(...v);
    return v.map((x) => x / norm);
  };
  const rows = Array.from({ length: count }, (_, n) => near(n, 0.3 + (1.6 * Math.floor(n / groups)) / GROUP));
  return { rows, asked: Array.from({ length: queries }, (_, n) => near(n * 7, 0.5)) };
}

/** What everybody would write first. */
export async function plain(rows, width) {
  const flat = new Float32Array(rows.length * width);
  rows.forEach((v, n) => flat.set(v, n * width));
  return (query) => {
    const scores = new Float32Array(rows.length);
    for (let row = 0, at = 0; row < rows.length; row += 1) {
      let sum = 0;
      for (let i = 0; i < width; i += 1, at += 1) sum += flat[at] * query[i];
      scores[row] = sum;
    }
    return Array.from(scores.keys())
      .sort((a, b) => scores[b] - scores[a])
      .slice(0, K);
  };
}

/** The share of the truly nearest that `search` finds for the first of the questions. */
export async function recall({ rows, asked }, width, search) {
  const exact = await plain(rows, width);
  let met = 0;
  for (const query of asked.slice(0, QUERIES)) {
    const nearest = exact(query);
    met += (await search(query)).filter((id) => nearest.includes(id)).length;
  }
  return met / (K * QUERIES);
}
