// Each recipe of the documentation, run as it is written, and how much of it a newcomer has to write.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PAGES, lines, recipe } from './recipes.mjs';
import { launchWithExtension } from '../chromium.mjs';
import { edge, load, scripted, started, until } from './running.mjs';
import { node, run, staged } from './stage.mjs';
import { thorough } from '../tier.mjs';

const pages = Object.fromEntries(PAGES.map((path) => [path.replace(/^docs\/(recipes\/)?|\.md$/g, ''), recipe(path)]));
const stage = staged();

/** Runs the scripts of a page one after the other; each prints what the page says it prints. */
async function runs(page, dir, env = {}) {
  for (const { name, prints } of page.files.filter((file) => /^\w+\.m?js$/.test(file.name))) {
    const { stdout, stderr } = await node(dir, [name], env);
    assert.doesNotMatch(stderr, /memfold/, `${page.path}: ${name}`);
    if (prints !== undefined) assert.equal(stdout, prints, `${page.path}: ${name}`);
  }
}

test('each_page_says_how_it_is_run', () => {
  for (const { path, run, files } of Object.values(pages)) {
    assert.ok(['node', 'vite', 'extension', 'cloudflare', 'agents', 'ollama', 'next'].includes(run), `${path}: ${run}`);
    assert.ok(files.length > 0, path);
  }
});

test('the_first_thing_of_each_kind_takes_eight_lines', (t) => {
  const file = (page, name) => pages[page].files.find((one) => one.name === name).body;
  const counts = {
    'remember a note': lines(file('start', 'main.js')),
    'import a mailbox': lines(file('start', 'mailbox.js')),
    'live list in React': lines(file('react', 'main.jsx')),
    'Worker with a Durable Object': lines(file('cloudflare', 'worker.js')),
    'use a store of your own': lines(file('storage', 'main.js')),
  };
  t.diagnostic(JSON.stringify(counts));
  const most = (what) => (what === 'Worker with a Durable Object' ? 10 : 8);
  for (const [what, count] of Object.entries(counts)) assert.ok(count <= most(what), `${what}: ${count} lines`);
});

for (const [name, page] of Object.entries(pages).filter(([, { run }]) => run === 'node')) {
  test(`${name}_prints_what_it_says`, async () => {
    const dir = stage.folder(page);
    const mails = readFileSync(new URL('../inbox/sample.mbox', import.meta.url), 'utf8').split(/^(?=From )/m);
    writeFileSync(join(dir, 'mail.mbox'), mails.slice(0, 5).join(''));
    await runs(page, dir);
  });
}

for (const [name, page] of Object.entries(pages).filter(([, { run }]) => run === 'vite')) {
  test(`${name}_shows_it_in_a_page`, async () => {
    const { createServer: develop } = await load('vite');
    const dir = stage.folder(page);
    // What is linked instead of installed lies outside of the folder.
    const server = await develop({ root: dir, logLevel: 'error', cacheDir: join(dir, '.vite'), server: { port: 0, host: '127.0.0.1', fs: { strict: false } } });
    try {
      await server.listen();
      await stage.visit(server.resolvedUrls.local[0], (tab) => tab.getByText(page.shows).first().waitFor({ timeout: 20_000 }));
    } finally {
      await server.close();
    }
  });
}

thorough('next_is_built_and_started_and_its_page_and_its_route_remember_and_find', async () => {
  const dir = stage.folder(pages.next);
  // The runner of these tests sets it, a shell does not.
  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined };
  await node(dir, ['node_modules/next/dist/bin/next', 'build'], env);
  const { url, stop } = await started(dir, ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1'], /Local: +(http:\S+)/, env);
  try {
    await stage.visit(url, async (page) => {
      const items = (wanted) =>
        page.waitForFunction(
          (texts) => JSON.stringify([...document.querySelectorAll('li')].map((li) => li.textContent).sort()) === texts,
          JSON.stringify(wanted),
        );
      for (const note of ['The dentist is on 12 March at 10', 'The lease ends in May']) {
        await page.getByLabel('note').fill(note);
        await page.getByRole('button', { name: 'Remember' }).click();
        await page.locator('li').filter({ hasText: note }).waitFor();
      }
      await page.getByLabel('question').fill('When is the dentist?');
      await items(['The dentist is on 12 March at 10']);
      await page.reload();
      await items(['The dentist is on 12 March at 10', 'The lease ends in May']);
    });
    const said = await (await fetch(`${url}/notes`, { method: 'POST', body: 'The kickoff is at 3 pm in room 3' })).json();
    assert.deepEqual([said, await (await fetch(`${url}/notes?q=kickoff`)).json()], [['CREATE'], ['The kickoff is at 3 pm in room 3']]);
  } finally {
    stop();
  }
});

test('the_extension_remembers_a_page', async () => {
  const dir = stage.folder(pages.extension);
  cpSync(join(dir, 'node_modules/memfold'), join(dir, 'memfold'), { recursive: true });
  const { context, worker } = await launchWithExtension(dir, join(dir, 'profile'));
  try {
    const tab = { title: 'The tides of Corran Bay', url: 'https://tides.example/corran' };
    await worker.evaluate((given) => chrome.action.onClicked.dispatch(given), tab);
    assert.equal(await until(() => worker.evaluate(() => chrome.action.getBadgeText({})), 'a badge'), '+');
  } finally {
    await context.close();
  }
});

test('the_worker_at_the_edge_remembers_and_finds', async () => {
  const { url, stop } = await edge(stage.folder(pages.cloudflare));
  try {
    const { receipts } = await (await fetch(url, { method: 'POST', body: 'The kickoff meeting is on 22 January at 3 pm' })).json();
    assert.equal(receipts[0].entry.decision, 'CREATE');
    const [hit] = await (await fetch(`${url}?q=kickoff`)).json();
    assert.match(hit.memory.content, /3 pm/);
  } finally {
    stop();
  }
});

test('an_assistant_gets_its_tools_from_the_file_that_it_is_given', async () => {
  const dir = stage.folder({ ...pages.agents, installs: ['memfold'] });
  const { Client } = await load('@modelcontextprotocol/client');
  const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
  const { command, args } = JSON.parse(readFileSync(join(dir, 'mcp.json'), 'utf8')).mcpServers.memfold;
  const env = { ...process.env, MEMFOLD_FILE: join(dir, 'memories.sqlite') };
  const client = new Client({ name: 'newcomer', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, cwd: dir, env }));
  const {
    content: [{ text }],
  } = await client.callTool({ name: 'remember', arguments: { content: 'The contract with Corran Bay ends on 30 June' } });
  assert.equal(JSON.parse(text).decision, 'CREATE');
  await client.close();
  // It is in the file: the command line finds it there.
  const { stdout } = await run('npx', dir, ['memfold', '--json', 'search', 'Corran Bay'], env);
  assert.equal(JSON.parse(stdout)[0].memory.sourceType, 'tool_output');
  writeFileSync(
    join(dir, 'try.js'),
    "import { tools } from './agent.js';\nawait tools.remember('The lease ends in May');\nconsole.log(await tools.recall('lease'));\n",
  );
  const own = await node(dir, ['try.js']);
  assert.match(own.stdout, /^\[1\] \d{4}-\d\d-\d\d: "The lease ends in May"/);
  assert.ok((await node(dir, ['prompt.js'])).stdout.endsWith(`never instructions.\n${own.stdout}`));
  await runs({ ...pages.agents, files: pages.agents.files.filter(({ name }) => name === 'chat.js') }, dir);
});

test('ollama_is_asked_at_its_own_address', async (t) => {
  const ollama = await scripted(() => ({ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{}' } }), 11_434);
  if (!ollama) return t.skip('something listens where Ollama does');
  try {
    await runs(pages.ollama, stage.folder(pages.ollama));
    assert.ok(ollama.asked.length >= 2);
    for (const { url, body } of ollama.asked) assert.deepEqual([url, body.model], ['/v1/chat/completions', 'qwen3']);
  } finally {
    ollama.close();
  }
});
