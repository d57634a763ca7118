// Live updates: change events across tabs and workers, live queries, React hooks, and one engine for several tabs.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from '../worker/workerd.mjs';
import { installed } from './installed.mjs';
import { becomes, pages } from './pages.mjs';

let project;
let tabs;
before(async () => {
  project = await installed();
  // No content security policy, since the tests evaluate code in pages.
  tabs = await pages(project.dir, '');
});
after(async () => {
  await tabs?.close();
  project?.remove();
});

const opened = (from, options) => `
  import { open } from '${from}';
  const memories = (globalThis.memories = await open(${JSON.stringify(options)}));
  globalThis.heard = [];
  globalThis.stop = memories.subscribe((changes) => heard.push(...changes.map((c) => [c.seq, c.decision, c.ids.length, c.by?.kind, c.own])));
  globalThis.texts = [];
  memories.live.list({ order: 'newest' }, (list) => { texts = list.map((m) => m.content); }, (e) => { texts = [e.code]; });
  globalThis.say = (content) => memories.add({ content }).then((r) => r.memory.id);`;

test('every_tab_receives_changes_by_others_and_updates_its_live_queries', async () => {
  const options = { name: 'live' };
  const [a, b] = [await tabs.page(opened('memfold', options)), await tabs.page(opened('memfold', options))];
  await b.evaluate(
    `globalThis.hits = undefined; memories.live.search('When is the dentist?', { limit: 3 }, (h) => { hits = h.map((x) => x.memory.content); })`,
  );
  await becomes(b, 'hits', []);
  const id = await a.evaluate(`say('The dentist is on Thursday at 10')`);
  await becomes(b, 'texts', ['The dentist is on Thursday at 10']);
  await becomes(b, 'hits', ['The dentist is on Thursday at 10']);
  await becomes(a, 'heard', [[1, 'CREATE', 1, 'page', true]]);
  await becomes(b, 'heard', [[1, 'CREATE', 1, 'page', false]]);
  await b.evaluate(`memories.update('${id}', 'The dentist is on Friday at 9')`);
  await becomes(a, 'texts', ['The dentist is on Friday at 9']);
  await becomes(b, 'hits', ['The dentist is on Friday at 9']);
  await a.evaluate('stop()');
  await b.evaluate(`memories.delete('${id}')`);
  await becomes(a, 'texts', []);
  assert.equal(await a.evaluate('heard.length'), 2);
  await a.evaluate(`say('Tea is at four')`);
  await becomes(b, 'texts', ['Tea is at four']);
  await a.evaluate('memories.clear()');
  await becomes(b, 'texts', []);
  await becomes(b, 'heard.at(-1)', [0, 'DELETE', 0, 'page', false]);
  await b.evaluate(`say('The bus leaves at six')`);
  await becomes(a, 'texts', ['The bus leaves at six']);
  await a.close();
  await b.close();
});

test('missed_changes_are_read_from_the_log_and_delivered_once', async () => {
  const options = { name: 'missed' };
  const a = await tabs.page(opened('memfold', options));
  // This writer cannot announce its changes.
  const b = await tabs.page(`BroadcastChannel.prototype.postMessage = () => {};\n${opened('memfold', options)}`);
  await b.evaluate(`say('The first thing is a red kite')`);
  await a.evaluate(`say('Supper is at seven in room 9')`);
  await becomes(a, 'heard.map((h) => [h[0], h[3]])', [
    [2, 'page'],
    [1, null],
  ]);
  await a.evaluate(`new Promise((r) => setTimeout(r, 400))`);
  assert.equal(await a.evaluate('heard.length'), 2);
  await a.close();
  await b.close();
});

for (const run of ['dedicated', 'shared', 'tabs']) {
  test(`an_engine_in_a_worker_behaves_like_in_the_page_${run}`, async () => {
    const options = { name: `worker-${run}`, worker: { run } };
    const page = await tabs.page(opened('memfold/worker', options));
    await page.evaluate(`say('The kickoff is on 22 January at 2 pm in room 3')`);
    await becomes(page, 'texts', ['The kickoff is on 22 January at 2 pm in room 3']);
    const result = await page.evaluate(async () => {
      const code = (work) =>
        work().then(
          () => 'none',
          (e) => [e.name, e.code, e.retryable, e.field ?? ''],
        );
      const stopped = new AbortController();
      stopped.abort();
      const mail = (n) =>
        `From x@y Thu Jan 01 00:00:00 2026\r\nFrom: kim@a.example\r\nTo: me@b.example\r\nMessage-ID: <m${n}@a>\r\nDate: Thu, 1 Jan 2026 0${n}:00:00 +0000\r\nSubject: Invoice ${n}\r\n\r\nInvoice ${n}00 is due on ${n} March 2026.\r\n\r\n`;
      const seen = [];
      const report = await memories.importMail(new Blob([mail(1), mail(2), mail(3)]), {
        onProgress: (p) => seen.push(p.mails),
        onReceipt: (r) => seen.push(r.subject),
      });
      const { calls } = await memories.model.estimate(mail(4));
      return {
        mails: report.mails,
        seen,
        calls,
        store: memories.durability.store,
        found: (await memories.search('When is the kickoff?'))[0].memory.content,
        codes: [
          await code(() => memories.add({ content: '' })),
          await code(() => memories.list({ ordr: 'x' })),
          await code(() => memories.add({ content: 'x' }, { signal: stopped.signal })),
          await code(() => memories.get('x')),
          await code(() => {
            const metadata = {};
            metadata.self = metadata;
            return memories.add({ content: 'x', metadata });
          }),
          await code(() => memories.importMail(new ReadableStream({ pull: () => new Promise(() => {}) }), { signal: AbortSignal.timeout(50) })),
        ],
      };
    });
    assert.deepEqual(result.codes, [
      ['MemfoldError', 'invalid_field', false, 'content'],
      ['MemfoldError', 'unknown_field', false, 'ordr'],
      ['MemfoldError', 'aborted', false, ''],
      ['MemfoldError', 'invalid_field', false, 'id'],
      ['MemfoldError', 'invalid_input', false, 'metadata.self'],
      ['MemfoldError', 'aborted', false, ''],
    ]);
    assert.deepEqual(
      [result.mails, result.calls, result.store, result.seen.filter((s) => typeof s === 'string')],
      [3, 1, 'indexeddb', ['Invoice 1', 'Invoice 2', 'Invoice 3']],
    );
    assert.equal(result.found, 'The kickoff is on 22 January at 2 pm in room 3');
    assert.ok((await page.evaluate('heard')).every(([, , , kind]) => kind === (run === 'shared' ? 'shared-worker' : 'worker')));
    assert.deepEqual(await page.evaluate(`memories.close().then(() => memories.list()).catch((e) => e.code)`), 'closed');
    await page.close();
  });
}

test('close_waits_for_running_calls_in_a_worker_like_in_the_page', async () => {
  const page = await tabs.page(`import { open } from 'memfold/worker'; import { open as inPage } from 'memfold'; Object.assign(globalThis, { open, inPage });`);
  for (const run of ['page', 'tabs', 'dedicated', 'shared']) {
    const settled = await page.evaluate(async (run) => {
      const memories = await (run === 'page' ? inPage({ name: 'closing-page' }) : open({ name: `closing-${run}`, worker: { run } }));
      const out = Array.from({ length: 30 }, (_, n) => memories.add({ content: `Closing note ${n} about whale ${n}` }));
      const [closed, late] = [memories.close(), memories.list().catch((e) => e.code)];
      const ends = await Promise.all(
        out.map((one) =>
          one.then(
            () => 'done',
            (e) => e.code,
          ),
        ),
      );
      await closed;
      return [ends.filter((end) => end !== 'done'), await late];
    }, run);
    assert.deepEqual(settled, [[], 'closed'], run);
  }
});

test('the_worker_calls_the_pages_analyst_and_embedder', async () => {
  const page = await tabs.page(`
    import { open } from 'memfold/worker';
    globalThis.asked = [];
    const analyst = (question, { signal }) => {
      asked.push([question.candidates.length, signal instanceof AbortSignal]);
      const text = 'Q1 마케팅 예산은 6000만원으로 정했다';
      return { entries: [{ op: 'new', text, evidence: text, links: [{ to: question.candidates[0].handle, type: 'reference' }] }], tokens: 3 };
    };
    const embedder = { model: 'own', embed: (texts) => texts.map((t) => [...t].reduce((v, c) => (v[c.charCodeAt(0) % 16] += 1, v), Array(16).fill(0))) };
    globalThis.memories = await open({ name: 'asked', policy: 'accurate', model: analyst, embedder });`);
  const entry = await page.evaluate(async () => {
    await memories.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't' });
    return (await memories.add({ content: 'Q1 마케팅 예산은 6000만원으로 정했다', threadId: 't' })).entry;
  });
  assert.deepEqual([entry.analyst, entry.decision, entry.tokens], ['model', 'CREATE_AND_LINK', 3]);
  assert.deepEqual(await page.evaluate('asked'), [[1, true]]);
  assert.equal(await page.evaluate('memories.model.reembed().then((r) => r.waiting)'), 0);
  await page.close();
});

test('tabs_share_one_engine_and_another_tab_takes_over_from_a_closed_leader', async () => {
  const options = { name: 'tabs', worker: { run: 'tabs' } };
  const [a, b, c] = [
    await tabs.page(opened('memfold/worker', options)),
    await tabs.page(opened('memfold/worker', options)),
    await tabs.page(opened('memfold/worker', options)),
  ];
  const running = async () => [a, b, c].map((p) => (p.isClosed() ? 0 : p.workers().length));
  assert.deepEqual(await running(), [1, 0, 0]);
  await b.evaluate(`say('The dentist is on Thursday at 10')`);
  await becomes(c, 'texts', ['The dentist is on Thursday at 10']);
  // Reads are retried, writes fail with a retryable code, and acknowledged writes are kept.
  await b.evaluate(`globalThis.outcome = []; globalThis.busy = true; globalThis.acknowledged = 0;
    void (async () => { for (let n = 0; busy; n += 1) await say('Invoice number ' + (1000 + n * 17) + ' is for a garden fork').then(() => { acknowledged += 1; }, (e) => outcome.push([e.code, e.retryable])); busy = 'over'; })();
    globalThis.reads = 0; globalThis.failed = [];
    void (async () => { while (busy === true) await memories.list().then(() => { reads += 1; }, (e) => failed.push(e.code)); })();`);
  await b.waitForFunction('acknowledged > 3');
  await a.close();
  const before = await b.evaluate('[acknowledged, reads]');
  await b.waitForFunction(`acknowledged > ${before[0] + 2} && reads > ${before[1] + 2}`, null, { timeout: 20_000 });
  await b.evaluate('busy = false');
  await b.waitForFunction(`busy === 'over'`);
  const { outcome, failed, acknowledged, kept } = await b.evaluate(async () => ({
    outcome,
    failed,
    acknowledged,
    kept:
      (await memories.log.list({ decision: 'CREATE' })).length +
      (await memories.log.list({ decision: 'CREATE_AND_LINK' })).length +
      (await memories.log.list({ decision: 'UPDATE' })).length +
      (await memories.log.list({ decision: 'SKIP' })).length,
  }));
  assert.deepEqual(failed, []);
  assert.ok(outcome.every(([code, retryable]) => code === 'connection_lost' && retryable) && outcome.length <= 1, JSON.stringify(outcome));
  assert.ok(kept >= acknowledged + 1 && kept <= acknowledged + 1 + outcome.length, `${kept} of ${acknowledged}`);
  assert.deepEqual(
    (await running()).reduce((x, y) => x + y),
    1,
  );
  assert.deepEqual(await c.evaluate(`memories.data.verify().then((r) => r.problems)`), []);
  await becomes(c, 'texts.length', await b.evaluate('memories.list().then((l) => l.length)'));
  await b.close();
  await c.close();
});

test('an_unavailable_worker_is_reported', async () => {
  const page = await tabs.page(`
    import { open } from 'memfold/worker';
    globalThis.code = (options) => open({ name: 'none', ...options }).then(() => 'none', (e) => [e.code, e.field ?? '', /worker/.test(e.message)]);
    globalThis.missing = () => new Worker('/nowhere.js', { type: 'module' });
    globalThis.shared = () => new SharedWorker('/node_modules/memfold/worker-host.js', { type: 'module' });
    globalThis.throws = () => { throw new Error('no worker today'); };`);
  for (const run of ['tabs', 'dedicated']) {
    assert.deepEqual(await page.evaluate(`code({ worker: { run: '${run}', create: missing } })`), ['unsupported', '', true]);
    assert.deepEqual(await page.evaluate(`code({ worker: { run: '${run}', create: shared } })`), ['invalid_field', 'worker.create', true]);
    assert.deepEqual(await page.evaluate(`code({ worker: { run: '${run}', create: throws } })`), ['internal', '', true]);
  }
  assert.deepEqual(await page.evaluate(`code({ worker: { run: 'shared', create: shared } })`), 'none');
  assert.deepEqual(await page.evaluate(`code({ worker: { run: 'somewhere' } })`), ['invalid_field', 'worker.run', true]);
  assert.deepEqual(await page.evaluate(`code({ policy: 'quick' })`), ['invalid_field', 'policy.mode', false]);
  await page.close();
});

test('react_shows_a_live_list_and_a_live_search_with_and_without_suspense', async () => {
  const { build } = (await load('esbuild')).default;
  const modules = join(project.dir, 'node_modules');
  const require = createRequire(new URL('../../www/worker/package.json', import.meta.url));
  for (const name of ['react', 'react-dom', 'scheduler']) symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(modules, name));
  mkdirSync(join(project.dir, 'app'));
  writeFileSync(
    join(project.dir, 'app/main.jsx'),
    `
    import { Component, StrictMode, Suspense, useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { open } from 'memfold';
    import { useMemories, useSearch, useSuspenseMemories, useSuspenseSearch } from 'memfold/react';
    const memories = open({ name: 'react' });
    memories.then((m) => { globalThis.memories = m; });
    class Boundary extends Component {
      state = {};
      static getDerivedStateFromError = (error) => ({ error });
      render() { return this.state.error ? <p id="failed">{this.state.error.code}</p> : this.props.children; }
    }
    function Awaited({ question }) {
      const list = useSuspenseMemories(memories, { order: 'newest' });
      const hits = useSuspenseSearch(memories, question);
      return <ul id="awaited">{list.map((m) => <li key={m.id}>{hits.some((h) => h.memory.id === m.id) ? '!' : ''}{m.content}</li>)}</ul>;
    }
    function App() {
      const [query, setQuery] = useState('');
      const { data = [], pending } = useMemories(memories, { order: 'newest' });
      const found = useSearch(memories, query);
      return <main data-pending={String(pending)}>
        <input value={query} onChange={(e) => setQuery(e.target.value)} />
        <ul id="all">{data.map((m) => <li key={m.id}>{m.content}</li>)}</ul>
        <ol id="found">{found.data?.map((h) => <li key={h.memory.id}>{h.memory.content}</li>)}</ol>
        <p id="error">{found.error?.code}</p>
        <Boundary><Suspense fallback={<p id="waits" />}><Awaited question={query} /></Suspense></Boundary>
      </main>;
    }
    createRoot(document.body.appendChild(document.createElement('div'))).render(<StrictMode><App /></StrictMode>);`,
  );
  await build({
    absWorkingDir: project.dir,
    entryPoints: ['app/main.jsx'],
    bundle: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    outdir: 'app/out',
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    preserveSymlinks: true,
  });
  copyFileSync(join(modules, 'memfold/memfold_bg.wasm'), join(project.dir, 'app/out/memfold_bg.wasm'));
  const page = await tabs.page(`import '/app/out/main.js';`);
  const items = (id) => `[...document.querySelectorAll('#${id} li')].map((li) => li.textContent)`;
  await page.waitForSelector('main[data-pending=false]');
  assert.deepEqual(await page.evaluate(items('all')), []);
  const other = await tabs.page(opened('memfold', { name: 'react' }));
  await other.evaluate(`say('The dentist is on Thursday at 10')`);
  await becomes(page, items('all'), ['The dentist is on Thursday at 10']);
  await becomes(page, items('awaited'), ['The dentist is on Thursday at 10']);
  await page.fill('input', 'dentist');
  await becomes(page, items('awaited'), ['!The dentist is on Thursday at 10']);
  await becomes(page, items('found'), ['The dentist is on Thursday at 10']);
  await other.evaluate(`memories.list().then(([m]) => memories.update(m.id, 'The dentist is on Monday at 8'))`);
  await becomes(page, items('found'), ['The dentist is on Monday at 8']);
  await becomes(page, items('awaited'), ['!The dentist is on Monday at 8']);
  await page.fill('input', '');
  await becomes(page, items('found'), []);
  await page.fill('input', 'x'.repeat(20_000));
  await becomes(page, `document.querySelector('#error').textContent`, 'invalid_field');
  await becomes(page, `document.querySelector('#failed')?.textContent`, 'invalid_field');
  await other.close();
  await page.close();
});
