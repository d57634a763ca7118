// Where the reader is: `#/memories/<id>`.
import { signal } from '@preact/signals';

export const views = ['inbox', 'memories', 'links', 'review', 'log', 'search', 'rest', 'evaluate', 'data', 'settings'] as const;
export type View = (typeof views)[number];
export type Route = { view: View; id: string };

const admitted = new Set<string>(views);

function parse(): Route {
  const [view = '', id = ''] = location.hash.replace(/^#\/?/, '').split('/');
  return { view: admitted.has(view) ? (view as View) : 'inbox', id: decodeURIComponent(id) };
}

export const route = signal<Route>(parse());

addEventListener('hashchange', () => {
  const before = route.value.view;
  route.value = parse();
  if (route.value.view === before) return;
  // The new view's heading takes the focus, as a loaded page would.
  requestAnimationFrame(() => {
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  });
});

/** Views of another page that is made of these parts. */
export function admit(...more: string[]): void {
  for (const view of more) admitted.add(view);
  route.value = parse();
}
