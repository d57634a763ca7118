// The mail view of the page: what a mail taught, and words of it that its owner remembers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { axePath, choose, countIs, counted, go, profile, staged, visit } from './site.mjs';
import { thorough } from '../tier.mjs';

const axe = readFileSync(axePath, 'utf8');

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

const mbox = (mails) =>
  mails
    .map(
      ({ id, from = 'Dana Reed <dana@oak.example>', subject, text }) =>
        `From x@xxx Mon Jan  1 00:00:00 2026\nFrom: ${from}\nTo: me@home.example\nSubject: ${subject}\nDate: Mon, 27 Apr 2026 09:00:00 +0000\nMessage-ID: <${id}@oak.example>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n${text}\n\n`,
    )
    .join('');
const MAILS = mbox([
  {
    id: 'w1',
    subject: 'Rent of the studio',
    text: 'Hello,\n\nThe rent of the studio is 840 euros from 1 June 2026.\n\nThe sky was pink this morning and I thought of you.\n\nDana',
  },
  { id: 'w2', subject: 'Hello', text: 'Hello,\n\nHow are you? The blue door is my favourite one.\n\nDana' },
]);

/** Takes the two mails in. */
async function taken(page) {
  await choose(page, { name: 'dana.mbox', mimeType: 'application/mbox', buffer: Buffer.from(MAILS) });
  await page.locator('.run-done').waitFor();
}

const mail = (page) => page.getByRole('dialog');
const text = (page) => mail(page).getByRole('region', { name: 'Text of the mail' });

/** Opens the mail that the first memory is from. */
async function opened(page) {
  await go(page, 'memories');
  await page.locator('.matter-head').first().click();
  await page
    .getByRole('button', { name: /Dana Reed/ })
    .first()
    .click();
  await text(page).waitFor();
}

test('a sentence that taught something leads to its memory, the others are dimmed', async () => {
  const page = await visit(context, site.url, 'today');
  await taken(page);
  await opened(page);
  const taught = text(page).getByRole('link', { name: /840 euros/ });
  assert.equal(await taught.getAttribute('title'), 'Remembered under Rent of the studio');
  const dimmed = text(page).locator('.untaught');
  assert.deepEqual(
    (await dimmed.allTextContents()).filter((one) => /pink|840/.test(one)),
    ['The sky was pink this morning and I thought of you.'],
  );
  await page.evaluate(`${axe};0`);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document.querySelector('dialog'), { resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map((v) => v.id),
    [],
  );
  await taught.click();
  await mail(page).waitFor({ state: 'hidden' });
  await page.locator('.memory-open').getByText('840 euros').first().waitFor();
});

test('selected words are remembered as the owner’s note with the mail as their source, and taken back', async () => {
  const page = await visit(context, site.url, 'today');
  await taken(page);
  const before = await counted(page, 'memories');
  await opened(page);
  const button = mail(page).getByRole('button', { name: 'Remember this' });
  assert.equal(await button.isEnabled(), false);
  // With a press of a sentence, as on a phone.
  await text(page).getByText('The sky was pink').click();
  await button.click();
  await countIs(page, 'memories', before + 1);
  await text(page).getByRole('link', { name: /pink/ }).waitFor();
  // Taken back at once, and remembered again.
  await mail(page).getByRole('status').filter({ hasText: 'Remembered as your note.' }).getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'memories', before);
  await text(page).locator('.untaught').getByText('The sky was pink').click();
  await button.click();
  await countIs(page, 'memories', before + 1);
  await text(page).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => String(getSelection())), 'Hello,');
  await mail(page).getByRole('button', { name: 'Close' }).click();
  await mail(page).waitFor({ state: 'hidden' });
  await go(page, 'memories');
  await page.getByRole('button', { name: 'Flat list' }).click();
  const note = page.locator('.memory').filter({ hasText: 'The sky was pink' });
  assert.match(await note.locator('.memory-meta').textContent(), /you.*27 Apr 2026.*your own words/);
  await note.getByRole('button', { name: /^you/ }).click();
  await text(page).locator('mark').getByText('pink').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'What was just done' }).getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'memories', before);
});

test('a mail that taught nothing is read from the import’s result, and what is remembered of it stays readable', async () => {
  const page = await visit(context, site.url, 'today');
  await taken(page);
  const before = await counted(page, 'memories');
  await page.getByText('1 mail taught nothing: look').click();
  await page.getByRole('button', { name: 'Hello', exact: true }).click();
  await text(page).getByText('The blue door').click();
  await mail(page).getByRole('button', { name: 'Remember this' }).click();
  await countIs(page, 'memories', before + 1);
  await page.reload();
  await go(page, 'memories');
  await page.getByRole('button', { name: 'Flat list' }).click();
  await page.locator('.memory').filter({ hasText: 'blue door' }).getByRole('button', { name: /^you/ }).click();
  await text(page).getByText('How are you?').waitFor();
});

thorough('the mail view is worded in Korean and fits a phone', async () => {
  const other = await profile(site, { locale: 'ko-KR', viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  const page = await visit(other.context, site.url, 'today');
  await choose(page, { name: 'dana.mbox', mimeType: 'application/mbox', buffer: Buffer.from(MAILS) }, '모름, 건너뛰기');
  await page.locator('.run-done').waitFor();
  await page.getByText('1통에서는 남긴 것이 없습니다. 보기').click();
  await page.getByRole('button', { name: 'Hello', exact: true }).click();
  await mail(page).getByRole('button', { name: '이 내용 기억하기' }).waitFor();
  await mail(page).getByRole('region', { name: '메일 본문' }).getByText('The blue door').waitFor();
  const box = await mail(page).boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, JSON.stringify(box));
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/mail-ko-390-dark.png` });
  assert.deepEqual(other.faults, []);
  await other.context.close();
});
