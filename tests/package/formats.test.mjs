// Stores in all released formats open without loss and can be written. Newer formats are rejected.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { database, dumped, formats, inNode, page, restored, told } from './formats.mjs';

const NOTE = 'The bicycle is blue';
const read = (format, name) => readFileSync(join(formats, format, name), 'utf8');
let node;
before(async () => {
  node = await inNode();
});
after(() => node.remove());

/** Returns the contents of an opened store and the decision of one more memory. */
const readAndWrite = async (memories) => {
  const found = await told(memories);
  const { entry } = await memories.add({ content: NOTE });
  return { found, next: entry.decision };
};

for (const format of readdirSync(formats).sort((a, b) => a - b)) {
  test(`an_export_of_format_${format}_is_imported_completely`, async () => {
    const { expected } = JSON.parse(read(format, 'sqlite.json'));
    const memories = await node.open({ storage: 'memory' });
    const { entries } = await memories.data.import(read(format, 'export.jsonl'));
    assert.equal(entries, expected.counts.entries);
    const { found, next } = await readAndWrite(memories);
    assert.deepEqual([found.contents, found.problems, next], [expected.contents, [], 'CREATE']);
    assert.equal((await memories.search('kickoff'))[0].memory.version, 2);
  });

  test(`a_sqlite_file_of_format_${format}_opens_and_can_be_written`, async () => {
    const { expected, ...tables } = JSON.parse(read(format, 'sqlite.json'));
    const path = join(node.dir, `${format}.sqlite`);
    await restored(path, tables);
    const memories = await node.open({ storage: { path } });
    assert.deepEqual(await readAndWrite(memories), { found: expected, next: 'CREATE' });
    await memories.close();
    const again = await node.open({ storage: { path } });
    assert.equal((await again.search('bicycle'))[0].memory.content, NOTE);
    await again.close();
  });

  test(`an_indexeddb_database_of_format_${format}_opens_and_can_be_written`, async () => {
    const { expected, ...stores } = JSON.parse(read(format, 'indexeddb.json'));
    const { tab, close } = await page();
    try {
      const result = await tab.evaluate(`(async () => {
        const { open } = await import('/index.js');
        const NOTE = ${JSON.stringify(NOTE)};
        const told = ${told};
        await restore('old', ${JSON.stringify(stores)});
        const memories = await open({ name: 'old' });
        const went = await (${readAndWrite})(memories);
        await memories.close();
        await restore('newer', ${JSON.stringify({ version: 99, stores: {} })});
        return { went, newer: await open({ name: 'newer' }).then(() => 'opened', (error) => error.code) };
      })()`);
      assert.deepEqual(result, { went: { found: expected, next: 'CREATE' }, newer: 'version_too_new' });
    } finally {
      await close();
    }
  });
}

/** The contract's deadline. Format 1 stored it as the last second of the day in Seoul. */
const due = async (memories) => (await memories.list()).find((m) => /contract/.test(m.content)).validUntil;

test('format_1_times_become_days_in_the_owners_zone', async () => {
  const { expected: _, ...tables } = JSON.parse(read('1', 'sqlite.json'));
  const path = join(node.dir, 'days.sqlite');
  await restored(path, tables);
  const memories = await node.open({ storage: { path }, zone: 'Asia/Seoul' });
  assert.equal(await due(memories), '2026-01-30');
  // Newly written times and days are kept as given.
  const midnight = '2027-05-04T15:00:00.000Z';
  await memories.add({ content: 'The night train to Busan leaves at midnight', occurredAt: midnight });
  await memories.add({ content: 'Hana has her birthday on 12 May', occurredAt: '2027-05-12' });
  await memories.close();
  const again = await node.open({ storage: { path }, zone: 'Asia/Seoul' });
  assert.equal(await due(again), '2026-01-30');
  const when = async (name) => (await again.list()).find((m) => m.content.includes(name)).occurredAt;
  assert.deepEqual([await when('Busan'), await when('Hana')], [midnight, '2027-05-12']);
  const lines = await again.data.export();
  await again.close();

  const taken = async (text, zone) => {
    const there = await node.open({ storage: 'memory', zone });
    await there.data.import(text);
    return there;
  };
  assert.equal(await due(await taken(read('1', 'export.jsonl'), 'Asia/Seoul')), '2026-01-30');
  assert.equal(await due(await taken(read('1', 'export.jsonl'), 'Europe/London')), '2026-01-30T14:59:59.000Z');
  const there = await taken(lines, 'Europe/London');
  assert.equal(await due(there), '2026-01-30');
  assert.equal((await there.list()).find((m) => m.content.includes('Busan')).occurredAt, midnight);
});

test('data_of_a_newer_version_is_rejected_and_left_unchanged', async () => {
  const [last] = readdirSync(formats).sort((a, b) => b - a);
  const { expected: _, ...tables } = JSON.parse(read(last, 'sqlite.json'));
  const path = join(node.dir, 'newer.sqlite');
  await restored(path, tables);
  const db = await database(path);
  db.exec('INSERT INTO memfold_schema VALUES (99)');
  db.close();
  const before = await dumped(path);
  await assert.rejects(node.open({ storage: { path } }), { code: 'version_too_new' });
  assert.deepEqual(await dumped(path), before);
  const memories = await node.open({ storage: 'memory' });
  const lines = read(last, 'export.jsonl').replace(/"format":\d+/, '"format":99');
  await assert.rejects(memories.data.import(lines), { code: 'version_too_new' });
  assert.deepEqual(await memories.list(), []);
});
