// What a browser does to a database in the field: a full disk, data cleared under an open page, tabs that race.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';

let site, browser;
before(async () => {
  site = await serve(fileURLToPath(new URL('../../pkg', import.meta.url)), { pages: { '/': '<!doctype html><title>store</title>' } });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1);

/** A page of a fresh profile with `memories` open; `steps` run in it with what it knows. */
async function opened(context) {
  const page = await context.newPage();
  await page.goto(site.url);
  await page.evaluate(async () => {
    const { open } = await import('/index.js');
    const memories = await open({ name: 'faults', storage: 'indexeddb', policy: 'fast' });
    const refused = (work) =>
      work.then(
        () => 'none',
        (e) => e.code,
      );
    const text = (words) => Array.from({ length: words }, () => crypto.randomUUID().slice(0, 8)).join(' ');
    /** The numbers of the log, and whether every version that it speaks of is there, and no other. */
    const contents = async () => {
      const log = await memories.log.list({ limit: 10_000 });
      const ids = (list) => list.filter(Boolean).sort().join();
      const stored = await memories.list({ limit: 10_000, includeSuperseded: true });
      return { numbers: log.map((e) => e.seq).sort((a, b) => a - b), whole: ids(log.map((e) => e.memoryId)) === ids(stored.map((m) => m.id)) };
    };
    Object.assign(globalThis, { memories, refused, text, contents });
  });
  return page;
}

test('a_full_disk_is_quota_exceeded_and_leaves_nothing_half_written', async () => {
  const context = await browser.newContext();
  const page = await opened(context);
  const devtools = await context.newCDPSession(page);
  const { usage } = await devtools.send('Storage.getUsageAndQuota', { origin: site.url });
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize: usage + 200_000 });
  const full = await page.evaluate(async () => {
    let [code, written] = ['none', 0];
    for (; code === 'none' && written < 500; written += code === 'none') {
      code = await refused(memories.add({ content: text(400) }));
    }
    return { code, written, ...(await contents()) };
  });
  assert.equal(full.code, 'quota_exceeded');
  assert.deepEqual([full.numbers, full.whole], [upTo(full.written), true]);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: site.url });
  const freed = await page.evaluate(async () => ({ code: await refused(memories.add({ content: text(8) })), ...(await contents()) }));
  assert.deepEqual(freed, { code: 'none', numbers: upTo(full.written + 1), whole: true });
  await context.close();
});

test('a_page_whose_data_was_cleared_goes_on_with_an_empty_database', async () => {
  const context = await browser.newContext();
  const page = await opened(context);
  await page.evaluate(() => memories.add({ content: text(8) }));
  const devtools = await context.newCDPSession(page);
  await devtools.send('Storage.clearDataForOrigin', { origin: site.url, storageTypes: 'indexeddb' });
  const after = await page.evaluate(async () => ({ code: await refused(memories.add({ content: text(8) })), ...(await contents()) }));
  assert.deepEqual(after, { code: 'none', numbers: [1], whole: true });
  await context.close();
});

test('what_is_under_way_while_data_is_cleared_goes_on_and_is_answered', async () => {
  const context = await browser.newContext();
  const page = await opened(context);
  const devtools = await context.newCDPSession(page);
  const flood = page.evaluate(async () => {
    const codes = new Set();
    for (let n = 0; n < 60; n += 1) codes.add(await refused(memories.add({ content: text(8) })));
    return [...codes];
  });
  for (let n = 0; n < 4; n += 1) {
    await page.waitForTimeout(60);
    await devtools.send('Storage.clearDataForOrigin', { origin: site.url, storageTypes: 'indexeddb' });
  }
  assert.deepEqual(await flood, ['none']);
  const last = await page.evaluate(async () => ({ receipt: await memories.add({ content: text(8) }), ...(await contents()) }));
  assert.deepEqual([last.numbers, last.whole], [upTo(last.numbers.length), true]);
  await context.close();
});

test('tabs_that_race_lose_nothing_and_double_nothing', async () => {
  const context = await browser.newContext();
  const pages = await Promise.all([opened(context), opened(context), opened(context)]);
  const done = await Promise.all(
    pages.map((page, tab) =>
      page.evaluate(async (tab) => {
        const receipts = [];
        for (let n = 0; n < 20; n += 1) {
          for (const key of [`own ${tab} ${n}`, `shared ${n}`]) receipts.push(await memories.add({ content: text(8) }, { key }));
        }
        return receipts.filter((r) => r.replayed).length;
      }, tab),
    ),
  );
  // 60 of their own and 20 that all three bring, of which two each time are told that it was done before.
  assert.equal(
    done.reduce((a, b) => a + b),
    40,
  );
  for (const page of pages) {
    assert.deepEqual(await page.evaluate(() => contents()), { numbers: upTo(80), whole: true });
  }
  await context.close();
});

test('an_upgrade_runs_its_missing_steps_once_and_all_or_none', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.url);
  const found = await page.evaluate(async () => {
    const { databaseBacking } = await import('/indexeddb.js');
    const first = (db) => db.createObjectStore('first');
    const second = (_, upgrade) => upgrade.objectStore('first').createIndex('by', 'by');
    const failing = (db) => {
      db.createObjectStore('half');
      throw new Error('no');
    };
    const schema = async (steps) => {
      const store = databaseBacking('upgrades', 'relaxed', steps);
      const code = await Promise.resolve(store.open()).then(
        () => 'opened',
        (e) => e.code,
      );
      store.close();
      return code;
    };
    const stored = () =>
      new Promise((resolve) => {
        indexedDB.open('upgrades').onsuccess = ({ target: { result } }) => {
          resolve(`${result.version} ${[...result.objectStoreNames]}`);
          result.close();
        };
      });
    const results = [];
    for (const steps of [[first], [failing], [first, second, failing], [failing, second]]) results.push([await schema(steps), await stored()]);
    // A connection that does not yield blocks the next upgrade, which runs once it has closed.
    const stubborn = await new Promise((resolve) => {
      indexedDB.open('upgrades').onsuccess = ({ target }) => resolve(target.result);
    });
    const blocked = await schema([failing, failing, () => {}]);
    stubborn.close();
    return { results, blocked, after: await stored() };
  });
  assert.deepEqual(found, {
    results: [
      ['opened', '1 first'],
      ['opened', '1 first'],
      ['storage', '1 first'],
      ['opened', '2 first'],
    ],
    blocked: 'blocked',
    after: '3 first',
  });
  await context.close();
});
