// Export, import and erasure of memories, and the page's settings.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Status } from 'memfold';
import { faultOf, importText } from '../../../shared/actions';
import { engine } from '../../../shared/engine';
import { count, t } from '../../../shared/i18n';
import { Confirm, FileButton, Problem, ViewHead } from '../../../shared/parts/basics';
import { links } from '../../../shared/links';
import { Look } from '../../../shared/parts/shell';
import { owner } from '../../../shared/settings';
import { announce, current, entries, memories, type Fault } from '../../../shared/state';
import { download } from '../download';
import { ADDRESS, ownerFrom, ownerLine } from '../owner';
import { erase, reopen, setOwner } from '../run';

const EXAMPLE = `import { open } from 'memfold';

const memories = await open({ name: 'mine' });
await memories.importMail(file);

const [hit] = await memories.search('When is the kickoff?');
console.log(hit.memory.content, await memories.history(hit.memory.id));`;

export function StoreDataView() {
  const problem = useSignal<Fault | null>(null);
  const said = useSignal('');
  const sure = useSignal(false);
  const attempt = async (work: () => Promise<string>) => {
    problem.value = null;
    said.value = '';
    try {
      said.value = await work();
      announce(said.value);
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const known = current.value.length;
  return (
    <>
      <ViewHead title={t('data.title')} lead={t('data.lead')} />
      <div class="data-note">
        {problem.value && <Problem fault={problem.value} />}
        {said.value && <p class="done">{said.value}</p>}
      </div>
      <section aria-labelledby="use-title">
        <h2 id="use-title" class="unseen">
          {t('data.use')}
        </h2>
        <dl class="tiles">
          <Tile label={t('data.use.memories')} value={known} />
          <Tile label={t('data.use.versions')} value={memories.value.size - known} />
          <Tile label={t('data.use.links')} value={links.value.length} />
          <Tile label={t('data.use.entries')} value={entries.value.length} />
        </dl>
      </section>
      <div class="cards">
        <section class="card" aria-labelledby="export-title">
          <h2 id="export-title">{t('data.export')}</h2>
          <p>{t('data.export.detail')}</p>
          <button
            type="button"
            class="button button-primary"
            onClick={() =>
              void attempt(async () => {
                download('memories.jsonl', (await engine.data.export()) + ownerLine());
                return '';
              })
            }
          >
            {t('data.export.go')}
          </button>
        </section>
        <section class="card" aria-labelledby="import-title">
          <h2 id="import-title">{t('data.import')}</h2>
          <p>{t('data.import.detail')}</p>
          <FileButton
            label={t('data.import.go')}
            accept=".jsonl,.ndjson,application/jsonl,application/x-ndjson,text/plain"
            onFiles={([file]) =>
              void attempt(async () => {
                const text = await (file as File).text();
                const { memories: n, known: already } = await importText(text);
                const told = ownerFrom(text);
                if (told.length > 0) await reopen();
                return [t('data.imported', { n, already }), ...(told.length > 0 ? [t('data.imported.owner', { addresses: told.join(', ') })] : [])].join(' ');
              })
            }
          />
        </section>
        <section class="card" aria-labelledby="check-title">
          <h2 id="check-title">{t('data.check')}</h2>
          <p>{t('data.check.detail')}</p>
          <button
            type="button"
            class="button"
            onClick={() =>
              void attempt(async () => {
                const [{ problems, memories: m, edges: e, entries: n }, { byStatus }] = await Promise.all([engine.data.verify(), engine.log.stats()]);
                return problems.length === 0
                  ? t('data.check.well', { memories: m, edges: e, entries: n - ((byStatus as Partial<Record<Status, number>>).dry_run ?? 0) })
                  : t('data.check.broken', { n: problems.length, rules: [...new Set(problems.map((p) => p.rule))].join(', ') });
              })
            }
          >
            {t('data.check.go')}
          </button>
        </section>
        <section class="card" aria-labelledby="erase-title">
          <h2 id="erase-title">{t('data.erase')}</h2>
          <p>{t('data.erase.detail')}</p>
          {sure.value ? (
            <Confirm
              label={t('data.erase')}
              ask={<strong>{t('data.erase.sure', { n: known })}</strong>}
              yes={t('data.erase.yes')}
              onNo={() => (sure.value = false)}
              onYes={() =>
                void attempt(async () => {
                  sure.value = false;
                  await erase();
                  return t('data.erased');
                })
              }
            />
          ) : (
            <button type="button" class="button button-danger-quiet" onClick={() => (sure.value = true)}>
              {t('data.erase.go')}
            </button>
          )}
        </section>
        <Owner />
        <Look title={t('data.look')} />
        <section class="card card-wide" aria-labelledby="dev-title">
          <h2 id="dev-title">{t('data.developers')}</h2>
          <p>{t('data.developers.detail')}</p>
          <pre class="code" tabIndex={0} lang="en">
            <code>{EXAMPLE}</code>
          </pre>
        </section>
      </div>
    </>
  );
}

function Owner() {
  const text = useSignal(owner.value.join(', '));
  const wrong = useSignal('');
  const said = useSignal('');
  // An import or an erasure changes the addresses too.
  useSignalEffect(() => void (text.value = owner.value.join(', ')));
  return (
    <section class="card" aria-labelledby="owner-title">
      <h2 id="owner-title">{t('data.owner')}</h2>
      <form
        class="form"
        onSubmit={async (e) => {
          e.preventDefault();
          const addresses = text.value.split(/[\s,;]+/).filter(Boolean);
          const isWrong = (one: string) =>
            !one
              .trim()
              .split(/\s+/)
              .every((word) => ADDRESS.test(word));
          wrong.value = (addresses.every((one) => ADDRESS.test(one)) ? '' : text.value.split(/[,;]+/).find(isWrong)?.trim()) ?? '';
          if (wrong.value) return;
          await setOwner(addresses);
          said.value = t('data.saved');
          announce(said.value);
        }}
      >
        <label class="field">
          <span class="quiet">{t('data.owner.detail')}</span>
          <input
            type="text"
            inputMode="email"
            autocomplete="email"
            placeholder="me@example.com"
            value={text.value}
            aria-invalid={wrong.value !== ''}
            onInput={(e) => {
              text.value = e.currentTarget.value;
              said.value = wrong.value = '';
            }}
          />
        </label>
        {wrong.value && (
          <p class="problem" role="alert">
            {t('data.owner.wrong', { text: wrong.value })}
          </p>
        )}
        {said.value && <p class="done">{said.value}</p>}
        <button type="submit" class="button">
          {t('data.save')}
        </button>
      </form>
    </section>
  );
}

const Tile = ({ label, value }: { label: string; value: number }) => (
  <div class="tile">
    <dt>{label}</dt>
    <dd>{count(value)}</dd>
  </div>
);
