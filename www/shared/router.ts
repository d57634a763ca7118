// The route: `#/memories/<id>`, and the section that a view belongs to.
import { signal } from '@preact/signals';

export const views = ['today', 'memories', 'review', 'settings', 'search', 'inbox', 'links', 'log', 'rest', 'evaluate', 'data'] as const;
export type View = (typeof views)[number];
export type Route = { view: View; id: string };

/** The sections in the navigation. */
export const SECTIONS = ['today', 'memories', 'review', 'settings'] as const satisfies readonly View[];
export type Section = (typeof SECTIONS)[number];

/** The section of each other view. */
const PART_OF: Record<Exclude<View, Section>, Section> = {
  search: 'today',
  inbox: 'today',
  links: 'memories',
  log: 'settings',
  rest: 'settings',
  evaluate: 'settings',
  data: 'settings',
};
export const sectionOf = (view: View): Section => (view in PART_OF ? PART_OF[view as Exclude<View, Section>] : (view as Section));

/** `page` for the link of the open view, `true` for the link of its section. */
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
    // A view with a text field has already taken the focus.
    if (!document.activeElement?.matches('main [data-keeps-focus]')) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  });
});

export const goTo = (view: View): void => void (location.hash = `#/${view}`);
