// The layout of the graph: linked nodes are near each other and labels do not overlap. It is
// deterministic.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';

export type Spot = { id: string; x: number; y: number };
export type Picture = { spots: Spot[]; left: number; top: number; width: number; height: number };
type Pair = readonly [string, string];

const MARGIN = { x: 90, y: 56 };
/** The length of a link with a label, and without. */
const LONG = { labelled: 150, bare: 84 };
/** Simulation steps times nodes: large graphs get fewer steps. */
const WORK = 14_000;
const STEPS: [number, number] = [60, 240];

type Node = SimulationNodeDatum & { id: string; group: string };

/** Milliseconds of work before yielding to the page. */
const SLICE_MS = 12;
const yieldToPage = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/**
 * Lays out nodes. `groupOf` names groups, which stay together too. The work is done in slices, so
 * that the page stays responsive.
 */
export async function layout(ids: readonly string[], pairs: readonly Pair[], wide: number, dense: boolean, groupOf: (id: string) => string): Promise<Picture> {
  const nodes: Node[] = ids.map((id) => ({ id, group: groupOf(id) }));
  const there = new Set(ids);
  const links = pairs.filter(([a, b]) => there.has(a) && there.has(b) && a !== b).map(([source, target]) => ({ source, target }));
  const steps = Math.max(STEPS[0], Math.min(STEPS[1], Math.round(WORK / Math.max(1, nodes.length))));
  const long = dense ? LONG.bare : LONG.labelled;
  // The layout's aspect ratio follows the available width.
  const flat = Math.max(0.6, Math.min(2.2, wide / 520));
  const pull = (alpha: number): void => {
    const centres = new Map<string, { x: number; y: number; n: number }>();
    for (const { group, x = 0, y = 0 } of nodes) {
      const centre = centres.get(group) ?? { x: 0, y: 0, n: 0 };
      centres.set(group, { x: centre.x + x, y: centre.y + y, n: centre.n + 1 });
    }
    for (const node of nodes) {
      const { x, y, n } = centres.get(node.group)!;
      node.vx = (node.vx ?? 0) + (x / n - (node.x ?? 0)) * 0.12 * alpha;
      node.vy = (node.vy ?? 0) + (y / n - (node.y ?? 0)) * 0.12 * alpha;
    }
  };
  const simulation = forceSimulation(nodes)
    .force(
      'link',
      forceLink<Node, { source: string | Node; target: string | Node }>(links)
        .id((n) => n.id)
        .distance(long)
        .strength(0.5),
    )
    .force(
      'apart',
      forceManyBody()
        .strength(dense ? -170 : -420)
        .distanceMax(long * 4),
    )
    .force('collide', forceCollide(dense ? 26 : 46))
    .force('x', forceX(0).strength(0.05 / flat))
    .force('y', forceY(0).strength(0.05 * flat))
    .force('group', pull)
    .alphaDecay(1 - 0.001 ** (1 / steps))
    .stop();
  let began = performance.now();
  for (let step = 0; step < steps; step++) {
    simulation.tick();
    if (performance.now() - began < SLICE_MS) continue;
    await yieldToPage();
    began = performance.now();
  }
  const spots = nodes.map(({ id, x = 0, y = 0 }) => ({ id, x, y }));
  const [xs, ys] = [spots.map((s) => s.x), spots.map((s) => s.y)];
  const [left, top] = [Math.min(...xs, 0) - MARGIN.x, Math.min(...ys, 0) - MARGIN.y];
  return { spots, left, top, width: Math.max(...xs, 0) + MARGIN.x - left, height: Math.max(...ys, 0) + MARGIN.y - top };
}

/** The nearest node in the direction of an arrow key, if any. */
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
