// What is due: the days on which something ends or takes place, as the reader's calendar has them.
import { computed } from '@preact/signals';
import type { Memory } from 'memfold';
import { current } from './state';

export type Due = { memory: Memory; at: string; day: string; kind: 'until' | 'on'; hasTime: boolean };

const two = (n: number): string => String(n).padStart(2, '0');
export const dayOf = (date: Date): string => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
export const dateOf = (day: string): Date => new Date(`${day}T12:00:00`);
export const daysAfter = (day: string, n: number): string => {
  const date = dateOf(day);
  date.setDate(date.getDate() + n);
  return dayOf(date);
};

const STALE_MS = 14 * 86_400_000;

const lastSaid = computed(() => {
  let last = 0;
  for (const m of current.value) last = Math.max(last, Date.parse(m.statedAt ?? m.createdAt) || 0);
  return last;
});

/** The day from which times count, where it is not today: an archive's last day, if that lies well back. */
export function lastDay(): string {
  const last = lastSaid.value;
  return last === 0 || Date.now() - last < STALE_MS ? '' : dayOf(new Date(last));
}

/** The day that counts as today. */
export const today = (): string => lastDay() || dayOf(new Date());

/** The first day of the week that a day lies in, a Monday. */
export const weekOf = (day: string): string => daysAfter(day, -((dateOf(day).getDay() + 6) % 7));

/** What is due from a day on, the soonest first. An offer that ends is nothing that its reader owes. */
export function dueFrom(day: string, memories: readonly Memory[] = current.value): Due[] {
  return memories
    .flatMap((memory): Due[] => {
      if (memory.category === 'ads') return [];
      const end = memory.validUntil && memory.category !== 'meeting' ? memory.validUntil : undefined;
      const at = end ?? memory.occurredAt;
      const date = new Date(at);
      if (Number.isNaN(date.getTime())) return [];
      // What was only said on a day does not take place on it.
      if (!end && Date.parse(at) <= Date.parse(memory.statedAt ?? memory.createdAt)) return [];
      return [{ memory, at, day: dayOf(date), kind: end ? 'until' : 'on', hasTime: !end && (date.getHours() !== 0 || date.getMinutes() !== 0) }];
    })
    .filter((due) => due.day >= day)
    .sort((a, b) => a.at.localeCompare(b.at));
}
