// The message about the last action, with an undo.
import { signal } from '@preact/signals';
import { announce } from './state';

/** A possible next action. */
export type Offer = { label: string; act(): Promise<void> };
export type Toast = { id: number; text: string; back?: (() => Promise<void>) | undefined; isRedo: boolean; never: readonly Offer[] };

export const toast = signal<Toast | null>(null);
let last = 0;

/**
 * Shows and announces an action. `back` undoes or redoes it; `never` are offers for the "Never
 * remember" list.
 */
export function done(text: string, back?: () => Promise<void>, isRedo = false, never: readonly Offer[] = []): void {
  toast.value = { id: ++last, text, back, isRedo, never };
  announce(text);
}

export const dismiss = (): void => void (toast.value = null);
