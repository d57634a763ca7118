// The memories that belong together, as a picture and as a table.
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Edge, Memory } from 'memfold';
import { layout, nearest, type Spot } from '../graph';
import { day, langOf, score, t } from '../i18n';
import { CategoryTag, NothingYet, ViewHead } from '../parts/basics';
import { MemoryText } from '../parts/statements';
import { edges, headOf, memories } from '../state';
import { CATEGORIES, kindOf, named } from '../words';

const MOST = 240;
/** From this many nodes on, labels are shown only where the reader looks. */
const DENSE = 40;
/** A memory's strongest links are always drawn; with more than this many a node, the rest only when chosen. */
const STRONGEST = 2;
const STEP = 50;

/** An edge between the versions that hold now; what was linked to an old version is linked to its head. */
type Link = { edge: Edge; from: Memory; to: Memory };

export function LinksView() {
  const links = useComputed<Link[]>(() => {
    void memories.value;
    const seen = new Set<string>();
    return edges.value.flatMap((edge) => {
      const from = headOf(edge.from);
      const to = headOf(edge.to);
      const key = `${from?.id} ${to?.id} ${kindOf(edge)}`;
      if ((edge.kind !== 'related_to' && edge.kind !== 'may_replace') || !from || !to || from.id === to.id || from.deletedAt || to.deletedAt || seen.has(key)) return [];
      seen.add(key);
      return [{ edge, from, to }];
    });
  });
  if (links.value.length === 0) {
    return <NothingYet view="links" />;
  }
  return (
    <>
      <ViewHead title={t('links.title')} lead={t('links.lead')} />
      <Graph links={links.value} />
      <Table links={links.value} />
    </>
  );
}

/** Every node's strongest links: enough to see what hangs together. */
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

const clipped = (text: string, most: number): string => {
  const chars = [...text];
  return chars.length > most ? `${chars.slice(0, most).join('').trimEnd()}…` : text;
};

function Graph({ links }: { links: readonly Link[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const chosen = useSignal<string>('');
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => {
      // In steps, so that a scroll bar that comes and goes does not lay everything out anew.
      width.value = Math.max(320, Math.round(element.clientWidth / 80) * 80);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const degree = new Map<string, number>();
  const nodes = new Map<string, Memory>();
  for (const { from, to } of links) {
    for (const m of [from, to]) {
      nodes.set(m.id, m);
      degree.set(m.id, (degree.get(m.id) ?? 0) + 1);
    }
  }
  const drawn = [...nodes.keys()].sort((a, b) => degree.get(b)! - degree.get(a)! || a.localeCompare(b)).slice(0, MOST).sort();
  const kept = backbone(links, nodes.size);
  const key = `${width.value}|${drawn.join()}|${links.map((l) => l.edge.id).join()}`;
  const last = useRef<{ key: string; picture: ReturnType<typeof layout> } | null>(null);
  if (width.value > 0 && last.current?.key !== key) {
    last.current = { key, picture: layout(drawn, links.filter((l) => kept.has(l.edge.id)).map((l) => [l.from.id, l.to.id] as const), width.value, nodes.size > DENSE) };
  }
  const picture = last.current?.picture ?? { spots: [], width: 320, height: 320 };
  const at = new Map(picture.spots.map((s) => [s.id, s]));
  const near = new Set(links.flatMap((l) => (l.from.id === chosen.value || l.to.id === chosen.value ? [l.from.id, l.to.id] : [])));
  const reach = at.has(chosen.value) ? chosen.value : picture.spots[0]?.id;
  const choose = (id: string, focus = false) => {
    chosen.value = id;
    if (focus) frame.current?.querySelector<SVGGElement>(`[data-node="${id}"]`)?.focus();
  };
  const stateOf = (id: string): string =>
    chosen.value === '' ? '' : id === chosen.value ? 'node-chosen' : near.has(id) ? 'node-near' : 'node-far';
  const onKeyDown = (e: KeyboardEvent, spot: Spot) => {
    if (e.key === 'Enter' || e.key === ' ') {
      e.preventDefault();
      location.hash = `#/memories/${spot.id}`;
      return;
    }
    const next = nearest(picture.spots, spot, e.key);
    if (!e.key.startsWith('Arrow')) return;
    e.preventDefault();
    if (next) choose(next.id, true);
  };
  return (
    <section class={nodes.size > DENSE ? 'graph graph-dense' : 'graph'} aria-label={t('links.picture', { nodes: drawn.length, edges: links.length })}>
      <div class="graph-frame" ref={frame} tabIndex={0} role="group" aria-label={t('links.frame')}>
        <svg
          viewBox={`0 0 ${Math.max(picture.width, 1)} ${Math.max(picture.height, 1)}`}
          width={picture.width}
          height={picture.height}
          role="none"
        >
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 .8 7.5 4 0 7.2z" />
            </marker>
          </defs>
          <g class={chosen.value ? 'edges edges-dim' : 'edges'} aria-hidden="true">
            {links.map(({ edge, from, to }) => {
              const a = at.get(from.id);
              const b = at.get(to.id);
              const touched = from.id === chosen.value || to.id === chosen.value;
              if (!a || !b || (!touched && !kept.has(edge.id))) return null;
              const long = Math.hypot(b.x - a.x, b.y - a.y) || 1;
              const back = 13 / long;
              return (
                <g key={edge.id} class={touched ? 'edge edge-touched' : 'edge'}>
                  <line
                    class={`relation-line relation-${kindOf(edge)}`}
                    x1={a.x}
                    y1={a.y}
                    x2={b.x - (b.x - a.x) * back}
                    y2={b.y - (b.y - a.y) * back}
                    marker-end="url(#tip)"
                  />
                </g>
              );
            })}
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
                onFocus={() => choose(spot.id)}
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
                <text
                  key={spot.id}
                  class={`node-label ${stateOf(spot.id)}`}
                  x={spot.x}
                  y={spot.y + 26}
                  text-anchor="middle"
                  lang={langOf(text)}
                >
                  {clipped(text, langOf(text) === 'ko' ? 10 : 17)}
                </text>
              );
            })}
          </g>
        </svg>
      </div>
      <Legend />
      {kept.size < links.length && <p class="quiet">{t('links.strongest')}</p>}
      {nodes.size > MOST && <p class="quiet">{t('links.limited', { n: MOST })}</p>}
      <Chosen memory={nodes.get(chosen.value)} links={links} onChoose={(id) => choose(id, true)} />
    </section>
  );
}

const Legend = () => (
  <ul class="legend" aria-label={t('links.legend')}>
    {CATEGORIES.map((c) => (
      <li key={c} class={`category-${c}`}>
        <i class="dot" aria-hidden="true" />
        {named('category', c)}
      </li>
    ))}
    <li>
      <svg width="22" height="8" aria-hidden="true">
        <line class="relation-line relation-may_replace" x1="1" y1="4" x2="21" y2="4" />
      </svg>
      {named('relation', 'may_replace')}
    </li>
  </ul>
);

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
        <time dateTime={memory.occurredAt}>{day(memory.occurredAt)}</time>
        {memory.version > 1 && <span class="badge decision-UPDATE">{t('memory.versions', { n: memory.version })}</span>}
      </p>
      <ul class="linked">
        {mine.map(({ edge, from, to }) => {
          const other = from.id === memory.id ? to : from;
          return (
            <li key={edge.id}>
              <span class={`relation relation-${kindOf(edge)}`}>
                {from.id === memory.id ? '→' : '←'} {named('relation', kindOf(edge))}
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

function Table({ links }: { links: readonly Link[] }) {
  const shown = useSignal(STEP);
  const left = links.length - shown.value;
  const cell = (m: Memory) => (
    <a href={`#/memories/${m.id}`}>
      <MemoryText memory={m} />
    </a>
  );
  return (
    <section aria-labelledby="links-table">
      <h2 id="links-table">{t('links.table')}</h2>
      <table class="table links-table">
        <thead>
          <tr>
            <th scope="col">{t('links.from')}</th>
            <th scope="col">{t('links.kind')}</th>
            <th scope="col">{t('links.to')}</th>
            <th scope="col" class="number">
              {t('links.weight')}
            </th>
          </tr>
        </thead>
        <tbody>
          {links.slice(0, shown.value).map(({ edge, from, to }) => (
            <tr key={edge.id}>
              <td data-label={t('links.from')}>{cell(from)}</td>
              <td data-label={t('links.kind')}>
                <span class={`relation relation-${kindOf(edge)}`}>{named('relation', kindOf(edge))}</span>
              </td>
              <td data-label={t('links.to')}>{cell(to)}</td>
              <td class="number" data-label={t('links.weight')}>
                {score(edge.weight)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" class="button more-button" onClick={() => (shown.value += STEP)}>
          {t('common.more', { n: Math.min(left, STEP) })}
        </button>
      )}
    </section>
  );
}
