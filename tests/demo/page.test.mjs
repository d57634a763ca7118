// The demo page in a real Chromium, with the real engine, on the sample inbox.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VIEWS, counted, drawn, flat, go, loadSample, open, profile, tile, visit } from './site.mjs';
import { thorough } from '../tier.mjs';

let site;
let shared;
let page;
const files = mkdtempSync(join(tmpdir(), 'memfold-demo-'));

before(async () => {
  site = await open();
  shared = await profile(site);
  page = await visit(shared.context, site.url);
});

after(async () => {
  await site?.close();
  rmSync(files, { recursive: true, force: true });
});

test('an empty page teaches what there is to do', async () => {
  for (const view of ['memories', 'links', 'log', 'search']) {
    await go(page, view);
    assert.equal(await page.locator('.empty h2').count(), 1, view);
    assert.equal(await page.locator('.empty a[href="#/inbox"]').count(), 1, view);
  }
  await go(page, 'inbox');
  assert.equal(await page.locator('.teach li').count(), 4);
});

test('the sample inbox is consolidated with every decision shown', async () => {
  await loadSample(page);
  assert.equal(await tile(page, 0), 66);
  const found = await tile(page, 1);
  const [kept, merged, known, aside] = [await tile(page, 2), await tile(page, 3), await tile(page, 4), await tile(page, 5)];
  assert.ok(found >= 39, `${found} statements found in 66 mails`);
  assert.equal(kept + merged + known + aside, found);
  assert.equal(await counted(page, 'memories'), kept);
  assert.ok(aside >= 3, 'the three mails that speak to an assistant');
  assert.match(await page.locator('#live').textContent(), /66 mails/);
  assert.match(await page.locator('.run').textContent(), /[Mm]ailbox of suhyun\.bae@daoncold\.example/);
  await go(page, 'inbox');
  await drawn(page, '.entry', 20);
});

test('a decision unfolds into texts, reasons, score and figures', async () => {
  await go(page, 'inbox');
  const entry = page
    .locator('.entry')
    .filter({ has: page.locator('.decision-UPDATE') })
    .first();
  await entry.locator('.entry-head').click();
  assert.equal(await entry.locator('.entry-head').getAttribute('aria-expanded'), 'true');
  assert.ok((await entry.locator('.reasons li').count()) >= 1);
  assert.equal(await entry.locator('.measures .measure').count(), 6);
  // No figure is seen before it is asked for.
  assert.equal(await entry.locator('.measure-strong .figure').isVisible(), false);
  await entry.getByText('Details', { exact: true }).click();
  assert.match(await entry.locator('.measure-strong .figure').textContent(), /^[01]\.\d\d$/);
  assert.deepEqual(await entry.locator('.texts h3').allTextContents(), ['Before', 'Now']);
  assert.ok((await entry.locator('.facts dd').count()) >= 4);
});

test('memories are filtered by category and by words', async () => {
  await flat(page);
  const all = await counted(page, 'memories');
  assert.match(await page.locator('.result-count').textContent(), new RegExp(`^${all} memor`));
  const chip = page
    .locator('.chips:not(.ways) .chip')
    .filter({ hasNotText: /^All|\s0$/ })
    .first();
  const wanted = Number((await chip.locator('.count').textContent()).trim());
  await chip.click();
  assert.match(await page.locator('.result-count').textContent(), new RegExp(`^${wanted} memor`));
  await chip.click();
  await page.getByLabel('About', { exact: true }).fill('예산');
  const some = await page.locator('.memory').count();
  assert.ok(some > 0 && some < all);
  for (const text of await page.locator('.memory').allTextContents()) assert.ok(text.length > 0);
  await page.getByLabel('About', { exact: true }).fill('zzzz nothing has this');
  assert.match(await page.locator('.result-count').textContent(), /Nothing matches/);
  await page.getByLabel('About', { exact: true }).fill('');
});

test('links are a picture that the arrow keys walk, and a table', async () => {
  await go(page, 'links');
  await page.locator('.node').first().waitFor();
  const nodes = await page.locator('.node').count();
  assert.ok(nodes >= 2, `${nodes} nodes`);
  assert.equal(await page.locator('.node[tabindex="0"]').count(), 1);
  await page.locator('.node[tabindex="0"]').focus();
  const places = new Set();
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']) {
    await page.keyboard.press(key);
    places.add(await page.evaluate(() => document.activeElement.getAttribute('data-node')));
  }
  assert.ok(places.size >= 2 && !places.has(null));
  assert.ok((await page.locator('.chosen .linked li').count()) >= 1);
  assert.ok((await page.locator('.links-table tbody tr').count()) >= 1);
  const id = await page.evaluate(() => document.activeElement.getAttribute('data-node'));
  await page.keyboard.press('Enter');
  await page.locator('.memory[data-wanted] [aria-expanded=true]').waitFor();
  assert.equal(new URL(page.url()).hash, `#/memories/${id}`);
  // A link that may be an outdated memory stands there as a doubt.
  await page.locator('.memory[data-wanted] :is(.linked li, .doubt)').first().waitFor();
});

test('the log is filtered, explained and summed up', async () => {
  await go(page, 'log');
  const total = await counted(page, 'log');
  await page.waitForFunction((n) => document.querySelector('.figures .tile dd')?.textContent === String(n), total);
  await page.getByRole('combobox', { name: 'Decision' }).selectOption('CREATE_AND_LINK');
  await page.waitForFunction(() => [...document.querySelectorAll('.log-table .badge')].every((b) => b.matches('.decision-CREATE_AND_LINK')));
  const linked = Number((await page.locator('.result-count').textContent()).match(/\d+/)[0]);
  assert.ok(linked > 0 && linked < total);
  await page.getByLabel('Text', { exact: true }).fill('예산');
  await page.waitForFunction((n) => Number(document.querySelector('.result-count').textContent.match(/\d+/)?.[0] ?? 0) < n, linked);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForFunction((n) => document.querySelector('.result-count').textContent.startsWith(String(n)), total);
  await page.getByRole('button', { name: 'Explain' }).first().click();
  assert.ok((await page.locator('.row-explanation .reasons li').count()) >= 1);
});

test('search marks the words it found and explains the score', async () => {
  await go(page, 'search');
  for (const [question, word] of [
    ['예산', '예산'],
    ['invoice', 'invoice'],
  ]) {
    await page.getByLabel('Question').fill(question);
    await page.keyboard.press('Enter');
    await page
      .locator('.hit mark')
      .filter({ hasText: new RegExp(`^${word}`, 'i') })
      .first()
      .waitFor();
    const hits = await page.locator('.hit').evaluateAll((all) =>
      all.map((hit) => ({
        score: Number(hit.querySelector('.measure-strong .figure').textContent),
        own: hit.querySelector('.hit-text a').getAttribute('href'),
        newer: [...hit.querySelectorAll('.doubt a')].map((a) => a.getAttribute('href')),
      })),
    );
    assert.ok(hits.length > 0 && hits.every(({ score }) => score >= 0 && score <= 1));
    // Best first, but for what is newer than a hit that may be outdated: that stands before it.
    const newer = new Set(hits.flatMap((hit) => hit.newer));
    const scores = hits.filter(({ own }) => !newer.has(own)).map(({ score }) => score);
    assert.deepEqual(
      scores,
      [...scores].sort((a, b) => b - a),
    );
    for (const [at, hit] of hits.entries()) for (const id of hit.newer) assert.ok(hits.findIndex(({ own }) => own === id) < at, id);
    assert.equal(await page.locator('.hit').first().locator('.measure').count(), 3);
  }
  await page.getByLabel('Question').fill('고객지원 전화는 몇 시까지 받나요?');
  await page.keyboard.press('Enter');
  await page
    .locator('.hit')
    .filter({ has: page.locator('mark', { hasText: '고객지원' }) })
    .first()
    .waitFor();
  const hits = await page.locator('.hit').evaluateAll((all) =>
    all.map((hit) => ({
      marks: [...hit.querySelectorAll('.hit-text mark')].map((m) => m.textContent.toLowerCase()),
      newer: hit.querySelectorAll('.doubt a').length,
      badge: hit.querySelectorAll('.memory-meta span.badge-doubt').length,
    })),
  );
  // The first hit shows by which words it was found, and what no longer holds is marked on itself.
  assert.ok(
    hits[0].marks.some((word) => /^(고객지원|전화)/.test(word)),
    hits[0].marks.join(),
  );
  assert.ok(
    hits.slice(0, 2).some((hit) => hit.marks.some((word) => word.startsWith('고객지원'))),
    JSON.stringify(hits.slice(0, 2)),
  );
  for (const hit of hits) assert.equal(hit.badge, hit.newer > 0 ? 1 : 0, hit.marks.join());
});

test('two memories are compared, and a wrong decision becomes a labelled pair', async () => {
  await go(page, 'evaluate');
  await page.getByRole('button', { name: 'A changed value' }).click();
  await page.locator('.result').waitFor();
  await page.getByRole('button', { name: 'This is wrong' }).click();
  await page.locator('.correct').getByText('New + link', { exact: true }).click();
  await page.getByLabel('Kind of link').selectOption('alternative');
  await page.getByRole('button', { name: 'Store the pair' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as JSONL' }).click();
  const row = JSON.parse(await readFile(await (await download).path(), 'utf8'));
  assert.equal(row.expected, 'CREATE_AND_LINK');
  assert.equal(row.relationshipType, 'alternative');
  assert.equal(row.relationship, 'thematic');
  assert.equal(row.conflict, 'OVERLAP');
  assert.equal(row.sameSubject, false);
  assert.deepEqual(row.propertyChanges, []);
  assert.match(row.existing.content, /2 pm/);
  assert.match(row.new.content, /4 pm/);
  for (const field of ['id', 'lang', 'domain', 'hard', 'subjectA', 'subjectB', 'reasoning']) assert.ok(field in row, field);
});

thorough('both languages word every view, and nothing moves sideways at 320 and 375 px', async () => {
  const small = await visit(shared.context, site.url);
  for (const [lang, width] of [
    ['en', 320],
    ['ko', 320],
    ['en', 375],
  ]) {
    await small.setViewportSize({ width, height: 640 });
    if ((await small.locator('html').getAttribute('lang')) !== lang) await small.locator('.switch').first().click();
    for (const view of VIEWS) {
      await go(small, view);
      if (view === 'evaluate') await small.locator('.chip').first().click();
      const toggle = small.locator('.entry-head, .memory-head, .cell-open button').first();
      if (await toggle.count()) await toggle.click();
      const h1 = await small.locator('main h1').textContent();
      assert.equal(/[가-힣]/.test(h1), lang === 'ko', `${view}: ${h1}`);
      const [content, room] = await small.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(content <= room, `${view} in ${lang} is ${content} px wide on ${room}`);
    }
  }
  await small.close();
});

test('a reload keeps everything, and the same mail again changes nothing', async () => {
  await go(page, 'inbox');
  const kept = [await counted(page, 'memories'), await counted(page, 'links'), await counted(page, 'log')];
  assert.ok(kept[0] > 0);
  await page.reload();
  await page.locator('.today-columns, .feed').first().waitFor();
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'links'), await counted(page, 'log')], kept);
  await loadSample(page);
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'links'), await counted(page, 'log')], kept);
  assert.match(await page.locator('.run').textContent(), /made before and changed nothing/);
});

test('what is exported, erased and imported again is the same', async () => {
  await go(page, 'data');
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.locator('.done').filter({ hasText: 'All is well' }).waitFor();
  const kept = [await counted(page, 'memories'), await counted(page, 'links')];
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const path = join(files, 'memories.jsonl');
  await (await download).saveAs(path);
  // It holds what mails taught, and not the mails; and says so.
  assert.doesNotMatch(await readFile(path, 'utf8'), /Best regards/);
  assert.match(await page.locator('[aria-labelledby=export-title]').textContent(), /It has no mail texts/);
  await page.getByRole('button', { name: 'Erase everything' }).click();
  await page.getByRole('button', { name: 'Yes, erase' }).click();
  await page.getByText('Everything was erased.', { exact: true }).first().waitFor();
  assert.equal(await counted(page, 'memories'), 0);
  // The text of the mails goes with what they taught.
  for (const store of ['memfold-mails', 'memfold-mails-raw']) {
    assert.equal(
      await page.evaluate(
        (name) =>
          new Promise((resolve) => {
            indexedDB.open(name).onsuccess = ({ target: { result: db } }) => {
              db.transaction('mails').objectStore('mails').count().onsuccess = ({ target }) => (db.close(), resolve(target.result));
            };
          }),
        store,
      ),
      0,
      store,
    );
  }
  assert.equal(await page.evaluate(async () => (await indexedDB.databases()).filter(({ name }) => !name.startsWith('memfold-mails')).length <= 1), true);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.locator('.done').filter({ hasText: 'Imported' }).waitFor({ timeout: 60_000 });
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'links')], kept);
});

test('nothing reached for the network or complained', () => {
  assert.deepEqual(shared.faults, []);
});
