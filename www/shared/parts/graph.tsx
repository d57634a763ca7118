// The graph of links: memories as dots in their category's colour on the background of their
// matter, links as labelled arrows. It supports dragging, zooming, arrow keys and a filter by
// memory.
import { useComputed, useSignal } from '@preact/signals';
import { select } from 'd3-selection';
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from 'd3-zoom';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Memory } from 'memfold';
import { layout, nearest, type Picture, type Spot } from '../graph';
import { langOf, t } from '../i18n';
import type { Link } from '../links';
import { matterOf } from '../matters';
import { CATEGORIES, kindOf, linkFrom, named } from '../words';
import { CategoryTag } from './basics';
import { SaidBy } from './mail';
import { MemoryText } from './statements';

const MOST = 240;
/** From this many nodes on, labels appear only near the reader's focus. */
const DENSE = 40;
/**
 * Links of each memory that are always drawn; above this number per node, others appear on
 * selection.
 */
const STRONGEST = 2;
const SCALES: [number, number] = [0.2, 4];
/** Number of background colours for matters. */
const GROUNDS = 8;
const BY_KEY = 1.35;
/** Maximum initial zoom of a small graph. */
const LARGEST = 1.5;
/** Zoom from which all labels fit. */
const CLOSE = 1.6;

/** The strongest links of every node. */
function backbone(links: readonly Link[], nodes: number): ReadonlySet<string> {
  if (links.length <= nodes * 1.5) return new Set(links.map((l) => l.edge.id));
  const taken = new Map<string, number>();
  const kept = new Set<string>();
  for (const { edge, from, to } of [...links].sort((a, b) => b.edge.weight - a.edge.weight || a.edge.id.localeCompare(b.edge.id))) {
    const [n, m] = [taken.get(from.id) ?? 0, taken.get(to.id) ?? 0];
    if (n >= STRONGEST && m >= STRONGEST) continue;
    taken.set(from.id, n + 1);
    taken.set(to.id, m + 1);
    kept.add(edge.id);
  }
  return kept;
}

const clipped = (text: string): string => {
  const most = langOf(text) === 'ko' ? 13 : 22;
  const chars = [...text];
  return chars.length > most ? `${chars.slice(0, most).join('').trimEnd()}…` : text;
};

/** The links of a memory and of its neighbours. */
function around(links: readonly Link[], id: string): readonly Link[] {
  const near = new Set([id, ...links.filter((l) => l.from.id === id || l.to.id === id).flatMap((l) => [l.from.id, l.to.id])]);
  return links.filter((l) => near.has(l.from.id) && near.has(l.to.id));
}

const NO_PICTURE: Picture = { spots: [], left: 0, top: 0, width: 1, height: 1 };
/**
 * Pause before the next layout, as a multiple of the last one's duration: an import changes the
 * graph often.
 */
const PAUSE = 3;

/** The layout for a key, recomputed after changes; the last one stays visible until then. */
function usePicture(key: string, draw: () => Promise<Picture>): Picture {
  const shown = useSignal({ key: '', picture: NO_PICTURE });
  const wanted = useRef({ key, draw });
  wanted.current = { key, draw };
  const busy = useRef(false);
  const gone = useRef(false);
  useEffect(() => () => void (gone.current = true), []);
  useEffect(() => {
    if (busy.current) return;
    busy.current = true;
    const drawAll = async () => {
      while (!gone.current && wanted.current.key !== shown.value.key) {
        const { key: now, draw: drawNow } = wanted.current;
        const began = performance.now();
        const picture = await drawNow();
        shown.value = { key: now, picture };
        await new Promise((resolve) => setTimeout(resolve, PAUSE * (performance.now() - began)));
      }
    };
    void drawAll().finally(() => (busy.current = false));
  }, [key]);
  return shown.value.picture;
}

export function Graph({ links: all, asked }: { links: readonly Link[]; asked: string | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const zooming = useRef<ZoomBehavior<SVGSVGElement, unknown> | null>(null);
  const room = useSignal({ width: 0, height: 0 });
  const view = useSignal<ZoomTransform>(zoomIdentity);
  // Zooming only moves the drawing.
  const moved = useComputed(() => view.value.toString());
  const isClose = useComputed(() => view.value.k >= CLOSE);
  const chosen = useSignal(asked ?? '');
  const focus = useSignal(asked !== undefined && all.some((l) => l.from.id === asked || l.to.id === asked) ? asked : '');
  const links = focus.value ? around(all, focus.value) : all;
  const degree = new Map<string, number>();
  const nodes = new Map<string, Memory>();
  for (const { from, to } of links) {
    for (const m of [from, to]) {
      nodes.set(m.id, m);
      degree.set(m.id, (degree.get(m.id) ?? 0) + 1);
    }
  }
  const drawn = [...nodes.keys()]
    .sort((a, b) => degree.get(b)! - degree.get(a)! || a.localeCompare(b))
    .slice(0, MOST)
    .sort();
  const kept = backbone(links, nodes.size);
  const dense = nodes.size > DENSE;
  const grounds = new Map<string, { ground: number; title: string }>();
  const groupOf = (id: string): string => matterOf(id)?.id ?? id;
  for (const id of drawn) {
    const key = groupOf(id);
    if (!grounds.has(key)) grounds.set(key, { ground: grounds.size % GROUNDS, title: matterOf(id)?.title ?? '' });
  }

  useLayoutEffect(() => {
    const element = frame.current;
    const svg = drawing.current;
    if (!element || !svg) return;
    const behaviour = zoom<SVGSVGElement, unknown>()
      .scaleExtent(SCALES)
      // The wheel scrolls the page unless Ctrl or ⌘ is held.
      .filter((e: MouseEvent & WheelEvent) => (e.type === 'wheel' ? e.ctrlKey || e.metaKey : !e.button))
      .on('zoom', ({ transform }: { transform: ZoomTransform }) => (view.value = transform));
    select(svg).call(behaviour).on('dblclick.zoom', null);
    zooming.current = behaviour;
    const measure = () => (room.value = { width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const { width, height } = room.value;
  const key = `${Math.round(width / 80)}|${drawn.join()}|${links.map((l) => l.edge.id).join()}`;
  const picture = usePicture(width > 0 ? key : '', () =>
    layout(
      drawn,
      links.filter((l) => kept.has(l.edge.id)).map((l) => [l.from.id, l.to.id] as const),
      width,
      dense,
      groupOf,
    ),
  );
  const at = new Map(picture.spots.map((s) => [s.id, s]));

  const moveTo = (next: ZoomTransform): void => {
    const svg = drawing.current;
    if (svg && zooming.current) zooming.current.transform(select(svg), next);
  };
  const fit = (): void => {
    const k = Math.min(LARGEST, width / picture.width, height / picture.height);
    moveTo(zoomIdentity.translate(width / 2 - k * (picture.left + picture.width / 2), height / 2 - k * (picture.top + picture.height / 2)).scale(k));
  };
  const scale = (by: number): void => {
    if (drawing.current) zooming.current?.scaleBy(select(drawing.current), by);
  };
  // Shows a new graph in full.
  useLayoutEffect(() => {
    if (picture !== NO_PICTURE) fit();
  }, [picture]);

  const near = new Set(links.flatMap((l) => (l.from.id === chosen.value || l.to.id === chosen.value ? [l.from.id, l.to.id] : [])));
  const reach = at.has(chosen.value) ? chosen.value : picture.spots[0]?.id;
  const choose = (id: string, move = false) => {
    chosen.value = id;
    if (!move) return;
    frame.current?.querySelector<SVGGElement>(`[data-node="${id}"]`)?.focus();
  };
  /** Scrolls a node outside the view into sight. */
  const show = (spot: Spot): void => {
    const [x, y] = view.value.apply([spot.x, spot.y]);
    const edge = 40;
    if (drawing.current && (x < edge || y < edge || x > width - edge || y > height - edge))
      zooming.current?.translateTo(select(drawing.current), spot.x, spot.y);
  };
  const stateOf = (id: string): string => (chosen.value === '' ? '' : id === chosen.value ? 'node-chosen' : near.has(id) ? 'node-near' : 'node-far');
  const onKeyDown = (e: KeyboardEvent, spot: Spot) => {
    if (e.key === 'Enter' || e.key === ' ') {
      e.preventDefault();
      location.hash = `#/memories/${spot.id}`;
    } else if (e.key === '+' || e.key === '-') {
      e.preventDefault();
      scale(e.key === '+' ? BY_KEY : 1 / BY_KEY);
    } else if (e.key.startsWith('Arrow')) {
      const next = nearest(picture.spots, spot, e.key);
      e.preventDefault();
      if (next) choose(next.id, true);
    }
  };
  const tops = new Map<string, Spot>();
  const sizes = new Map<string, number>();
  for (const spot of picture.spots) {
    const group = groupOf(spot.id);
    sizes.set(group, (sizes.get(group) ?? 0) + 1);
    const top = tops.get(group);
    if (!top || spot.y < top.y) tops.set(group, spot);
  }
  return (
    <section class={dense && !isClose.value ? 'graph graph-dense' : 'graph'} aria-label={t('links.picture', { nodes: drawn.length, edges: links.length })}>
      <div class="graph-tools form-row" role="group" aria-label={t('links.tools')}>
        <button type="button" class="button button-small" onClick={() => scale(BY_KEY)}>
          {t('links.closer')}
        </button>
        <button type="button" class="button button-small" onClick={() => scale(1 / BY_KEY)}>
          {t('links.away')}
        </button>
        <button type="button" class="button button-small" onClick={fit}>
          {t('links.fit')}
        </button>
        {focus.value ? (
          <button type="button" class="button button-small" onClick={() => (focus.value = '')}>
            {t('links.all')}
          </button>
        ) : (
          chosen.value && (
            <button type="button" class="button button-small" onClick={() => (focus.value = chosen.value)}>
              {t('links.focus')}
            </button>
          )
        )}
      </div>
      <Legend links={links} nodes={[...nodes.values()]} />
      <div class="graph-frame" ref={frame} role="group" aria-label={t('links.frame')}>
        <svg ref={drawing} width="100%" height="100%" role="none">
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 .8 7.5 4 0 7.2z" />
            </marker>
          </defs>
          <g transform={moved}>
            <g aria-hidden="true">
              {picture.spots.map((spot) => (
                <circle key={spot.id} class={`ground ground-${grounds.get(groupOf(spot.id))?.ground ?? 0}`} cx={spot.x} cy={spot.y} r={dense ? 20 : 44} />
              ))}
              {[...tops]
                .filter(([group]) => !dense || (sizes.get(group) ?? 0) > 1)
                .map(([group, spot]) => {
                  const title = grounds.get(group)?.title ?? '';
                  return (
                    <text
                      key={group}
                      class={`ground-title ground-${grounds.get(group)?.ground ?? 0}`}
                      x={spot.x}
                      y={spot.y - (dense ? 24 : 30)}
                      text-anchor="middle"
                      lang={langOf(title)}
                    >
                      {clipped(title)}
                    </text>
                  );
                })}
            </g>
            <g class={chosen.value ? 'edges edges-dim' : 'edges'} aria-hidden="true">
              {links
                .filter(({ edge, from, to }) => kept.has(edge.id) || from.id === chosen.value || to.id === chosen.value)
                .map((link) => (
                  <Arrow key={link.edge.id} link={link} at={at} chosen={chosen.value} isNamed={!dense} />
                ))}
            </g>
            {picture.spots.map((spot) => {
              const memory = nodes.get(spot.id);
              if (!memory) return null;
              const n = degree.get(spot.id) ?? 0;
              return (
                <g
                  key={spot.id}
                  data-node={spot.id}
                  class={`node category-${memory.category} ${stateOf(spot.id)}`}
                  transform={`translate(${spot.x} ${spot.y})`}
                  tabIndex={spot.id === reach ? 0 : -1}
                  role="link"
                  aria-label={t('links.node', { category: named('category', memory.category), content: memory.content, n })}
                  onFocus={() => {
                    choose(spot.id);
                    show(spot);
                  }}
                  onClick={() => choose(spot.id, true)}
                  onDblClick={() => (location.hash = `#/memories/${spot.id}`)}
                  onKeyDown={(e) => onKeyDown(e, spot)}
                >
                  <circle class="node-ring" r={13 + 4 * memory.importance} />
                  <circle class="node-dot" r={5 + 5 * memory.importance} />
                  <title>{memory.content}</title>
                </g>
              );
            })}
            <g aria-hidden="true">
              {picture.spots.map((spot) => {
                const text = nodes.get(spot.id)?.content ?? '';
                return (
                  <text key={spot.id} class={`node-label ${stateOf(spot.id)}`} x={spot.x} y={spot.y + 26} text-anchor="middle" lang={langOf(text)}>
                    {clipped(text)}
                  </text>
                );
              })}
            </g>
          </g>
        </svg>
      </div>
      {kept.size < links.length && <p class="quiet">{t('links.strongest')}</p>}
      {nodes.size > MOST && <p class="quiet">{t('links.limited', { n: MOST })}</p>}
      <Chosen memory={nodes.get(chosen.value)} links={links} onChoose={(id) => choose(id, true)} />
    </section>
  );
}

/** Position of a label along its arrow, nearer to the start, so that the head stays visible. */
const LABELLED_AT = 0.42;

type ArrowProps = { link: Link; at: ReadonlyMap<string, Spot>; chosen: string; isNamed: boolean };

function Arrow({ link: { edge, from, to }, at, chosen, isNamed }: ArrowProps) {
  const [a, b] = [at.get(from.id), at.get(to.id)];
  const touched = from.id === chosen || to.id === chosen;
  if (!a || !b) return null;
  const back = 14 / (Math.hypot(b.x - a.x, b.y - a.y) || 1);
  return (
    <g class={touched ? 'edge edge-touched' : 'edge'}>
      <line
        class={`relation-line relation-${kindOf(edge)}`}
        x1={a.x + (b.x - a.x) * back}
        y1={a.y + (b.y - a.y) * back}
        x2={b.x - (b.x - a.x) * back}
        y2={b.y - (b.y - a.y) * back}
        marker-end="url(#tip)"
      />
      {(isNamed || touched) && (
        <text class={`edge-label relation-${kindOf(edge)}`} x={a.x + (b.x - a.x) * LABELLED_AT} y={a.y + (b.y - a.y) * LABELLED_AT - 3} text-anchor="middle">
          {named('relation', kindOf(edge))}
        </text>
      )}
    </g>
  );
}

/** The legend of what is in the graph. */
function Legend({ links, nodes }: { links: readonly Link[]; nodes: readonly Memory[] }) {
  const kinds = [...new Set(links.map(({ edge }) => kindOf(edge)))].sort();
  return (
    <ul class="legend" aria-label={t('links.legend')}>
      {CATEGORIES.filter((c) => nodes.some((m) => m.category === c)).map((c) => (
        <li key={c} class={`category-${c}`}>
          <i class="dot" aria-hidden="true" />
          {named('category', c)}
        </li>
      ))}
      {kinds.map((kind) => (
        <li key={kind}>
          <svg width="26" height="8" aria-hidden="true">
            <line class={`relation-line relation-${kind}`} x1="1" y1="4" x2="18" y2="4" />
            <path class="legend-tip" d="M18 1 25 4 18 7z" />
          </svg>
          {named('relation', kind)}
        </li>
      ))}
    </ul>
  );
}

function Chosen({ memory, links, onChoose }: { memory: Memory | undefined; links: readonly Link[]; onChoose(id: string): void }) {
  if (!memory) return <p class="chosen quiet">{t('links.select')}</p>;
  const mine = links.filter((l) => l.from.id === memory.id || l.to.id === memory.id);
  return (
    <div class="chosen card">
      <p>
        <a href={`#/memories/${memory.id}`}>
          <MemoryText memory={memory} />
        </a>
      </p>
      <p class="memory-meta">
        <CategoryTag category={memory.category} />
        <SaidBy memory={memory} />
        {memory.version > 1 && <span class="memory-earlier">{t('memory.earlier', { n: memory.version - 1 })}</span>}
      </p>
      <ul class="linked">
        {mine.map(({ edge, from, to }) => {
          const other = from.id === memory.id ? to : from;
          return (
            <li key={edge.id}>
              <span class={`relation relation-${kindOf(edge)}`}>
                {from.id === memory.id ? '→' : '←'} {linkFrom(edge, from.id === memory.id)}
              </span>
              <button type="button" class="linklike" onClick={() => onChoose(other.id)}>
                <MemoryText memory={other} />
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
