// The last question and its hits, kept while the page is open, so that a reader who returns from a hit finds them unchanged.
import { batch, signal } from '@preact/signals';
import type { Category, Hit } from 'memfold';
import type { Reply } from './parts/answer';

/** A hit below this relevance is no answer. With the encoder 17 % of the right answers to held-out questions are below it, and 16 % of the unanswerable questions have a hit above. */
export const SURE = 0.2;

/** The text in the box. */
export const text = signal('');
export const category = signal<Category | ''>('');
/** The reference day, if the reader has chosen one. */
export const asked = signal<string | null>(null);
export const older = signal(false);
/** A question from another view, for the search view to ask. */
export const wanted = signal('');
/** The last question and its hits. */
export const found = signal('');
export const hits = signal<readonly Hit[] | null>(null);
export const reply = signal<Reply>(null);
/** Increases when the same question may find more. */
export const again = signal(0);

/** The time span of the question, if everything in it is meant. */
export const agenda = signal<{ from: string; to: string } | null>(null);

let place = 0;

/** Stores the scroll position when a hit is opened. */
export const saveScroll = (y: number): void => void (place = y);

/** Returns the stored scroll position once. */
export function takeScroll(): number {
  const at = place;
  place = 0;
  return at;
}

/** Clears the search after an erasure. */
export function forget(): void {
  batch(() => {
    text.value = wanted.value = found.value = category.value = '';
    asked.value = hits.value = reply.value = agenda.value = null;
    older.value = false;
  });
  place = 0;
}
