// The storage adapter for PostgreSQL over a server that this test starts.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { thorough } from '../tier.mjs';
import { load, remove, temporary } from '../worker/workerd.mjs';

const DEBIAN = '/usr/lib/postgresql';
const folders = [...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : []), ...process.env.PATH.split(':')];
const program = (name) => folders.map((folder) => join(folder, name)).find(existsSync) ?? assert.fail(`${name} is not installed`);
/** The server refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function started(t) {
  const dir = temporary('postgres');
  if (NOBODY.uid) chownSync(dir, NOBODY.uid, NOBODY.gid);
  const data = join(dir, 'data');
  // The order of the system's language is not that of bytes.
  execFileSync(program('initdb'), ['--pgdata', data, '--username', 'memfold', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C.UTF-8', '--no-sync'], {
    ...NOBODY,
    cwd: dir,
    stdio: 'pipe',
  });
  const server = spawn(program('postgres'), ['-D', data, '-k', dir, '-c', 'listen_addresses=', '-c', 'fsync=off'], { ...NOBODY, cwd: dir, stdio: 'ignore' });
  const { Pool } = (await load('pg')).default;
  const pool = new Pool({ host: dir, user: 'memfold', database: 'postgres', max: 8 });
  t.after(async () => {
    await pool.end();
    server.kill('SIGQUIT');
    await new Promise((resolve) => server.once('exit', resolve));
    remove(dir);
  });
  for (let n = 0; ; n += 1) {
    const error = await pool.query('SELECT 1').then(
      () => undefined,
      (why) => why,
    );
    if (!error) return { pool, dir };
    assert.ok(n < 200 && server.exitCode === null, `the server does not answer: ${error.message}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

thorough('the_postgres_adapter_passes_every_case_and_keeps_a_memory', async (t) => {
  const { pool, dir } = await started(t);
  const { open } = await import('../../pkg/node.js');
  const { checkAdapter } = await import('../../pkg/storage.js');
  const { postgresAdapter } = await import('../../examples/postgres/adapter.js');
  const results = await checkAdapter(() => postgresAdapter(pool, 'cases'), open);
  assert.deepEqual(
    results.filter(({ error }) => error !== undefined),
    [],
  );
  await assert.rejects(postgresAdapter(pool, 'x; DROP TABLE cases'), /not the name of a table/);

  const memories = await open({ storage: await postgresAdapter(pool) });
  await memories.importMail(
    new Blob([
      `From: Kim <kim@corp.example>\nTo: me@corp.example\nSubject: Budget\nDate: Mon, 12 Jan 2026 09:00:00 +0900\nMessage-ID: <1@x.example>\n\nThe budget for the Hanil project is 50,000 USD.\n`,
    ]),
  );
  await memories.add('예산 회의는 1월 22일 오후 2시 \u0000에 열립니다');
  await memories.close();
  const again = await open({ storage: await postgresAdapter(pool) });
  assert.match((await again.search('What is the budget of Hanil?'))[0].memory.content, /50,000/);
  assert.deepEqual((await again.data.verify()).problems, []);
  await again.close();

  // Two processes, each with an engine of its own, write to the same table.
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const script = `
    import { createRequire } from 'node:module';
    import { open } from '${root}pkg/node.js';
    import { postgresAdapter } from '${root}examples/postgres/adapter.js';
    const pg = createRequire('${root}www/worker/package.json')('pg');
    const pool = new pg.Pool({ host: '${dir}', user: 'memfold', database: 'postgres' });
    const memories = await open({ storage: await postgresAdapter(pool, 'shared') });
    const [mark] = process.argv.slice(1);
    for (let n = 0; n < 25; n += 1) await memories.add({ content: \`Locker \${mark}\${n} has the code \${mark}\${n * 7919}\` });
    await memories.close();
    await pool.end();`;
  await postgresAdapter(pool, 'shared');
  const one = (mark) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, mark], { stdio: ['ignore', 'ignore', 'inherit'] });
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`process ${mark} ended with ${code}`))));
    });
  await Promise.all([one('A'), one('B')]);
  const both = await open({ storage: await postgresAdapter(pool, 'shared') });
  assert.deepEqual(
    (await both.log.list()).map(({ seq }) => seq),
    Array.from({ length: 50 }, (_, n) => n + 1),
  );
  assert.deepEqual([(await both.list()).length, (await both.data.verify()).problems], [50, []]);
  await both.close();

  // A server that goes away is a coded error.
  await pool.query('DROP TABLE memfold CASCADE');
  const lost = await open({ storage: await postgresAdapter(pool) });
  await pool.query('DROP TABLE memfold');
  await assert.rejects(lost.add('The lease ends in May'), (error) => error.code === 'storage' && /memfold/.test(String(error.cause)));
  await lost.close();
});
