// An import on the demo page: pausing it, closing the page under it, and mail that cannot be read.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { mailbox } from '../../benches/mailbox.mjs';
import { counted, go, open, profile, tile, visit } from './site.mjs';

const MAILS = 300;
let site;
let context;
let faults;
let folder;
let file;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memfold-'));
  file = join(folder, 'archive.mbox');
  writeFileSync(file, mailbox(MAILS));
  site = await open();
});
after(async () => {
  await site?.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  ({ context, faults } = await profile(site));
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(faults, []);
});

const choose = (page, path) => page.locator('.drop input[type=file]').setInputFiles(path);
const done = (page) => page.locator('.run-done').waitFor({ timeout: 120_000 });
const reached = (page, mails) =>
  page.waitForFunction((n) => Number(document.querySelector('.run .tile dd')?.textContent.replace(/\D/g, '')) >= n, mails, { timeout: 60_000 });

async function alone() {
  const other = await profile(site);
  const page = await visit(other.context, site.url);
  await choose(page, file);
  await done(page);
  const whole = [await counted(page, 'memories'), await counted(page, 'log')];
  await other.context.close();
  return whole;
}

test('an import goes on where it was when its tab was closed', async () => {
  const closed = await visit(context, site.url);
  await choose(closed, file);
  await reached(closed, 20);
  await closed.close();
  const page = await visit(context, site.url);
  const card = page.locator('.run', { hasText: 'Not finished: archive.mbox' });
  const before = Number(/(\d+) mails were handled/.exec(await card.textContent())[1]);
  assert.ok(before >= 20 && before < MAILS, `${before} mails were handled`);
  await card.locator('input[type=file]').setInputFiles(file);
  await done(page);
  assert.match(await page.locator('.run').textContent(), new RegExp(`behind mail ${before}`));
  assert.equal(await tile(page, 0), MAILS - before);
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'log')], await alone());
  await page.reload();
  await page.locator('.feed').waitFor();
  assert.equal(await page.getByText('Not finished').count(), 0);
});

test('a paused import says how long the rest will take, and goes on', async () => {
  const page = await visit(context, site.url);
  await choose(page, file);
  await page.getByText(/^About .* left$/).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.locator('.run-paused').waitFor({ timeout: 60_000 });
  assert.match(await page.locator('.run h2').textContent(), /^Paused after \d+ mails$/);
  await page.getByRole('button', { name: 'Go on', exact: true }).click();
  await done(page);
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'log')], await alone());
});

test('what was cancelled is not offered again, and another file begins at its beginning', async () => {
  const page = await visit(context, site.url);
  await choose(page, file);
  await reached(page, 5);
  await page.locator('.run').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.run-cancelled').waitFor({ timeout: 60_000 });
  await page.reload();
  await page.locator('.feed').waitFor();
  assert.equal(await page.getByText('Not finished').count(), 0);
  const other = join(folder, 'other.mbox');
  writeFileSync(other, mailbox(4));
  await choose(page, other);
  await done(page);
  assert.equal(await tile(page, 0), 4);
});

test('a mail that cannot be read is counted and named, stops nothing, and can be tried again', async () => {
  const broken = join(folder, 'broken.mbox');
  const bad = 'From x Tue Mar 04 00:20:13 +0000 2025\nno header at all\n\n';
  writeFileSync(broken, Buffer.concat([mailbox(3), Buffer.from(bad), mailbox(2)]));
  const page = await visit(context, site.url);
  await choose(page, broken);
  await done(page);
  assert.equal(await tile(page, 0), 6);
  await page.getByText('1 mail could not be read').click();
  const listed = page.locator('.run .reasons li');
  assert.match(await listed.textContent(), /^4: /);
  await page.locator('.run').getByRole('button', { name: 'Try again' }).click();
  await listed.waitFor();
  assert.equal(await listed.count(), 1);
});

test('whose mailbox it is, its mails tell together and none alone', async () => {
  const mail = (n, head) => `From ${n}@xxx Tue Mar 04 00:20:13 +0000 2025\r\n${head}\r\nSubject: Room ${n}\r\nMessage-ID: <${n}@a.example>\r\nDate: Tue, 4 Mar 2025 10:00:00 +0900\r\n\r\nThe review is in room ${n}.\r\n\r\n`;
  const received = 'Delivered-To: me@b.example\r\nFrom: Kim <kim@a.example>\r\nTo:\r\n team@b.example';
  const boxes = [
    // A forger's head says anything; most say otherwise.
    ['mine', [received, received, received, received, 'Delivered-To: kim@a.example\r\nFrom: kim@a.example\r\nTo: kim@a.example'], /mailbox of me@b\.example/],
    // Without the receiving server's word: who is in nearly all of them, and nobody else is.
    ['named', Array.from({ length: 6 }, (_, n) => `From: k${n}@a.example\r\nTo: Lee <lee@a.example>,\r\n me@b.example`).with(0, 'From: ME@b.example\r\nTo: k@a.example').with(1, 'From: me@b.example\r\nTo: k@a.example'), /mailbox of me@b\.example/],
    ['both', Array(6).fill('From: lee@a.example\r\nTo: me@b.example'), undefined],
    ['one', [received], undefined],
  ];
  for (const [name, heads, told] of boxes) {
    const other = await profile(site);
    const page = await visit(other.context, site.url);
    await choose(page, { name: `${name}.mbox`, mimeType: 'application/mbox', buffer: Buffer.from(heads.map((head, n) => mail(n, head)).join('')) });
    await done(page);
    const words = await page.locator('.run').textContent();
    if (told) assert.match(words, told, name);
    else assert.doesNotMatch(words, /mailbox of/, name);
    if (name === 'mine') {
      // The sample was somebody else's: the reader's own mailbox tells theirs all the same.
      await page.locator('#sample').click();
      await page.locator('.run', { hasText: 'mailbox of suhyun.bae@daoncold.example' }).waitFor();
      await done(page);
      await go(page, 'data');
      assert.equal(await page.locator('[aria-labelledby=owner-title] input').inputValue(), 'me@b.example, suhyun.bae@daoncold.example');
      await page.getByRole('button', { name: 'Erase everything' }).click();
      await page.getByRole('button', { name: 'Yes, erase' }).click();
      await page.getByText('Everything was erased.', { exact: true }).first().waitFor();
      assert.equal(await page.evaluate(() => /@/.test(JSON.stringify({ ...localStorage }))), false);
    }
    await other.context.close();
  }
});
