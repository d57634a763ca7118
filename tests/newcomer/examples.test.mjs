// The examples, each copied to a clean folder, with the packed package, built and run.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launchWithExtension } from '../chromium.mjs';
import { edge, load, scripted, until } from './running.mjs';
import { node, staged } from './stage.mjs';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const stage = staged();

/** Builds an example with Vite and opens its page; `work` uses it. */
async function built(name, work) {
  const { build } = await load('vite');
  const dir = stage.example(name);
  await build({ root: dir, logLevel: 'error' });
  const site = await serve(join(dir, 'dist'), {});
  try {
    await stage.visit(site.url, work);
  } finally {
    await site.close();
  }
}

test('every_example_is_named_in_their_list', () => {
  const list = readFileSync(at('examples/README.md'), 'utf8');
  const projects = readdirSync(at('examples'), { withFileTypes: true })
    .filter((one) => one.isDirectory() && readdirSync(at(`examples/${one.name}`)).includes('package.json'))
    .map(({ name }) => name);
  assert.deepEqual(projects.sort(), ['agent', 'extension', 'mailbox', 'notes', 'postgres', 'react', 'worker']);
  for (const name of projects) assert.ok(list.includes(`[${name}](${name}/`), name);
});

test('a_mailbox_is_read_into_a_file_and_asked', async () => {
  const dir = stage.example('mailbox');
  const args = ['main.js', at('tests/inbox/sample.mbox'), 'suhyun.bae@daoncold.example', '의약품 콜드체인 예산이 얼마야?'];
  const first = await node(dir, args);
  assert.match(first.stdout, /^66 mails: \d+ new, \d+ changed, \d+ linked, \d+ seen before\n/);
  assert.match(first.stdout, /예산이 얼마야\?\n- .*\d/);
  assert.match((await node(dir, args)).stdout, /^66 mails: 0 new, 0 changed, 0 linked, [1-9]\d* seen before\n/);
});

test('notes_fold_into_each_other_and_are_taken_back', () =>
  built('notes', async (page) => {
    const items = () => page.locator('li').allTextContents();
    const note = async (text, decision) => {
      await page.getByLabel('Something to remember').fill(text);
      await page.getByRole('button', { name: 'Remember' }).click();
      await page.getByText(`${decision}:`).waitFor();
    };
    await note('The kickoff meeting is on 22 January at 2 pm in room 3', 'CREATE');
    await note('The kickoff meeting was moved to 3 pm', 'UPDATE');
    await until(async () => (await items()).join().includes('3 pm'), 'the new version');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await items()).join() === 'The kickoff meeting is on 22 January at 2 pm in room 3', 'the old version');
    await page.getByLabel('Search').fill('lease');
    await page.getByLabel('Search').fill('kickoff');
    await until(async () => (await items()).length === 1, 'the answer');
  }));

test('react_searches_as_one_types_over_an_engine_in_a_worker', () =>
  built('react', async (page) => {
    await page.getByText('0 known').waitFor();
    for (const note of ['The lease ends in May', 'The dentist is on 12 March at 10']) {
      await page.getByLabel('note').fill(note);
      await page.getByRole('button', { name: 'Remember' }).click();
      await page.locator('output').filter({ hasText: 'CREATE' }).waitFor();
      await page.getByText(note.startsWith('The lease') ? '1 known' : '2 known').waitFor();
    }
    await page.getByLabel('question').fill('dentist');
    await page.locator('li').filter({ hasText: '12 March' }).waitFor();
  }));

test('an_extension_remembers_what_is_selected_and_finds_it', async () => {
  const dir = stage.example('extension');
  await node(dir, ['build.mjs']);
  const { context, worker } = await launchWithExtension(join(dir, 'dist'), join(dir, 'profile'));
  try {
    await worker.evaluate(() =>
      chrome.contextMenus.onClicked.dispatch({ selectionText: 'High water is at 14:20 on 3 May', pageUrl: 'https://tides.example/' }),
    );
    assert.equal(await until(() => worker.evaluate(() => chrome.action.getBadgeText({})), 'a badge'), '+');
    const popup = await context.newPage();
    await popup.goto(`chrome-extension://${new URL(worker.url()).host}/popup.html`);
    await popup.getByText('High water is at 14:20').waitFor();
    await popup.getByLabel('question').fill('when is high water?');
    await popup.getByText('High water is at 14:20').waitFor();
  } finally {
    await context.close();
  }
});

test('a_worker_keeps_the_memories_of_owners_apart', async () => {
  const { url, stop } = await edge(stage.example('worker'));
  try {
    const call = (token, path, options = {}) => fetch(`${url}${path}`, { ...options, headers: { authorization: `Bearer ${token}` } });
    const [alice, bob] = ['a-long-random-token', 'another-long-random-token'];
    assert.equal((await fetch(`${url}/log`)).status, 401);
    assert.equal((await call('toString', '/log')).status, 401);
    const { receipts } = await (await call(alice, '/notes', { method: 'POST', body: 'The kickoff meeting is on 22 January at 3 pm' })).json();
    assert.equal(receipts[0].entry.decision, 'CREATE');
    const mail =
      'From: kim@corp.example\r\nTo: alice@corp.example\r\nMessage-ID: <a@corp.example>\r\nDate: Mon, 5 Jan 2026 10:00:00 +0000\r\nSubject: Budget\r\n\r\nThe budget for the Hanil project is 50,000 USD.\r\n';
    assert.equal((await (await call(alice, '/mail', { method: 'POST', body: mail })).json()).created, 1);
    assert.match((await (await call(alice, '/search?q=kickoff')).json())[0].memory.content, /3 pm/);
    assert.deepEqual(await (await call(bob, '/search?q=kickoff')).json(), []);
    assert.equal((await (await call(alice, '/log')).json()).length, 2);
    assert.deepEqual([(await call(alice, '/notes', { method: 'POST', body: '' })).status, (await call(alice, '/else')).status], [400, 404]);
  } finally {
    stop();
  }
});

test('an_agent_recalls_in_a_later_run_what_it_was_told', async () => {
  const dir = stage.example('agent');
  const says = (content) => ({ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } });
  const calls = (query) => ({
    index: 0,
    finish_reason: 'tool_calls',
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'recall', arguments: JSON.stringify({ query }) } }],
    },
  });
  // It calls the tool when it is asked something, and says what the tool gave.
  const model = await scripted(({ messages }) => {
    const last = messages.at(-1);
    if (last.role === 'tool') return says(`I remember: ${last.content}`);
    return JSON.stringify(last.content).includes('When') ? calls('dentist') : says('Noted.');
  });
  try {
    const told = await node(dir, ['main.js', 'My dentist is on 12 March at 10.'], { MODEL_URL: model.url });
    assert.equal(told.stdout, 'Noted.\n');
    assert.match(told.stderr, /CREATE: .*12 March/);
    assert.match((await node(dir, ['main.js', 'When is my dentist?'], { MODEL_URL: model.url })).stdout, /^I remember: .*12 March at 10/);
  } finally {
    model.close();
  }
});
