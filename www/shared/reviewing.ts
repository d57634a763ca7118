// Open questions and changes to confirm, with the answers to them, for Today and Review.
import { useSignal, useSignalEffect, type Signal } from '@preact/signals';
import type { ChangeToConfirm, ReviewItem } from 'memfold';
import { faultOf, remove, review, type Verdict } from './actions';
import { answersOf, priorityOf, type Act } from './asking';
import { waitingChanges, waitingItems } from './doubts';
import { entries, headOf, run, waiting, type Fault } from './state';

export type Reviewing = {
  /** By priority; `null` until read. */
  items: Signal<readonly ReviewItem[] | null>;
  changes: Signal<readonly ChangeToConfirm[]>;
  problem: Signal<Fault | null>;
  busy: Signal<boolean>;
  answer(asked: readonly ReviewItem[], act: Act): Promise<boolean>;
};

export function useReview(): Reviewing {
  const items = useSignal<readonly ReviewItem[] | null>(null);
  const changes = useSignal<readonly ChangeToConfirm[]>([]);
  const problem = useSignal<Fault | null>(null);
  const busy = useSignal(false);
  useSignalEffect(() => {
    // Any write may answer or raise a question. An import is read once, at its end.
    void entries.value;
    if (run.value?.state === 'running') return;
    Promise.all([waitingItems(), waitingChanges()]).then(
      ([found, reported]) => {
        items.value = found.map((item) => ({ item, weight: priorityOf(item) })).sort((a, b) => b.weight - a.weight).map(({ item }) => item);
        changes.value = reported;
        waiting.value = found.length + reported.length;
      },
      (reason) => (problem.value = faultOf(reason)),
    );
  });
  const answer = async (asked: readonly ReviewItem[], act: Act): Promise<boolean> => {
    if (busy.value) return false;
    busy.value = true;
    problem.value = null;
    try {
      const answers: { entryId: string; verdict: Verdict }[] = [];
      const drops: string[] = [];
      for (const item of asked) {
        const found = answersOf(item).find((a) => a.act === act);
        if (!found) continue;
        if ('verdict' in found) answers.push({ entryId: item.entry.id, verdict: found.verdict });
        else drops.push(headOf(item[found.drop]?.id ?? '')?.id ?? '');
      }
      if (drops.length > 0) await remove(drops);
      if (answers.length > 0) await review(answers);
      return true;
    } catch (reason) {
      problem.value = faultOf(reason);
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { items, changes, problem, busy, answer };
}
