// The versions of a memory, newest first, with the difference to the version before.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Memory, PropertyChange } from 'memfold';
import { engine } from '../engine';
import { moment, t } from '../i18n';
import { memories } from '../state';
import { saidAt } from '../statements';
import { named } from '../words';
import { Fact } from './explanation';
import { MemoryText, Revision } from './statements';

/** The values that changed with a version, as its log entry names them. */
function Changes({ id }: { id: string }) {
  const found = useSignal<readonly PropertyChange[]>([]);
  useSignalEffect(() => {
    engine.why(id).then(
      (entries) => (found.value = entries.find((entry) => entry.memoryId === id)?.propertyChanges ?? []),
      () => (found.value = []),
    );
  });
  if (found.value.length === 0) return null;
  const when = (value: string) => (/^\d{4}-\d\d-\d\d(?:T|$)/.test(value) ? moment(value) : value);
  return (
    <dl class="facts changes">
      {found.value.map((p, i) => (
        <Fact key={i} label={named('field', p.property)}>
          {p.oldValue && (
            <del>
              <span class="unseen">{t('common.removed')} </span>
              {when(p.oldValue)}
            </del>
          )}{' '}
          {p.newValue && (
            <ins>
              <span class="unseen">{t('common.added')} </span>
              {when(p.newValue)}
            </ins>
          )}
        </Fact>
      ))}
    </dl>
  );
}

/** The versions, newest first, each compared with the one before. */
export function Timeline({ memory }: { memory: Memory }) {
  const chain = useSignal<readonly Memory[]>([]);
  useSignalEffect(() => {
    // Any write may add a version, so ask again.
    void memories.value;
    engine.history(memory.id).then(
      (versions) => (chain.value = versions),
      () => (chain.value = [memory]),
    );
  });
  const newestFirst = [...chain.value].reverse();
  return (
    <section>
      <h3>{t('memory.history')}</h3>
      <ol class="timeline" data-versions={newestFirst.length}>
        {newestFirst.map((version, i) => {
          const before = newestFirst[i + 1];
          return (
            <li key={version.id}>
              <p class="timeline-when">
                <strong>{t('memory.version', { n: version.version })}</strong>
                {i === 0 && <span class="badge decision-CREATE">{t('memory.current')}</span>}
                <time dateTime={saidAt(version)}>{moment(saidAt(version))}</time>
              </p>
              {before ? (
                <Revision before={before} after={version} />
              ) : (
                <p>
                  <MemoryText memory={version} />
                </p>
              )}
              {before && <Changes id={version.id} />}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
