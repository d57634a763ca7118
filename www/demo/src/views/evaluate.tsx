// The playground: the decision about the second of two texts.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { faultOf } from '../../../shared/actions';
import { zone } from '../../../shared/days';
import { lang, langOf, t } from '../../../shared/i18n';
import { Choice, Problem, ViewHead } from '../../../shared/parts/basics';
import { route } from '../../../shared/router';
import { mode as chosenMode } from '../../../shared/settings';
import { announce, type Fault } from '../../../shared/state';
import { named } from '../../../shared/words';
import { download } from '../download';
import { thread } from '../engine/client';
import { EXAMPLES, KINDS, type ExampleKind } from '../examples';
import { clearLabels, labels, labelsAsLines } from '../labels';
import { Result } from '../parts/result';
import { isRaw, type Written } from '../playground/scene';
import type { Tried } from '../playground/trying';

const BLANK: Written = { kind: 'note', text: '', from: '', subject: '', day: '', answers: false };

/** A day before today, in the format of date inputs. */
const daysAgo = (n: number): string => {
  const day = new Date();
  day.setDate(day.getDate() - n);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
};

const isExample = (id: string): id is ExampleKind => (KINDS as readonly string[]).includes(id);

export function EvaluateView() {
  const first = useSignal<Written>({ ...BLANK, day: daysAgo(7) });
  const next = useSignal<Written>({ ...BLANK, day: daysAgo(0) });
  const mode = useSignal(chosenMode.value);
  const tried = useSignal<(Tried & { turn: number }) | null>(null);
  const problem = useSignal<Fault | null>(null);
  const chosen = useSignal<ExampleKind | undefined>(undefined);
  const end = useRef<HTMLDivElement>(null);
  const turn = useRef(0);

  const run = async () => {
    if (!first.value.text.trim() || !next.value.text.trim()) return;
    const mine = ++turn.current;
    try {
      const got = await thread.tryOut({ first: first.value, next: next.value, mode: mode.value }, zone());
      // Another run was started meanwhile.
      if (mine !== turn.current) return;
      tried.value = { ...got, turn: mine };
      problem.value = null;
      announce(`${t('eval.result')}: ${got.outcomes.map(({ receipt }) => named('decision', receipt.entry.decision)).join(', ') || t('play.nothing')}`);
    } catch (reason) {
      if (mine !== turn.current) return;
      tried.value = null;
      problem.value = faultOf(reason);
    }
    // On a phone, the result is below the button.
    requestAnimationFrame(() => {
      if (end.current && end.current.getBoundingClientRect().top > innerHeight * 0.8) end.current.scrollIntoView({ block: 'start' });
    });
  };
  const show = (kind: ExampleKind) => {
    const example = EXAMPLES[lang.value][kind];
    chosen.value = kind;
    first.value = { ...BLANK, ...example.first };
    next.value = { ...BLANK, ...example.next };
    void run();
  };
  const typed = (side: typeof first) => (change: Partial<Written>) => {
    chosen.value = undefined;
    side.value = { ...side.value, ...change };
  };
  // The route may name an example: `#/evaluate/fraud`.
  const { id } = route.value;
  useEffect(() => {
    if (isExample(id)) show(id);
  }, [id]);

  return (
    <>
      <ViewHead title={t('evaluate.title')} lead={t('evaluate.lead')} />
      <div class="examples">
        <p class="quiet">{t('eval.examples')}</p>
        {KINDS.map((kind) => (
          <button type="button" class="chip" key={kind} aria-pressed={chosen.value === kind} onClick={() => show(kind)}>
            {t(`eval.example.${kind}`)}
          </button>
        ))}
      </div>
      <form
        class="evaluate"
        onSubmit={(e) => {
          e.preventDefault();
          void run();
        }}
      >
        <Side name="first" legend={t('eval.first')} value={first.value} onInput={typed(first)} />
        <Side name="next" legend={t('eval.next')} value={next.value} answers={first.value.kind === 'mail'} onInput={typed(next)} />
        <div class="form-row evaluate-actions">
          <Choice
            legend={t('mode.label')}
            name="eval-mode"
            value={mode.value}
            options={(['balanced', 'fast'] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
            onChange={(m) => {
              mode.value = m;
              if (tried.value) void run();
            }}
          />
          <button
            type="button"
            class="button"
            onClick={() => {
              chosen.value = undefined;
              [first.value, next.value] = [next.value, first.value];
              if (tried.value) void run();
            }}
          >
            {t('eval.swap')}
          </button>
          <button type="submit" class="button button-primary" disabled={!first.value.text.trim() || !next.value.text.trim()}>
            {t('eval.compare')}
          </button>
        </div>
      </form>
      {problem.value && <Problem fault={problem.value} />}
      <div ref={end}>{tried.value ? <Result key={tried.value.turn} tried={tried.value} /> : <p class="eval-empty quiet">{t('eval.empty')}</p>}</div>
      <Labels />
    </>
  );
}

/** The form of one of the two texts. */
function Side({
  name,
  legend,
  value,
  answers = false,
  onInput,
}: {
  name: 'first' | 'next';
  legend: string;
  value: Written;
  answers?: boolean;
  onInput(change: Partial<Written>): void;
}) {
  const raw = isRaw(value.text);
  const isMail = value.kind === 'mail';
  return (
    <fieldset class="card side">
      <legend>{legend}</legend>
      <Choice
        legend={t('play.kind')}
        name={`${name}-kind`}
        value={value.kind}
        options={(['note', 'mail'] as const).map((kind) => ({ value: kind, label: t(`play.kind.${kind}`) }))}
        onChange={(kind) => onInput({ kind })}
      />
      {isMail && !raw && (
        <div class="side-head">
          <label class="field">
            <span>{t('play.from')}</span>
            <input
              type="text"
              value={value.from}
              placeholder={t('play.from.hint')}
              autocomplete="off"
              onInput={(e) => onInput({ from: e.currentTarget.value })}
            />
          </label>
          <label class="field">
            <span>{t('eval.subject')}</span>
            <input type="text" value={value.subject} autocomplete="off" onInput={(e) => onInput({ subject: e.currentTarget.value })} />
          </label>
        </div>
      )}
      <label class="field">
        <span class="unseen">{`${legend}: ${t('eval.content')}`}</span>
        <textarea
          rows={5}
          maxLength={isMail ? 200_000 : 8000}
          required
          lang={langOf(value.text)}
          value={value.text}
          placeholder={t(isMail ? 'play.mail.hint' : `play.note.${name}`)}
          // A pasted mail is recognised.
          onInput={(e) => onInput({ text: e.currentTarget.value, ...(isRaw(e.currentTarget.value) ? { kind: 'mail' } : {}) })}
        />
      </label>
      {isMail && raw ? (
        <p class="quiet">{t('play.raw')}</p>
      ) : (
        <div class="side-foot">
          <label class="field">
            <span>{t('eval.day')}</span>
            <input type="date" value={value.day} onInput={(e) => onInput({ day: e.currentTarget.value })} />
          </label>
          {isMail && answers && (
            <label class="check">
              <input type="checkbox" checked={value.answers} onChange={(e) => onInput({ answers: e.currentTarget.checked })} />
              <span>{t('play.answers')}</span>
            </label>
          )}
        </div>
      )}
    </fieldset>
  );
}

function Labels() {
  const n = labels.value.length;
  return (
    <section class="labels" aria-labelledby="labels-title">
      <h2 id="labels-title">{t('eval.labels')}</h2>
      <p class="quiet">{n > 0 ? t('eval.labels.count', { n }) : t('eval.labels.none')}</p>
      {n > 0 && (
        <div class="form-row">
          <button type="button" class="button" onClick={() => download('labelled-pairs.jsonl', labelsAsLines())}>
            {t('eval.export')}
          </button>
          <button type="button" class="button button-quiet" onClick={clearLabels}>
            {t('eval.clear')}
          </button>
        </div>
      )}
    </section>
  );
}
