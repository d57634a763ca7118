// A memory in a SQLite file: better-sqlite3 in this Node, node:sqlite in a newer one.
import assert from 'node:assert/strict';
import { execFile, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installed } from './installed.mjs';
import { thorough } from '../tier.mjs';
import { EXPECTED } from './journey.js';

const require = createRequire(import.meta.url);
const sample = readFileSync(new URL('../inbox/sample.mbox', import.meta.url));
/** The test's own Node uses better-sqlite3; the newer one needs no dependency. */
const NODES = { 'better-sqlite3': process.execPath, 'node:sqlite': fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url)) };

let project;
before(async () => {
  project = await installed();
  copyFileSync(new URL('journey.js', import.meta.url), join(project.dir, 'journey.js'));
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path'])
    symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(project.dir, 'node_modules', name));
});
after(() => project?.remove());

let runs = 0;
/** Runs code in its own folder `dir` and parses the JSON that it prints. */
function printed(node, code) {
  const name = `run-${(runs += 1)}`;
  mkdirSync(join(project.dir, name));
  writeFileSync(
    join(project.dir, `${name}.mjs`),
    `import { open } from 'memfold';\nconst dir = ${JSON.stringify(join(project.dir, name))};\nconst code = (work) => work.then(() => 'none', (e) => [e.code, e.field ?? '', e.retryable]);\n${code}`,
  );
  return JSON.parse(execFileSync(node, ['--no-warnings', `${name}.mjs`], { cwd: project.dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
}

for (const [sqlite, node] of Object.entries(NODES)) {
  test(`a_user_journey_works_over_${sqlite}`, () => {
    const result = printed(
      node,
      `
      import * as memfold from 'memfold';
      import { journey } from './journey.js';
      const over = (options) => memfold.open(options.storage === 'file' ? { ...options, storage: { path: dir + '/mine.db' } } : options);
      console.log(JSON.stringify(await journey({ ...memfold, open: over }, 'file')));`,
    );
    assert.deepEqual(result, EXPECTED);
  });

  test(`a_mailbox_survives_the_process_over_${sqlite}`, () => {
    writeFileSync(join(project.dir, 'sample.mbox'), sample);
    const path = JSON.stringify(join(project.dir, `kept-${runs}.db`));
    const first = printed(
      node,
      `
      import { readFileSync } from 'node:fs';
      const memories = await open({ storage: { path: ${path} } });
      const { mails } = await memories.importMail(readFileSync('sample.mbox'));
      console.log(JSON.stringify([mails, (await memories.list()).length, await memories.data.export(), memories.durability]));`,
    );
    const again = printed(
      node,
      `
      const memories = await open({ storage: { path: ${path} } });
      const report = await memories.data.verify();
      console.log(JSON.stringify([(await memories.list()).length, await memories.data.export(), report.problems]));`,
    );
    assert.deepEqual([first[0], first[3]], [66, { store: 'sqlite', lasts: 'persistent' }]);
    assert.ok(first[1] > 40);
    assert.deepEqual(again, [first[1], first[2], []]);
  });

  test(`invalid_paths_are_rejected_over_${sqlite}`, () => {
    const result = printed(
      node,
      `
      import { readdirSync, writeFileSync } from 'node:fs';
      writeFileSync(dir + '/text.db', 'no database '.repeat(100));
      console.log(JSON.stringify([
        await code(open({ storage: { path: dir } })), await code(open({ storage: { path: dir + '/none/x.db' } })), await code(open({ storage: { path: '' } })), await code(open({ storage: { path: dir + '/text.db' } })),
        await code(open({ storage: { path: dir + '/x.db', store: 'memory' } })), await code(open({ storage: { path: dir + '/x.db' }, nme: 'x' })),
        await code(open({ storage: { path: dir + '/x.db', scope: { user: 'kim' } }, policy: { mode: 'slow' } })), await code(open({ storage: { path: dir + '/x.db' }, onwer: () => [] })),
        await code(open({ storage: { path: dir + '/x.db' }, model: { dialect: 'openai', url: 'models.example', model: 'm' } })),
        // Rejected calls created no file.
        readdirSync(dir),
      ]));`,
    );
    assert.deepEqual(result, [
      ['invalid_field', 'storage.path', false],
      ['invalid_field', 'storage.path', false],
      ['invalid_field', 'storage.path', false],
      ['corrupt', 'storage.path', false],
      ['invalid_field', 'storage.path', false],
      ['unknown_field', 'nme', false],
      ['invalid_field', 'policy.mode', false],
      ['unknown_field', 'onwer', false],
      ['invalid_field', 'model.url', false],
      ['text.db'],
    ]);
  });

  test(`scopes_are_isolated_and_must_be_named_over_${sqlite}`, () => {
    const result = printed(
      node,
      `
      const path = dir + '/scoped.db';
      const none = await open({ storage: { path } });
      await none.add({ content: 'Nobody in particular likes rain' });
      const kim = await open({ storage: { path, scope: { user: 'kim', agent: 'a' } } });
      const lee = await open({ storage: { path, scope: { user: 'lee', agent: 'a' } } });
      await kim.add({ content: 'The dentist is on Thursday at 10' });
      const seen = async (m) => (await m.search('When is the dentist?')).length;
      const sizes = async () => [(await none.list()).length, (await kim.list()).length, (await lee.list()).length];
      const first = [await sizes(), await seen(none), await seen(kim), await seen(lee)];
      await lee.add({ content: 'The dentist is on Friday at 9' });
      const same = await open({ storage: { path, scope: { agent: 'a', user: 'kim' } } });
      const [hit] = await same.search('When is the dentist?');
      const wrong = [await code(open({ storage: { path } })), await code(open({ storage: { path, scope: { usr: 'x' } } })), await code(open({ storage: { path, scope: { user: '' } } })), await code(open({ storage: { path, scope: 'kim' } }))];
      const plain = await open({ storage: { path, scope: {} } });
      await kim.clear();
      const cleared = [await sizes(), (await same.list()).length, (await plain.list()).length];
      await kim.add({ content: 'Tea is at four' });
      await lee.destroy();
      const late = await code(lee.list());
      const after = [(await none.list()).length, (await kim.list()).length, late];
      console.log(JSON.stringify({ first, hit: hit.memory.content, wrong, cleared, after }));`,
    );
    assert.deepEqual(result, {
      first: [[1, 1, 0], 0, 1, 0],
      hit: 'The dentist is on Thursday at 10',
      wrong: [
        ['invalid_field', 'storage.scope', false],
        ['unknown_field', 'storage.scope.usr', false],
        ['invalid_field', 'storage.scope.user', false],
        ['invalid_field', 'storage.scope', false],
      ],
      cleared: [[1, 0, 1], 0, 1],
      after: [1, 1, ['closed', '', false]],
    });
  });

  test(`a_memory_destroyed_by_another_connection_is_connection_lost_over_${sqlite}`, () => {
    const result = printed(
      node,
      `
      const path = dir + '/lost.db';
      const ends = [];
      for (const scope of [undefined, { user: 'kim' }]) {
        const [here, there] = [await open({ storage: { path, scope } }), await open({ storage: { path, scope } })];
        await here.add({ content: 'The barn is red' });
        await there.destroy();
        ends.push(await code(here.list()), await code(here.add({ content: 'The barn is blue' })));
        await here.close();
        const anew = await open({ storage: { path, scope } });
        ends.push((await anew.list()).length);
        await anew.close();
      }
      console.log(JSON.stringify(ends));`,
    );
    const lost = ['connection_lost', '', true];
    assert.deepEqual(result, [lost, lost, 0, lost, lost, 0]);
  });

  test(`destroy_deletes_the_file_and_ephemeral_memories_warn_over_${sqlite}`, () => {
    const result = printed(
      node,
      `
      import { readdirSync } from 'node:fs';
      const memories = await open({ storage: { path: dir + '/gone.db' } });
      await memories.add({ content: 'Tea is at four' });
      await memories.destroy();
      await memories.close();
      const asked = await open({ storage: { path: ':memory:' } });
      await asked.add({ content: 'Tea is at four' });
      const warned = [];
      console.warn = (text) => warned.push(text);
      const meant = await open({ storage: 'memory' });
      const [one, two] = [await open(), await open()];
      console.log(JSON.stringify([readdirSync(dir), (await asked.list()).length, asked.durability, meant.durability, one.durability, warned.length, /path/.test(warned[0])]));`,
    );
    assert.deepEqual(result, [
      [],
      1,
      { store: 'sqlite', lasts: 'ephemeral' },
      { store: 'memory', lasts: 'ephemeral' },
      { store: 'memory', lasts: 'ephemeral' },
      1,
      true,
    ]);
  });
}

test('a_file_locked_by_another_process_is_blocked_and_nothing_is_lost', async () => {
  const path = join(project.dir, 'locked.db');
  writeFileSync(
    join(project.dir, 'holder.mjs'),
    `
    import Database from 'better-sqlite3';
    const db = new Database(process.argv[2]);
    process.on('message', (sql) => { db.exec(sql); process.send(sql); });
    process.send('ready');`,
  );
  const holder = fork(join(project.dir, 'holder.mjs'), [path], { cwd: project.dir });
  const said = async (sql) => (holder.send(sql), once(holder, 'message'));
  try {
    await once(holder, 'message');
    const { open } = await import(join(project.dir, 'node_modules/memfold/node.js'));
    const code = (work) =>
      work.then(
        () => 'none',
        (e) => [e.code, e.retryable],
      );
    const memories = await open({ storage: { path } });
    await memories.add({ content: 'Tea is at four' });
    await said('BEGIN IMMEDIATE');
    assert.deepEqual(await code(memories.add({ content: 'The dentist is on Thursday at 10' })), ['blocked', true]);
    assert.deepEqual(await code(open({ storage: { path } })), ['blocked', true]);
    assert.equal((await memories.list()).length, 1);
    await said('ROLLBACK');
    assert.equal(await code(memories.add({ content: 'The dentist is on Thursday at 10' })), 'none');
    assert.deepEqual([(await memories.list()).length, (await memories.data.verify()).problems], [2, []]);
    await memories.close();
  } finally {
    holder.kill();
  }
});

test('four_processes_write_one_file_without_loss', async () => {
  writeFileSync(
    join(project.dir, 'writer.mjs'),
    `
    import { open } from 'memfold';
    const memories = await open({ storage: { path: 'both.db' } });
    const who = process.argv[2];
    const things = ['kettle', 'ladder', 'violin', 'compass', 'anchor', 'saddle', 'lantern', 'basket', 'hammer', 'mirror'];
    for (const thing of things) await memories.add({ content: who + ' has bought a ' + thing + ' for the garden', threadId: who + thing }, { key: who + thing });
    await memories.close();`,
  );
  const run = promisify(execFile);
  await Promise.all(['Kim', 'Lee', 'Park', 'Choi'].map((who) => run(process.execPath, ['writer.mjs', who], { cwd: project.dir })));
  const { open } = await import(join(project.dir, 'node_modules/memfold/node.js'));
  const memories = await open({ storage: { path: join(project.dir, 'both.db') } });
  const keys = (await memories.log.list()).map((e) => e.key).filter(Boolean);
  assert.deepEqual([keys.length, new Set(keys).size, (await memories.data.verify()).problems], [40, 40, []]);
  await memories.close();
  assert.ok(existsSync(join(project.dir, 'both.db')) && !readdirSync(project.dir).includes('both.db-wal'));
});

for (const [sqlite, node] of Object.entries(NODES)) {
  (sqlite === 'node:sqlite' ? test : thorough)(`writes_by_another_process_are_announced_and_update_live_queries_over_${sqlite}`, async () => {
    const dir = join(project.dir, `told-${sqlite.replace(/\W/g, '-')}`);
    mkdirSync(dir);
    writeFileSync(
      join(dir, 'writer.mjs'),
      `
      import { open } from 'memfold';
      const memories = await open({ storage: { path: 'told.db' } });
      for (const said of process.argv.slice(2)) await (said === 'clear' ? memories.clear() : memories.add({ content: said }));
      await memories.close();`,
    );
    writeFileSync(
      join(dir, 'hearer.mjs'),
      `
      import { execFile } from 'node:child_process';
      import { promisify } from 'node:util';
      import { open } from 'memfold';
      const other = (...said) => promisify(execFile)(process.execPath, ['--no-warnings', 'writer.mjs', ...said]);
      const memories = await open({ storage: { path: 'told.db' } });
      const until = async (look) => { for (let n = 0; n < 200 && !look(); n += 1) await new Promise((r) => setTimeout(r, 50)); };
      await memories.add({ content: 'Supper is at seven' });
      const heard = [];
      let texts = [];
      const stop = memories.subscribe((changes) => heard.push(...changes.map((c) => [c.seq, c.action, c.own, c.by?.kind ?? 'nobody'])));
      const unlive = memories.live.list({ order: 'newest' }, (all) => { texts = all.map((m) => m.content); });
      await other('Tea is at four');
      await until(() => texts.length === 2);
      await memories.add({ content: 'The bus leaves at six' });
      await until(() => texts.length === 3);
      const before = texts;
      await other('clear');
      await until(() => texts.length === 0);
      await other('The kettle is new');
      await until(() => texts.length === 1);
      // Cleared and refilled at once: the entry count is unchanged, but all entries differ.
      await other('clear', 'The kettle is old');
      await until(() => texts[0] === 'The kettle is old');
      stop();
      const known = heard.length;
      await other('The ladder is old');
      await until(() => texts.length === 2);
      const rest = heard.length - known;
      // A live query is still open, and the process exits on its own.
      console.log(JSON.stringify({ heard, before, texts, rest }));`,
    );
    const { stdout } = await promisify(execFile)(node, ['--no-warnings', 'hearer.mjs'], { cwd: dir, timeout: 60_000 });
    const { heard, before, texts, rest } = JSON.parse(stdout);
    assert.deepEqual(heard, [
      [2, 'consolidate', false, 'nobody'],
      [3, 'consolidate', true, 'process'],
      [0, 'clear', false, 'nobody'],
      [1, 'consolidate', false, 'nobody'],
      [0, 'clear', false, 'nobody'],
      [1, 'consolidate', false, 'nobody'],
    ]);
    assert.deepEqual(
      [before.toSorted(), texts.toSorted(), rest],
      [['Supper is at seven', 'Tea is at four', 'The bus leaves at six'], ['The kettle is old', 'The ladder is old'], 0],
    );
  });
}
