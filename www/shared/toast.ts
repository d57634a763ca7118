// What has just been done, said where it was done, with the way back.
import { signal } from '@preact/signals';
import { announce } from './state';

/** Something that can be done next. */
export type Offer = { label: string; act(): Promise<void> };
export type Toast = { id: number; text: string; back?: (() => Promise<void>) | undefined; isRedo: boolean; never: readonly Offer[] };

export const toast = signal<Toast | null>(null);
let last = 0;

/** Says what was done, to the eye and to a screen reader; `back` takes it back, or does again what was taken back. `never` is what may be put on the list of what is never remembered. */
export function done(text: string, back?: () => Promise<void>, isRedo = false, never: readonly Offer[] = []): void {
  toast.value = { id: ++last, text, back, isRedo, never };
  announce(text);
}

export const dismiss = (): void => void (toast.value = null);
