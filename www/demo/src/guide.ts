// A guided minute through a sample: what to look at, and where. It changes nothing.
import { signal } from '@preact/signals';
import type { PlainKey } from '../../shared/i18n';
import type { View } from '../../shared/router';

export const STEPS = [
  { view: 'inbox', title: 'guide.1', text: 'guide.1.text' },
  { view: 'memories', title: 'guide.2', text: 'guide.2.text' },
  { view: 'memories', title: 'guide.3', text: 'guide.3.text' },
  { view: 'review', title: 'guide.4', text: 'guide.4.text' },
  { view: 'review', title: 'guide.5', text: 'guide.5.text' },
  { view: 'data', title: 'guide.6', text: 'guide.6.text' },
] as const satisfies readonly { view: View; title: PlainKey; text: PlainKey }[];

/** The step that is shown, or none. */
export const step = signal<number | null>(null);

export function goTo(next: number | null): void {
  step.value = next;
  const there = next === null ? undefined : STEPS[next];
  if (there) location.hash = `#/${there.view}`;
}
