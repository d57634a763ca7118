// What stops an import or the page itself is told in one sentence that says what to do.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { choose, countIs, staged, visit } from './site.mjs';

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

const mail = (n) =>
  `From ${n}@xxx Mon Jan  1 00:00:00 2026\nFrom: Mina Park <mina@north.example>\nTo: me@home.example\nDelivered-To: me@home.example\nSubject: Order ${n}\nDate: Mon, 27 Apr 2026 09:00:00 +0000\nMessage-ID: <${n}@north.example>\n\nOrder ${n * 977 + 1011} of the blue chairs costs ${310 + n * 17} euros.\n\n`;
const box = (n) => Array.from({ length: n }, (_, i) => mail(i)).join('');
const file = (name, text) => ({ name, mimeType: 'application/mbox', buffer: Buffer.from(text) });
const alert = (page) => page.getByRole('alert');

/** Runs before the engine's own script. */
const inWorker = (script) =>
  context.route(/\/worker-[^/]*\.js$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${script};\n${await answer.text()}` });
  });

test('a wrong, an empty and a damaged file are told with what to choose instead', async () => {
  const page = await visit(context, site.url, 'today');
  const input = page.locator('.drop input[type=file]');
  for (const [name, text, words] of [
    ['notes.txt', 'Milk and bread', 'This is not a mailbox. Choose an .mbox or .eml file, or a Google Takeout zip.'],
    ['empty.mbox', '', 'The file is empty. Choose another one, or export the mailbox again.'],
    ['blank.mbox', '\n\n\n', 'This is not a mailbox. Choose an .mbox or .eml file, or a Google Takeout zip.'],
    ['broken.zip', 'PK\u0003\u0004', 'The archive is damaged. Download it again.'],
  ]) {
    await input.setInputFiles(file(name, text));
    await alert(page).getByText(words).waitFor();
    assert.equal(await page.locator('.run').count(), 0, name);
  }
});

test('a file that changes before it is read is told as that, and can be chosen again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'memfold-refusal-'));
  const path = join(dir, 'box.mbox');
  writeFileSync(path, box(6));
  const page = await visit(context, site.url, 'today');
  await page.locator('.drop input[type=file]').setInputFiles(path);
  const asked = page.getByRole('button', { name: 'It belongs to me@home.example' });
  await asked.waitFor();
  writeFileSync(path, box(9));
  await asked.click();
  await alert(page).getByText('The file cannot be read. It may have moved or changed: choose it again.').first().waitFor();
  await choose(page, path, 'It belongs to me@home.example');
  await page.locator('.run-done').waitFor();
  rmSync(dir, { recursive: true, force: true });
});

test('storage that the browser refuses is told before anything is read', async () => {
  await inWorker(`indexedDB.open = () => { throw new DOMException('denied', 'SecurityError'); }`);
  const page = await context.newPage();
  await page.goto(`${site.url}#/today`);
  await page.getByRole('heading', { level: 1, name: 'Something went wrong' }).waitFor();
  await alert(page).getByText('This browser cannot store memories. Leave private mode or use another browser.').waitFor();
});

test('a full disk stops the import, keeps what was saved, and the import continues once there is space', async () => {
  await inWorker(`
    let puts = 0;
    let until = 0;
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...args) {
      if (++puts > 60) until ||= Date.now() + 1_500;
      if (until > Date.now()) throw new DOMException('full', 'QuotaExceededError');
      return put.apply(this, args);
    }`);
  const page = await visit(context, site.url, 'today');
  await choose(page, file('box.mbox', box(40)));
  await page.getByText('The browser has no space left. What was saved is safe: free some space, then try again.').first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(2_000);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('.run-done').waitFor();
  await countIs(page, 'memories', 40);
});
