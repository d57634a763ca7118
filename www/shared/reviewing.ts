// Open questions and changes to confirm, with the answers to them, for Today and Review.
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChangeToConfirm, ReviewItem } from 'memfold';
import { faultOf, remove, review, type Verdict } from './actions';
import { answersOf, priorityOf, type Act } from './asking';
import { asked, readQuestions } from './doubts';
import { entries, headOf, openChanges, type Fault } from './state';

export type Reviewing = {
  /** By priority; `null` until read. */
  items: ReadonlySignal<readonly ReviewItem[] | null>;
  changes: ReadonlySignal<readonly ChangeToConfirm[]>;
  problem: Signal<Fault | null>;
  busy: Signal<boolean>;
  answer(questions: readonly ReviewItem[], act: Act): Promise<boolean>;
};

export function useReview(): Reviewing {
  const items = useComputed(
    () =>
      asked.value
        ?.map((item) => ({ item, weight: priorityOf(item) }))
        .sort((a, b) => b.weight - a.weight)
        .map(({ item }) => item) ?? null,
  );
  const problem = useSignal<Fault | null>(null);
  useSignalEffect(() => {
    void entries.value;
    readQuestions().catch((reason) => (problem.value = faultOf(reason)));
  });
  const busy = useSignal(false);
  const answer = async (questions: readonly ReviewItem[], act: Act): Promise<boolean> => {
    if (busy.value) return false;
    busy.value = true;
    problem.value = null;
    try {
      const answers: { entryId: string; verdict: Verdict }[] = [];
      const drops: string[] = [];
      for (const item of questions) {
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
  return { items, changes: openChanges, problem, busy, answer };
}
