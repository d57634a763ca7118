// The model endpoint against LiteLLM's proxy, a server that was not written for it: `make soak` runs this. It starts the proxy
// by itself, from PyPI in a virtual environment under .cache, with replies that are written down instead of a model.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installed } from './installed.mjs';
import { NIGHT, SUMMARY, series, sleep } from './stub.mjs';

const KEY = 'sk-soak-1234';
const OLD = { content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't' };
const NEW = { content: 'Q1 마케팅 예산은 6000만원으로 정했다', threadId: 't' };
const said = {
  op: 'update',
  of: 'M1',
  text: NEW.content,
  category: 'decision',
  day: null,
  evidence: NEW.content,
  analysis: { subjects: ['예산', '예산'], changes: [{ property: '예산', old: '5000만원', new: '6000만원' }], why: '같은 예산입니다', factors: [], sure: 0.9 },
};
/** What each model of the proxy says, whatever it is asked. */
const SAYS = {
  judge: JSON.stringify({ entries: [said] }),
  fenced: `Here you are:\n\`\`\`json\n${JSON.stringify({ entries: [said] })}\n\`\`\``,
  destroyer: JSON.stringify({ entries: [{ ...said, op: 'delete' }] }),
  sorry: "I'm sorry, but I can't help with that.",
  writer: JSON.stringify({ summary: SUMMARY }),
};

let project, open, server, url, dir;
before(
  async () => {
    const venv = fileURLToPath(new URL('../../.cache/litellm', import.meta.url));
    const proxy = join(venv, 'bin/litellm');
    if (!existsSync(proxy)) {
      execFileSync('python3', ['-m', 'venv', venv], { stdio: 'inherit' });
      execFileSync(join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', 'litellm[proxy]'], { stdio: 'inherit' });
    }
    dir = mkdtempSync(join(tmpdir(), 'litellm-'));
    const model = (name, params) => ({ model_name: name, litellm_params: { api_key: 'none', ...params } });
    const models = Object.entries(SAYS).map(([name, says]) => model(name, { model: 'openai/gpt-4o-mini', mock_response: says }));
    models.push(model('vectors', { model: 'openai/text-embedding-3-small', mock_response: 'no vector' }));
    // JSON is YAML.
    writeFileSync(join(dir, 'config.yaml'), JSON.stringify({ model_list: models }));
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address();
    await new Promise((done) => free.close(done));
    server = spawn(proxy, ['--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'], {
      cwd: dir,
      env: { ...process.env, LITELLM_MASTER_KEY: KEY, LITELLM_LOG: 'ERROR' },
      stdio: 'ignore',
    });
    url = `http://127.0.0.1:${port}`;
    for (let n = 0; ; n += 1) {
      const up = await fetch(`${url}/health/liveliness`).then(
        (r) => r.ok,
        () => false,
      );
      if (up) break;
      assert.ok(n < 300 && server.exitCode === null, 'the proxy does not start');
      await sleep(1_000);
    }
    project = await installed();
    ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
  },
  { timeout: 900_000 },
);
after(async () => {
  if (server && server.exitCode === null) {
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
  project?.remove();
  if (dir) rmSync(dir, { recursive: true, force: true });
});

/** What becomes of two memories of which the second raises a question. */
async function told(dialect, model, key = KEY) {
  const base = dialect === 'openai' ? `${url}/v1` : url;
  const memories = await open({ storage: 'memory', policy: 'accurate', model: { dialect, url: base, model, key } });
  await memories.add(OLD);
  const { entry } = await memories.add(NEW);
  assert.deepEqual(
    [(await memories.log.list()).length, (await memories.list({ includeSuperseded: true })).length, (await memories.data.verify()).problems],
    [2, 2, []],
  );
  assert.ok(!JSON.stringify(await memories.log.list()).includes(KEY));
  return { entry, refused: entry.reasons.find((r) => r.kind === 'model_refused')?.error };
}

for (const dialect of ['openai', 'anthropic']) {
  for (const model of ['judge', 'fenced']) {
    test(`${model}_is_believed_over_${dialect}`, async () => {
      const { entry } = await told(dialect, model);
      assert.deepEqual([entry.decision, entry.analyst, entry.reason], ['UPDATE', 'model', '같은 예산입니다']);
      assert.ok(entry.tokens > 0);
    });
  }
  for (const [model, why] of [
    ['destroyer', 'malformed'],
    ['sorry', 'not_json'],
  ]) {
    test(`${model}_is_refused_over_${dialect}`, async () => {
      const { entry, refused } = await told(dialect, model);
      assert.deepEqual([refused, entry.analyst, entry.needsReview], [why, 'local', true]);
    });
  }
}

test('a_wrong_key_and_an_unknown_model_cost_no_memory', async () => {
  const [key, model] = [await told('openai', 'judge', 'sk-wrong'), await told('openai', 'nobody')];
  for (const { entry, refused } of [key, model]) {
    assert.ok(['unauthorized', 'rejected', 'not_found'].includes(refused), refused);
    assert.deepEqual([entry.analyst, entry.needsReview], ['local', true]);
  }
});

test('a_summary_is_taken_and_the_same_reply_for_tags_is_not', async () => {
  const memories = await series(open, { model: { dialect: 'openai', url: `${url}/v1`, model: 'writer', key: KEY } });
  const report = await memories.sleep.run(NIGHT);
  assert.deepEqual([report.merges, report.folded, report.tagged], [1, 5, 5]);
  assert.ok(
    report.skipped.some((s) => s.why === 'unanswered'),
    JSON.stringify(report.skipped),
  );
  assert.equal((await memories.search('Borealis'))[0].memory.content, SUMMARY);
});

test('vectors_that_are_none_leave_the_built_in_embedder_to_serve', async () => {
  const memories = await open({ storage: 'memory', embedder: { dialect: 'openai', url: `${url}/v1`, model: 'vectors', key: KEY } });
  for (const note of [OLD, NEW]) await memories.add(note);
  const report = await memories.model.reembed();
  assert.ok(report.stopped && report.embedded === 0 && report.waiting > 0, JSON.stringify(report));
  assert.ok((await memories.search('마케팅 예산')).length > 0);
});

test('a_proxy_that_is_gone_costs_no_memory', async () => {
  server.kill('SIGKILL');
  await once(server, 'exit');
  const { entry, refused } = await told('openai', 'judge');
  assert.deepEqual([refused, entry.analyst, entry.needsReview], ['unreachable', 'local', true]);
});
