// What has just been done, said where it was done, with the way back.
import { signal } from '@preact/signals';
import { announce } from './state';

export type Toast = { id: number; text: string; undo?: (() => Promise<void>) | undefined };

export const toast = signal<Toast | null>(null);
let last = 0;

/** Says what was done, to the eye and to a screen reader; `undo` takes it back. */
export function done(text: string, undo?: () => Promise<void>): void {
  toast.value = { id: ++last, text, undo };
  announce(text);
}

export const dismiss = (): void => void (toast.value = null);
