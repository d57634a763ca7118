// Memories that may be outdated, with the newer one and a one-step answer.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Memory } from 'memfold';
import { faultOf, remove, review } from '../actions';
import { doubtsAt, isOwnTarget, type Doubt } from '../doubts';
import { engine } from '../engine';
import { t } from '../i18n';
import { entries, memories, type Fault } from '../state';
import { statementsOf } from '../statements';
import { Problem } from './basics';
import { Icon } from './icon';
import { Byline } from './mail';
import { HeadlineText } from './statements';

const Linked = ({ memory }: { memory: Memory }) => (
  <>
    <a href={`#/memories/${memory.id}`}>
      <HeadlineText memory={memory} />
    </a>{' '}
    {statementsOf(memory)
      .slice(0, 1)
      .map((s) => (
        <Byline key={s.text} {...s} marks={[s.text]} />
      ))}
  </>
);

/** The doubts about a memory. With `others`, only those without a review of their own. */
export function Doubts({ memory, others }: { memory: Memory; others?: boolean }) {
  const found = useSignal<readonly Doubt[]>([]);
  const problem = useSignal<Fault | null>(null);
  const busy = useSignal(false);
  useSignalEffect(() => {
    // Every write may settle or raise a doubt.
    void entries.value;
    doubtsAt(memory).then(
      (doubts) => (found.value = others ? doubts.filter((d) => !isOwnTarget(d)) : doubts),
      (reason) => (problem.value = faultOf(reason)),
    );
  });
  const settle = async (work: Promise<unknown>) => {
    busy.value = true;
    problem.value = null;
    try {
      await work;
    } catch (reason) {
      problem.value = faultOf(reason);
    } finally {
      busy.value = false;
    }
  };
  if (found.value.length === 0) return problem.value && <Problem fault={problem.value} />;
  return (
    <section class="doubts" aria-busy={busy.value}>
      {found.value.map((doubt) => {
        const { edge, older, newer, item } = doubt;
        const mine = older.id === memory.id;
        return (
          <div class="doubt" key={edge.id}>
            <h3>
              <Icon name="warning" size={14} /> {t(mine ? 'doubt.outdatedBy' : 'doubt.outdates')}
            </h3>
            <p>
              <Linked memory={mine ? newer : older} />
            </p>
            <div class="form-row" role="group" aria-label={t('doubt.settle')}>
              {item && isOwnTarget(doubt) && (
                <button type="button" class="button" disabled={busy.value} onClick={() => void settle(review([{ entryId: item.entry.id, verdict: 'UPDATE' }]))}>
                  {t('doubt.replace')}
                </button>
              )}
              {!(item && isOwnTarget(doubt)) && (
                <button type="button" class="button" disabled={busy.value} onClick={() => void settle(remove(older.id))}>
                  {t('doubt.drop')}
                </button>
              )}
              {item && !others && (
                <button type="button" class="button" disabled={busy.value} onClick={() => void settle(review([{ entryId: item.entry.id, verdict: 'accept' }]))}>
                  {t('doubt.keep')}
                </button>
              )}
            </div>
          </div>
        );
      })}
      {problem.value && <Problem fault={problem.value} />}
    </section>
  );
}

/** Next to a search hit: the newer memory that may outdate it. */
export function OutdatedBy({ id, near }: { id: string; near: readonly Memory[] }) {
  const read = useSignal<Memory | undefined>(undefined);
  const known = near.find((m) => m.id === id) ?? memories.value.get(id);
  useSignalEffect(() => {
    if (known) return;
    engine.history(id).then(
      (versions) => (read.value = versions.at(-1)),
      () => (read.value = undefined),
    );
  });
  const memory = known ?? read.value;
  if (!memory) return null;
  return (
    <p class="doubt">
      <strong>
        <Icon name="warning" size={14} /> {t('doubt.outdatedBy')}
      </strong>{' '}
      <Linked memory={memory} />
    </p>
  );
}
