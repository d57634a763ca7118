// A one-minute tour of a sample.
import { effect, signal } from '@preact/signals';
import type { PlainKey } from '../../shared/i18n';
import { route, type View } from '../../shared/router';

export const STEPS = [
  { view: 'today', look: '.run-head', title: 'guide.1', text: 'guide.1.text' },
  { view: 'today', look: '.coming-up .week + .week', title: 'guide.2', text: 'guide.2.text' },
  { view: 'memories', look: '.matters', title: 'guide.3', text: 'guide.3.text' },
  { view: 'review', look: '.review-group-fraud .review', title: 'guide.4', text: 'guide.4.text' },
  { view: 'review', look: '.review-group-rest', title: 'guide.5', text: 'guide.5.text' },
  { view: 'data', look: '[aria-labelledby=export-title]', title: 'guide.6', text: 'guide.6.text' },
] as const satisfies readonly { view: View; look: string; title: PlainKey; text: PlainKey }[];

/** The current step, if any. */
export const step = signal<number | null>(null);

/** Whether it is collapsed to a line, because the user looks at another view. */
export const folded = signal(false);
effect(() => {
  const { view } = route.value;
  const at = step.peek();
  if (at !== null && STEPS[at]?.view !== view) folded.value = true;
});

/** Milliseconds after a step at which its element is looked for, because views render late. */
const LOOKS = [80, 240, 600];

/** Scrolls a step's element into view above the guide: its start, or its end if it does not fit. */
function show(look: string): void {
  const at = step.value;
  const bring = (): void => {
    const part = document.querySelector(look);
    if (step.value !== at || !part) return;
    const style = getComputedStyle(document.documentElement);
    const room = (document.querySelector('.guide')?.getBoundingClientRect().top ?? innerHeight) - parseFloat(style.scrollPaddingBlockStart);
    part.scrollIntoView({ block: part.getBoundingClientRect().height > room ? 'end' : 'start' });
  };
  for (const ms of LOOKS) setTimeout(bring, ms);
}

export function goTo(next: number | null): void {
  step.value = next;
  folded.value = false;
  const there = next === null ? undefined : STEPS[next];
  if (!there) return;
  location.hash = `#/${there.view}`;
  show(there.look);
}
