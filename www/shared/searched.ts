// The last question and its hits, kept while the page is open, so that a reader who returns from a hit finds them unchanged.
import { batch, signal } from '@preact/signals';
import type { Category, Hit } from 'memfold';
import type { Reply } from './parts/answer';

/** A hit below this relevance is no answer. With the encoder 17 % of the right answers to held-out questions are below it, and 16 % of the unanswerable questions have a hit above. */
export const SURE = 0.2;

/** What is typed. */
export const text = signal('');
export const category = signal<Category | ''>('');
/** The day from which times count, where its reader has chosen one. */
export const asked = signal<string | null>(null);
export const older = signal(false);
/** What was asked elsewhere and is to be asked by the view that is opened for it. */
export const wanted = signal('');
/** What was asked, and what was found. */
export const found = signal('');
export const hits = signal<readonly Hit[] | null>(null);
export const reply = signal<Reply>(null);
/** Grows when the same question may find more than before. */
export const again = signal(0);

/** The span that was asked for, where whatever lies in it is meant. */
export const agenda = signal<{ from: string; to: string } | null>(null);

let place = 0;

/** Keeps how far down its reader was when a hit was opened. */
export const leaveAt = (y: number): void => void (place = y);

/** How far down that was; told once. */
export function cameBack(): number {
  const at = place;
  place = 0;
  return at;
}

/** Forgets it with what is erased. */
export function forget(): void {
  batch(() => {
    text.value = wanted.value = found.value = category.value = '';
    asked.value = hits.value = reply.value = agenda.value = null;
    older.value = false;
  });
  place = 0;
}
