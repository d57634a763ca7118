// The commands that `make worker` prints, and the unmodified examples: curl, Node and, with MEMFOLD_PYTHON, Python.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { remove, temporary } from './workerd.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = (name) => `${root}/www/worker/examples/${name}`;

let state;
let dev;
let told = '';
let env;
before(async () => {
  state = temporary('dev');
  dev = spawn(process.execPath, ['www/worker/dev.mjs'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, PORT: '0', TOKEN: 'demo', STATE: state },
  });
  for await (const line of createInterface({ input: dev.stdout })) {
    told += `${line}\n`;
    const [, url, token] = /export MEMFOLD_URL=(\S+) MEMFOLD_TOKEN=(\S+)/.exec(line) ?? [];
    if (url) {
      env = { ...process.env, MEMFOLD_URL: url, MEMFOLD_TOKEN: token };
      return;
    }
  }
  throw new Error(`\`make worker\` said: ${told}`);
});
after(async () => {
  if (dev && dev.exitCode === null && dev.kill('SIGTERM')) await once(dev, 'exit');
  remove(state);
});

const run = async (command, ...args) => (await promisify(execFile)(command, args, { cwd: root, env, maxBuffer: 1 << 26 })).stdout;

test('the_printed_commands_work', async () => {
  const commands = told.split('\n').filter((line) => line.startsWith('  curl '));
  assert.equal(commands.length, 6);
  const answers = [];
  for (const command of commands) answers.push(JSON.parse(await run('sh', '-c', command.replace('curl', 'curl -sS --fail-with-body'))));
  const [made, changed, hits, mail, log, document] = answers;
  assert.deepEqual([made.entry.decision, changed.entry.decision], ['CREATE', 'UPDATE']);
  // The hit has the day of the first note and the time of the second; the old time is struck out.
  const [{ memory }] = hits;
  assert.match(memory.content, /오후 3시/);
  assert.match(memory.content, /1월 22일/);
  assert.doesNotMatch(memory.content, /2시/);
  assert.deepEqual(
    memory.statements.map(({ text, struck = [] }) => [text, struck.map(([from, to]) => text.slice(from, to).trim())]),
    [
      ['킥오프 미팅은 오후 3시로 변경되었습니다', []],
      ['킥오프 미팅은 1월 22일 오후 2시', ['오후 2시']],
    ],
  );
  assert.deepEqual([mail.mails, mail.failed, log.length, document.openapi], [66, [], 3, '3.1.0']);
});

test('the_curl_example_works', async () => {
  const [made, changed, [hit], log, check] = (await run('sh', example('curl.sh')))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual([made.memory.version, changed.entry.decision, hit.memory.id], [1, 'UPDATE', changed.memory.id]);
  assert.deepEqual([log.length, check.problems], [2, []]);
});

test('the_node_example_works', async () => {
  const said = await run(process.execPath, example('client.mjs'));
  assert.match(said, /^UPDATE - .+\n.*60,000 USD\n v1: .*50,000 USD\n v2: .*60,000 USD\n$/);
});

test('the_python_example_works', { skip: !process.env.MEMFOLD_PYTHON }, async () => {
  const [tools, made, found] = (await run(process.env.MEMFOLD_PYTHON, example('mcp_client.py'))).trim().split('\n');
  assert.equal(tools, "['remember', 'recall', 'ask', 'review', 'history', 'why', 'forget']");
  assert.match(JSON.parse(made).decision, /^CREATE/);
  assert.match(found, /^\[1\] \d{4}-\d\d-\d\d: "The contract with Corran Bay ends on 30 June 2026"/);
});
