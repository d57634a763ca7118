// The Worker as a project of its own: created from the packed creator, with memfold as npm would install it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { thorough } from '../tier.mjs';
import { ask, remove, start, temporary, tokenOf } from './workerd.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (cwd, program, ...args) =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
  });
const packed = (folder, to) => join(to, JSON.parse(run(join(root, folder), 'npm', 'pack', '--json', '--pack-destination', to))[0].filename);

thorough('a_created_worker_installs_from_npm_type_checks_and_starts', async (t) => {
  const dir = temporary('template');
  t.after(() => remove(dir));
  run(dir, 'npm', 'install', '--no-audit', '--no-fund', '--omit', 'dev', '--ignore-scripts', packed('www/worker', dir));
  run(dir, process.execPath, 'node_modules/create-memfold-worker/create.mjs', 'my-memory');
  const made = join(dir, 'my-memory');
  assert.doesNotMatch(readFileSync(join(made, 'wrangler.jsonc'), 'utf8') + readFileSync(join(made, 'tsconfig.json'), 'utf8'), /\.\.\//);
  assert.throws(() => run(dir, process.execPath, 'node_modules/create-memfold-worker/create.mjs', 'my-memory'), /is not empty/);
  run(made, 'npm', 'install', '--no-audit', '--no-fund', packed('pkg', dir));
  assert.ok(!existsSync(join(dir, 'node_modules/memfold')), 'memfold is that of the project');
  run(made, 'npm', 'run', '--silent', 'check-types');
  const bundle = join(dir, 'bundle');
  run(made, 'npm', 'run', '--silent', 'check', '--', '--outdir', bundle);
  const worker = await start(bundle);
  try {
    const call = (...rest) => ask(worker.url, tokenOf('alice'), ...rest);
    assert.equal((await call('POST', '/v1/memories', { content: 'The kickoff is on 22 January at 2 pm' }))[0], 200);
    const [status, [hit]] = await call('POST', '/v1/search', { text: 'When is the kickoff?' });
    assert.deepEqual([status, /2 pm/.test(hit.memory.content)], [200, true]);
    const { version } = JSON.parse(readFileSync(join(root, 'pkg/package.json'), 'utf8'));
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    const [, { result }] = await call('POST', '/mcp', hello, { accept: 'application/json, text/event-stream' });
    assert.deepEqual([result.serverInfo.name, result.serverInfo.version], ['memfold', version]);
  } finally {
    await worker.stop();
  }
});
