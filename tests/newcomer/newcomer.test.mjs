// Each recipe of the documentation, run as it is written, and how much of it a newcomer has to write.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { launch } from '../chromium.mjs';
import { PAGES, lines, recipe, shop } from './recipes.mjs';
import { edge, extended, load, scripted, until } from './running.mjs';

const pages = Object.fromEntries(PAGES.map((path) => [path.replace(/^docs\/(recipes\/)?|\.md$/g, ''), recipe(path)]));

let store;
let browser;
before(() => {
  store = shop();
});
after(async () => {
  await browser?.close();
  store?.close();
});

/** Runs the scripts of a page one after the other; each prints what the page says it prints. */
async function runs(page, dir, env = {}) {
  for (const { name, prints } of page.files.filter((file) => /^\w+\.m?js$/.test(file.name))) {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [name], { cwd: dir, encoding: 'utf8', timeout: 60_000, env: { ...process.env, ...env } });
    assert.doesNotMatch(stderr, /memfold/, `${page.path}: ${name}`);
    if (prints !== undefined) assert.equal(stdout, prints, `${page.path}: ${name}`);
  }
}

/** What a page of the browser shows, once it shows what it should. */
async function shown(url, text) {
  browser ??= await launch();
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  try {
    await page.goto(url);
    await page.getByText(text).first().waitFor({ timeout: 20_000 }).catch(() => assert.fail(`${url} does not show "${text}": ${errors}`));
  } finally {
    await page.close();
  }
}

test('each_page_says_how_it_is_run', () => {
  for (const { path, run, files } of Object.values(pages)) {
    assert.ok(['node', 'vite', 'extension', 'cloudflare', 'agents', 'ollama', 'none'].includes(run), `${path}: ${run}`);
    assert.ok(files.length > 0, path);
  }
});

test('the_first_thing_of_each_kind_takes_ten_lines', (t) => {
  const file = (page, name) => pages[page].files.find((one) => one.name === name).body;
  const counts = {
    'remember a note': lines(file('start', 'main.js')), 'import a mailbox': lines(file('start', 'mailbox.js')),
    'live list in React': lines(file('react', 'main.jsx')), 'Worker with a Durable Object': lines(file('cloudflare', 'worker.js')),
  };
  t.diagnostic(JSON.stringify(counts));
  for (const [what, count] of Object.entries(counts)) assert.ok(count <= 10, `${what}: ${count} lines`);
});

for (const [name, page] of Object.entries(pages).filter(([, { run }]) => run === 'node')) {
  test(`${name}_prints_what_it_says`, async () => {
    const dir = store.folder(page);
    const mails = readFileSync(new URL('../inbox/sample.mbox', import.meta.url), 'utf8').split(/^(?=From )/m);
    writeFileSync(join(dir, 'mail.mbox'), mails.slice(0, 5).join(''));
    await runs(page, dir);
  });
}

for (const [name, page] of Object.entries(pages).filter(([, { run }]) => run === 'vite')) {
  test(`${name}_shows_it_in_a_page`, async () => {
    const { createServer: develop } = await load('vite');
    const dir = store.folder(page);
    // What is linked instead of installed lies outside of the folder.
    const server = await develop({ root: dir, logLevel: 'error', cacheDir: join(dir, '.vite'), server: { port: 0, host: '127.0.0.1', fs: { strict: false } } });
    try {
      await server.listen();
      await shown(server.resolvedUrls.local[0], page.shows);
    } finally {
      await server.close();
    }
  });
}

test('the_extension_remembers_a_page', async () => {
  const dir = store.folder(pages.extension);
  cpSync(join(dir, 'node_modules/memfold'), join(dir, 'memfold'), { recursive: true });
  const { context, worker } = await extended(dir, join(dir, 'profile'));
  try {
    const tab = { title: 'The tides of Corran Bay', url: 'https://tides.example/corran' };
    await worker.evaluate((given) => chrome.action.onClicked.dispatch(given), tab);
    assert.equal(await until(() => worker.evaluate(() => chrome.action.getBadgeText({})), 'a badge'), '+');
  } finally {
    await context.close();
  }
});

test('the_worker_at_the_edge_remembers_and_finds', async () => {
  const { url, stop } = await edge(store.folder(pages.cloudflare));
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
  const dir = store.folder({ ...pages.agents, installs: ['memfold'] });
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
  const { command, args } = JSON.parse(readFileSync(join(dir, 'mcp.json'), 'utf8')).mcpServers.memfold;
  const env = { ...process.env, MEMFOLD_FILE: join(dir, 'memories.sqlite') };
  const client = new Client({ name: 'newcomer', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, cwd: dir, env }));
  const { content: [{ text }] } = await client.callTool({ name: 'remember', arguments: { content: 'The contract with Corran Bay ends on 30 June' } });
  assert.equal(JSON.parse(text).decision, 'CREATE');
  await client.close();
  // It is in the file: the command line finds it there.
  const { stdout } = await promisify(execFile)('npx', ['memfold', '--json', 'search', 'Corran Bay'], { cwd: dir, env, encoding: 'utf8' });
  assert.equal(JSON.parse(stdout)[0].memory.sourceType, 'tool_output');
  writeFileSync(join(dir, 'try.js'), "import { tools } from './agent.js';\nawait tools.remember('The lease ends in May');\nconsole.log(await tools.recall('lease'));\n");
  const own = await promisify(execFile)(process.execPath, ['try.js'], { cwd: dir, encoding: 'utf8' });
  assert.equal(own.stdout, "[ 'The lease ends in May' ]\n");
});

test('ollama_is_asked_at_its_own_address', async (t) => {
  const ollama = await scripted(() => ({ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{}' } }), 11_434);
  if (!ollama) return t.skip('something listens where Ollama does');
  try {
    await runs(pages.ollama, store.folder(pages.ollama));
    assert.ok(ollama.asked.length >= 2);
    for (const { url, body } of ollama.asked) assert.deepEqual([url, body.model], ['/v1/chat/completions', 'qwen3']);
  } finally {
    ollama.close();
  }
});
