// "This is wrong": stores the right decision as a labelled pair.
import { useSignal } from '@preact/signals';
import type { Comparison, Relation } from 'memfold';
import type { StoredDraft } from '../../../shared/types';
import { t } from '../../../shared/i18n';
import { Choice } from '../../../shared/parts/basics';
import { announce } from '../../../shared/state';
import { named } from '../../../shared/words';
import { addLabel, labels, type Expected } from '../labels';

const EXPECTED: readonly Expected[] = ['UPDATE', 'CREATE_AND_LINK', 'CREATE', 'SKIP'];
const RELATIONS: readonly Relation[] = ['sequential', 'causal', 'prerequisite', 'elaboration', 'reference', 'alternative'];

export function Correct({ existing, next, comparison, onDone }: { existing: StoredDraft; next: StoredDraft; comparison: Comparison; onDone(): void }) {
  const found = comparison.propertyChanges[0];
  const expected = useSignal<Expected>(comparison.decision === 'UPDATE' ? 'CREATE_AND_LINK' : 'UPDATE');
  const relation = useSignal<Relation>(comparison.relation ?? 'sequential');
  const contradiction = useSignal(comparison.conflict === 'CONTRADICTION');
  const property = useSignal(found?.property ?? '');
  const oldValue = useSignal(found?.oldValue ?? '');
  const newValue = useSignal(found?.newValue ?? '');
  const reasoning = useSignal('');
  const text = (label: string, value: typeof property) => (
    <label class="field">
      <span>{label}</span>
      <input type="text" value={value.value} onInput={(e) => (value.value = e.currentTarget.value)} />
    </label>
  );
  return (
    <form
      class="correct"
      onSubmit={(e) => {
        e.preventDefault();
        addLabel(existing, next, {
          expected: expected.value,
          relation: relation.value,
          contradiction: contradiction.value,
          property: property.value,
          oldValue: oldValue.value,
          newValue: newValue.value,
          reasoning: reasoning.value,
          subjectA: comparison.subjectA ?? '',
          subjectB: comparison.subjectB ?? '',
        });
        announce(t('eval.stored', { n: labels.value.length }));
        onDone();
      }}
    >
      <Choice
        legend={t('eval.right')}
        name="expected"
        value={expected.value}
        options={EXPECTED.map((value) => ({ value, label: named('decision', value) }))}
        onChange={(v) => (expected.value = v)}
      />
      {expected.value === 'CREATE_AND_LINK' && (
        <label class="field">
          <span>{t('eval.linkType')}</span>
          <select value={relation.value} onChange={(e) => (relation.value = e.currentTarget.value as Relation)}>
            {RELATIONS.map((r) => (
              <option key={r} value={r}>
                {named('relation', r)}
              </option>
            ))}
          </select>
        </label>
      )}
      {expected.value === 'UPDATE' && (
        <div class="form-row">
          {text(t('eval.property'), property)}
          {text(t('eval.old'), oldValue)}
          {text(t('eval.new'), newValue)}
          <label class="check">
            <input type="checkbox" checked={contradiction.value} onChange={(e) => (contradiction.value = e.currentTarget.checked)} />
            {t('eval.contradiction')}
          </label>
        </div>
      )}
      {text(t('eval.reasoning'), reasoning)}
      <div class="form-row">
        <button type="submit" class="button button-primary">
          {t('eval.store')}
        </button>
        <button type="button" class="button" onClick={onDone}>
          {t('common.cancel')}
        </button>
      </div>
    </form>
  );
}
