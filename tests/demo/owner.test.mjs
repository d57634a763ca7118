// The demo page in its owner's hands: the review queue, deleting in words, erasing, restoring, redo, versions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, choose, countIs, counted, drawn, flat, go, loadSample, staged, visit, write } from './site.mjs';
import { thorough } from '../tier.mjs';

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

test('each waiting decision is answered in one step, and the answer is taken back in one', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  const waiting = await counted(page, 'review');
  assert.ok(waiting > 0);
  await go(page, 'review');
  await page.locator('.review').first().waitFor();
  assert.equal(await page.locator('.review').count(), waiting);
  await answer(page.locator('.review-doubt').first(), 'Both are right');
  await countIs(page, 'review', waiting - 1);
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'review', waiting);
  await answer(page.locator('.review-doubt').first(), 'These are two different things');
  await countIs(page, 'review', waiting - 1);
  const suspected = page.locator('.review-suspected').first();
  await suspected.getByRole('button', { name: 'Forget it' }).click();
  await countIs(page, 'review', waiting - 2);
});

/** Statements about different matters, each asked about since its mail is dated in the future. */
const AHEAD = [
  'The boiler needs a new valve by 3 March.',
  'Your parking permit costs 90 euros.',
  'Piano tuning is booked for Monday 9 March.',
  'Passport applications close on 14 April.',
  'Nadia moves to Lisbon in June.',
  'We agreed on a budget of 4,000 dollars for bicycles.',
  'Projector rental ends tomorrow.',
  'Wine tasting starts at 7 pm in room Cedar.',
  'Chimney sweeping takes two hours on 2 May.',
  'Please send 300 envelopes to Oslo by Friday.',
  'Lawyers confirmed the lease until 2101.',
  'Tomatoes cost 3 euros a kilo.',
  'Gardeners plant birches on 8 October.',
  'Password resets take effect at midnight.',
  'Grandma turns 80 on 11 November.',
  'The plumber comes on 3 March at 9 am.',
  'Parents evening is on 12 May at 7 pm.',
  'Please return the library books by 4 April.',
  'The flight to Oslo leaves on 6 June at 8:15.',
  'The eye test is on 9 September at 10:30.',
  'The choir sings on 2 November at 6 pm.',
  'The car inspection is on 15 October at 8 am.',
  'Please pay 120 euros for the fence by 1 July.',
];

test('ten questions are shown at a time, and the others behind a button', async () => {
  const page = await visit(context, site.url);
  const mails = AHEAD.map(
    (text, n) =>
      `From ${n}@xxx Thu Feb 20 09:00:00 2025\r\nFrom: p@x${n}.example\r\nTo: me@b.example\r\nSubject: ${text.split(' ')[1]}\r\nMessage-ID: <${n}@x.example>\r\nDate: Thu, 20 Feb 2099 09:00:00 +0000\r\n\r\n${text}\r\n\r\n`,
  );
  await choose(page, { name: 'ahead.mbox', mimeType: 'application/mbox', buffer: Buffer.from(mails.join('')) });
  await page.locator('.run-done').waitFor();
  const waiting = await counted(page, 'review');
  assert.ok(waiting > 10, `${waiting}`);
  await go(page, 'review');
  await page.locator('.review').first().waitFor();
  assert.equal(await page.locator('.review-group-rest .review').count(), 10);
  await page.getByRole('button', { name: /lesser ones/ }).click();
  assert.equal(await page.locator('.review').count(), waiting);
});

test('what is meant by a request in words is shown first, then deleted, restored and erased', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The Corran Bay contract costs 40,000 euros a year.');
  await write(page, 'The dentist is on Pine Street, second floor.');
  await flat(page);
  await countIs(page, 'memories', 2);
  await page.getByText('Delete in words').click();
  await page.getByLabel('What should be deleted?').fill('forget everything about the Corran Bay contract');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('.words-found mark').first().waitFor();
  assert.equal(await page.locator('.words-found li').count(), 1);
  assert.equal(await counted(page, 'memories'), 2);
  await page.getByRole('button', { name: 'Delete 1 memory' }).click();
  await countIs(page, 'memories', 1);
  await page.getByText('Deleted (1)').click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await countIs(page, 'memories', 2);
  await page.locator('.memory').filter({ hasText: 'Corran' }).locator('.memory-head').click();
  await page.locator('.memory-open').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('.memory-open').getByRole('button', { name: 'Erase for good' }).click();
  await countIs(page, 'memories', 1);
  assert.equal(await page.getByText('Deleted (1)').count(), 0);
  await go(page, 'log');
  assert.equal(await page.locator('.log-table').getByText('Corran').count(), 0);
});

test('a decision is taken back and done again from the log', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The spare key lies with Dana on the third floor.');
  await go(page, 'log');
  const first = () => page.locator('.log-table tbody tr:not(.row-explanation)').last();
  await first().getByRole('button', { name: 'Explain' }).click();
  await page.locator('.row-explanation').getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'memories', 0);
  await page.locator('.row-gone').getByText('Undone', { exact: true }).waitFor();
  await page.locator('.row-explanation').getByRole('button', { name: 'Redo' }).click();
  await countIs(page, 'memories', 1);
});

test('the timeline names the values that changed', async () => {
  const page = await visit(context, site.url);
  await write(page, 'Q1 마케팅 캠페인 예산은 5000만원입니다.');
  assert.match(await write(page, 'Q1 마케팅 캠페인 예산이 6000만원으로 변경되었습니다.'), /decision-UPDATE/);
  await flat(page);
  await page.locator('.memory-head').first().click();
  await page.locator('.timeline .changes ins').first().waitFor();
  assert.match(await page.locator('.timeline .changes').first().textContent(), /5000만원.*6000만원/s);
});

thorough('the log is narrowed to a memory or a mail', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  await go(page, 'log');
  const all = await counted(page, 'log');
  const mail = await page.locator('#log-sources option').first().getAttribute('value');
  await drawn(page, '.log-table tbody tr', Math.min(all, 50));
  await page.getByLabel('Memory or mail').fill(mail);
  await page.waitForFunction((n) => document.querySelectorAll('.log-table tbody tr').length < Math.min(n, 50), all);
  assert.ok((await page.locator('.log-table tbody tr').count()) > 0);
});

test('a deed tells in the log and on the way in what it was done to', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The spare key lies with Dana on the third floor.');
  await write(page, 'The dentist is on Pine Street, second floor.');
  await countIs(page, 'memories', 2);
  await flat(page);
  await page.locator('.memory').filter({ hasText: 'dentist' }).locator('.memory-head').click();
  await page.locator('.memory-open').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('.memory-open').getByRole('button', { name: 'Erase for good' }).click();
  await countIs(page, 'memories', 1);
  await page.locator('.memory-head').click();
  await page.locator('.memory-open').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Yes, delete' }).click();
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'memories', 1);
  await go(page, 'rest');
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('heading', { name: 'All memories were checked' }).waitFor();
  await go(page, 'inbox');
  const rows = page.locator('.feed > li');
  const told = await rows.evaluateAll((all) =>
    all.map((row) => [row.querySelector('.entry-tags').textContent, row.querySelector('.entry-text').textContent.trim()]),
  );
  for (const [tags, text] of told) assert.ok(text.length > 0, tags);
  const of = (action) => told.find(([tags]) => tags === action)?.[1];
  assert.equal(of('Forgotten'), 'Erased for good');
  assert.match(of('Deleted'), /spare key/);
  assert.match(of('Undone'), /spare key/);
  await go(page, 'log');
  for (const text of await page.locator('.log-table .cell-input').allTextContents()) assert.ok(text.trim().length > 0);
});

thorough('what an undo leaves is not among the deleted, and what is counted is what is shown', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  await go(page, 'review');
  const waiting = await counted(page, 'review');
  await answer(page.locator('.review-doubt').first(), /newest/);
  await countIs(page, 'review', waiting - 1);
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'review', waiting);
  await flat(page);
  assert.equal(await page.getByText(/^Deleted \(/).count(), 0);
  const more = page.locator('.more-button');
  if (await more.count()) await more.click();
  await drawn(page, '.memory', await counted(page, 'memories'));
  const cards = page.locator('.memory');
  let some = 0;
  for (let n = 0; n < Math.min(await cards.count(), 12); n++) {
    const card = cards.nth(n);
    await card.locator('.memory-head').click();
    await card.locator('.memory-detail').waitFor();
    some += await card.locator('.linked > li').count();
    await card.locator('.memory-head').click();
  }
  assert.ok(some > 0);
  await go(page, 'links');
  await page.locator('.links-table tbody tr').first().waitFor();
  assert.match(await page.locator('.graph[aria-label]').first().getAttribute('aria-label'), new RegExp(`joined by ${await counted(page, 'links')} links`));
  await go(page, 'data');
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.locator('.done').waitFor();
  assert.match(await page.locator('.done').textContent(), new RegExp(` ${await counted(page, 'log')} log entries`));
  await page.getByRole('button', { name: 'Erase everything' }).click();
  assert.match(await page.locator('.confirm').textContent(), new RegExp(`Erase ${await counted(page, 'memories')} memories`));
  // What is taken back leaves no link behind.
  await go(page, 'inbox');
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Yes, undo' }).click();
  await countIs(page, 'memories', 0);
  await countIs(page, 'links', 0);
});
