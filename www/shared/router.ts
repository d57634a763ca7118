// Where the reader is: `#/memories/<id>`, and which of the four sections that belongs to.
import { signal } from '@preact/signals';

export const views = ['today', 'memories', 'review', 'settings', 'search', 'inbox', 'links', 'log', 'rest', 'evaluate', 'data'] as const;
export type View = (typeof views)[number];
export type Route = { view: View; id: string };

/** What the navigation shows. */
export const SECTIONS = ['today', 'memories', 'review', 'settings'] as const satisfies readonly View[];
export type Section = (typeof SECTIONS)[number];

/** The section that each other view is part of. */
const PART_OF: Record<Exclude<View, Section>, Section> = {
  search: 'today', inbox: 'today', links: 'memories', log: 'settings', rest: 'settings', evaluate: 'settings', data: 'settings',
};
export const sectionOf = (view: View): Section => (view in PART_OF ? PART_OF[view as Exclude<View, Section>] : (view as Section));

/** `page` for the entry of the open view, `true` for that of its section. */
export const currentAt = (section: Section): 'page' | 'true' | undefined =>
  route.value.view === section ? 'page' : sectionOf(route.value.view) === section ? 'true' : undefined;

const admitted = new Set<string>(views);

function parse(): Route {
  const [view = '', id = ''] = location.hash.replace(/^#\/?/, '').split('/');
  return { view: admitted.has(view) ? (view as View) : 'today', id: decodeURIComponent(id) };
}

export const route = signal<Route>(parse());

addEventListener('hashchange', () => {
  const before = route.value.view;
  route.value = parse();
  if (route.value.view === before) return;
  // The new view's heading takes the focus, as a loaded page would.
  requestAnimationFrame(() => {
    scrollTo(0, 0);
    // A view that asks for words has taken it already.
    if (!document.activeElement?.matches('main [data-keeps-focus]')) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  });
});

export const goTo = (view: View): void => void (location.hash = `#/${view}`);
