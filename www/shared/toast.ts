// What has just been done, said where it was done, with the way back.
import { signal } from '@preact/signals';
import { announce } from './state';

export type Toast = { id: number; text: string; back?: (() => Promise<void>) | undefined; isRedo: boolean };

export const toast = signal<Toast | null>(null);
let last = 0;

/** Says what was done, to the eye and to a screen reader; `back` takes it back, or does again what was taken back. */
export function done(text: string, back?: () => Promise<void>, isRedo = false): void {
  toast.value = { id: ++last, text, back, isRedo };
  announce(text);
}

export const dismiss = (): void => void (toast.value = null);
