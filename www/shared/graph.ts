// Places linked nodes on a plane: each group by simulated springs, then the groups side by side. The same input gives the same picture.

export type Spot = { id: string; x: number; y: number };
export type Picture = { spots: Spot[]; width: number; height: number };
type Pair = readonly [string, string];

/** How long an edge wants to be: with labels beneath every node, and without. */
const SPRING = { labelled: 92, bare: 40 };
const MARGIN = { x: 64, y: 34 };
const GAP = 20;

/** The groups of nodes that hang together, largest first; within each the order of `ids`. */
function groups(ids: readonly string[], pairs: readonly Pair[]): string[][] {
  const root = new Map(ids.map((id) => [id, id]));
  const find = (id: string): string => {
    let at = id;
    while (root.get(at) !== at) at = root.get(at)!;
    root.set(id, at);
    return at;
  };
  for (const [a, b] of pairs) if (root.has(a) && root.has(b)) root.set(find(a), find(b));
  const by = new Map<string, string[]>();
  for (const id of ids) {
    const key = find(id);
    by.set(key, [...(by.get(key) ?? []), id]);
  }
  return [...by.values()].sort((a, b) => b.length - a.length);
}

/** One group: springs along the edges, repulsion between all, cooling; laid wide rather than tall. */
function relax(ids: readonly string[], pairs: readonly Pair[], spring: number): Picture {
  const n = ids.length;
  const index = new Map(ids.map((id, i) => [id, i]));
  const links = pairs.flatMap(([a, b]) => {
    const i = index.get(a);
    const j = index.get(b);
    return i === undefined || j === undefined || i === j ? [] : [[i, j] as const];
  });
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    // The golden angle spreads any number of nodes without two on one spot.
    const r = spring * 0.6 * Math.sqrt(i + 0.5);
    x[i] = r * Math.cos(i * 2.399963);
    y[i] = r * Math.sin(i * 2.399963);
  }
  const steps = n > 120 ? 160 : 320;
  for (let step = 0; step < steps; step++) {
    const heat = 14 * (1 - step / steps) + 0.4;
    const dx = new Float64Array(n);
    const dy = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        const ux = x[i]! - x[j]!;
        // Labels are wide and low: nodes may come nearer above one another than beside.
        const uy = (y[i]! - y[j]!) * 1.5;
        const square = Math.max(ux * ux + uy * uy, 1);
        const push = (spring * spring) / square;
        dx[i]! += ux * push;
        dy[i]! += uy * push;
        dx[j]! -= ux * push;
        dy[j]! -= uy * push;
      }
    }
    for (const [i, j] of links) {
      const ux = x[j]! - x[i]!;
      const uy = y[j]! - y[i]!;
      const pull = Math.hypot(ux, uy) / spring;
      dx[i]! += ux * pull;
      dy[i]! += uy * pull;
      dx[j]! -= ux * pull;
      dy[j]! -= uy * pull;
    }
    for (let i = 0; i < n; i++) {
      const size = Math.hypot(dx[i]!, dy[i]!) || 1;
      const move = Math.min(size * 0.08, heat) / size;
      x[i]! += dx[i]! * move;
      y[i]! += dy[i]! * move;
    }
  }
  return framed(ids.map((id, i) => ({ id, x: x[i]!, y: y[i]! })));
}

function framed(spots: Spot[]): Picture {
  const left = Math.min(...spots.map((s) => s.x));
  const top = Math.min(...spots.map((s) => s.y));
  const width = Math.max(...spots.map((s) => s.x)) - left + 2 * MARGIN.x;
  const height = Math.max(...spots.map((s) => s.y)) - top + 2 * MARGIN.y;
  return { spots: spots.map((s) => ({ id: s.id, x: s.x - left + MARGIN.x, y: s.y - top + MARGIN.y })), width, height };
}

/** All groups, packed in rows at most `width` wide. */
export function layout(ids: readonly string[], pairs: readonly Pair[], width: number, dense: boolean): Picture {
  const spring = dense ? SPRING.bare : SPRING.labelled;
  const spots: Spot[] = [];
  let [x, y, tallest, widest] = [0, 0, 0, 0];
  for (const picture of groups(ids, pairs).map((group) => relax(group, pairs, spring))) {
    if (x > 0 && x + picture.width > width) {
      y += tallest + GAP;
      x = tallest = 0;
    }
    for (const s of picture.spots) spots.push({ id: s.id, x: s.x + x, y: s.y + y });
    x += picture.width + GAP;
    widest = Math.max(widest, x - GAP);
    tallest = Math.max(tallest, picture.height);
  }
  return { spots, width: widest, height: y + tallest };
}

/** The nearest spot from `from` in the direction of an arrow key, or nothing. */
export function nearest(spots: readonly Spot[], from: Spot, key: string): Spot | undefined {
  const [ux, uy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] ?? [0, 0];
  let best: Spot | undefined;
  let least = Infinity;
  for (const s of spots) {
    const along = (s.x - from.x) * ux! + (s.y - from.y) * uy!;
    const aside = Math.abs((s.x - from.x) * uy!) + Math.abs((s.y - from.y) * ux!);
    const cost = along + 2 * aside;
    if (along > 1 && cost < least) {
      least = cost;
      best = s;
    }
  }
  return best;
}
