// What the page shows of what was said: struck parts, who said it, what may be outdated and how that is settled, possible fraud.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { answer, axePath, choose, countIs, counted, drawn, flat, go, loadSample, staged, visit, write } from './site.mjs';
import { thorough } from '../tier.mjs';

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

const BEFORE = 'The harbour project starts on 15 January, with a budget of 50 million won.';
const NOW = 'The budget of the harbour project is 60 million won now.';
const waits = (page, n) => countIs(page, 'review', n);
/** A text as somebody hears it, in one line. */
const heard = async (locator) => (await locator.textContent()).replace(/\s+/g, ' ').trim();
const unstruck = (locator) =>
  locator.evaluate((e) => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll('s, del').forEach((gone) => gone.remove());
    return copy.textContent;
  });

test('an update keeps what was said and strikes what no longer holds, wherever the memory is shown', async () => {
  const page = await visit(context, site.url);
  await write(page, BEFORE);
  assert.match(await write(page, NOW, 'Preview'), /decision-UPDATE/);
  // What it would become, before it is.
  const preview = page.locator('.note-result .texts');
  assert.match(await preview.locator('ins').textContent(), /60 million won now/);
  assert.match(await preview.locator('del').textContent(), /with a budget of 50 million won/);
  assert.match(await write(page, NOW), /decision-UPDATE/);
  await flat(page);
  // Its line is what holds now; the earlier value is folded.
  assert.equal(await heard(page.locator('.memory-text')), 'The budget of the harbour project is 60 million won now');
  assert.equal(await heard(page.locator('.memory-earlier')), '1 earlier value');
  await page.locator('.memory-head').click();
  const struck = page.locator('.timeline > li').first().locator('.statements del');
  assert.equal(await heard(struck), '(no longer holds: with a budget of 50 million won.)');
  await page.locator('.switch').first().click();
  assert.match(await heard(struck), /^\(지금은 아님: with a budget/);
  await page.locator('.switch').first().click();
  await page.locator('.timeline > li').nth(1).waitFor();
  const versions = page.locator('.timeline > li');
  assert.deepEqual(await versions.first().locator('.statements li').count(), 2);
  assert.match(await heard(versions.first().locator('.statements ins')), /^added: The budget of the harbour project/);
  assert.match(await versions.first().locator('.statements del').textContent(), /50 million/);
  assert.equal(await heard(versions.nth(1).locator('> p').last()), BEFORE);
  await go(page, 'search');
  await page.getByLabel('Question').fill('harbour project budget');
  await page.keyboard.press('Enter');
  await page.locator('.hit-text mark').first().waitFor();
  const marks = await page.locator('.hit-text mark').allTextContents();
  assert.ok(marks.includes('budget') && marks.includes('harbour'), marks.join());
  assert.equal(await page.locator('.hit-text s mark').count(), 0);
  assert.doesNotMatch(await unstruck(page.locator('.hit-text')), /50 million/);
});

/** A text as it is seen, without what is only heard and without who said it. */
const seen = (locator) =>
  locator.evaluateAll((all) =>
    all.map((e) => {
      const copy = e.cloneNode(true);
      copy.querySelectorAll('.unseen, .byline').forEach((part) => part.remove());
      return copy.textContent.replace(/\s+/g, ' ').trim();
    }),
  );
async function exported(page) {
  await go(page, 'data');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  return (await readFile(await (await download).path(), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

thorough('lists and histories show what was said and no other text, each with its author and day', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  const lines = await exported(page);
  const plain = (text) => text.replace(/\s+/g, ' ').trim();
  const inputs = new Set(lines.flatMap(({ entry }) => (entry ? [plain(entry.input)] : [])));
  const statements = lines.flatMap(({ memory }) => memory?.statements ?? []);
  for (const { text } of statements) assert.ok(inputs.has(plain(text)), text);
  const said = new Set(statements.map(({ text }) => plain(text)));
  const heads = new Set(lines.flatMap(({ memory }) => (memory && !memory.supersededBy ? [plain(memory.statements.map((m) => m.text).join(' · '))] : [])));
  await flat(page);
  await page.locator('.more-button').click();
  await drawn(page, '.memory', await counted(page, 'memories'));
  const texts = await seen(page.locator('.memory-text'));
  assert.equal(texts.length, await counted(page, 'memories'));
  // A line begins with what it is about, where its words do not say so, and ends before what is left of an earlier value.
  const parts = (text) => text.split(' · ').map((part) => part.replace(/[.。]$/, '').trim());
  const known = new Set([...heads].flatMap(parts));
  const isSaid = (part) => [...known].some((one) => one.endsWith(part));
  for (const text of texts) assert.ok(parts(text).slice(-1).every(isSaid), text);
  const revised = await page.locator('.memory:has(.memory-earlier)').count();
  assert.ok(revised > 0);
  for (let n = 0; n < revised; n++) {
    const one = page.locator('.memory:has(.memory-earlier)').nth(n);
    await one.locator('.memory-head').click();
    await one.locator('.timeline > li').nth(1).waitFor();
    for (const text of await seen(one.locator('.timeline .statements li, .timeline > li:last-child > p:last-child'))) assert.ok(said.has(text), text);
    for (const line of await one.locator('.timeline .statements .byline').allTextContents()) assert.match(line, /\S.+20\d\d$/);
    await one.locator('.memory-head').click();
  }
});

test('a memory of an earlier format, without statements, reads as it did', async () => {
  const page = await visit(context, site.url);
  await write(page, BEFORE);
  const lines = await exported(page);
  let stripped = 0;
  for (const { memory } of lines) {
    if (!memory) continue;
    stripped += memory.statements.length;
    delete memory.statements;
  }
  assert.ok(stripped > 0);
  await page.getByRole('button', { name: 'Erase everything' }).click();
  await page.getByRole('button', { name: 'Yes, erase' }).click();
  await page.getByText('Everything was erased.', { exact: true }).first().waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'old.jsonl', mimeType: 'text/plain', buffer: Buffer.from(lines.map((l) => `${JSON.stringify(l)}\n`).join('')) });
  await page.locator('.done').filter({ hasText: 'Imported' }).waitFor();
  await flat(page);
  assert.equal(await heard(page.locator('.memory-text')), BEFORE);
  await page.locator('.memory-head').click();
  await page.locator('.memory-detail').waitFor();
  assert.equal(await page.locator('.memory-detail .statements').count(), 0);
});

/** Opens the first memory in the list that may be outdated, and with `asked` the first whose doubt is listed for review: of one matter
 * that is a single one. Gives its doubts, by the ids of the newer ones. */
async function doubtful(page, { asked = false } = {}) {
  await flat(page);
  const more = page.locator('.more-button');
  if (await more.count()) await more.click();
  const cards = page.locator('.memory').filter({ has: page.locator('.badge-doubt') });
  const open = page.locator('.memory-open');
  const isWanted = async () =>
    !asked || (await open.locator('.doubt').filter({ hasText: 'May be outdated by' }).first().getByRole('button', { name: 'Keep both' }).count()) > 0;
  for (let n = 0; ; n++) {
    assert.ok(n < (await cards.count()), 'a memory may be outdated');
    await cards.nth(n).locator('.memory-head').click();
    await open.locator('.doubt a').first().waitFor();
    if (await isWanted()) break;
    await cards.nth(n).locator('.memory-head').click();
    await open.waitFor({ state: 'detached' });
  }
  const newer = (await open.locator('.doubt').filter({ hasText: 'May be outdated by' }).locator('a').first().getAttribute('href')).split('/').at(-1);
  return { open, newer, text: await unstruck(open.locator('.memory-text')) };
}

test('what may be outdated says so in the list, in its detail and where it is found, and leads to the newer one', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  const { newer, text } = await doubtful(page);
  await page.evaluate((id) => (location.hash = `#/memories/${id}`), newer);
  const other = page.locator(`.memory[data-wanted] .doubt`).filter({ hasText: 'May replace' });
  await other.first().waitFor();
  const older = await other.locator('a').evaluateAll((links) => links.map((a) => a.getAttribute('href').split('/').at(-1)));
  await go(page, 'search');
  await page.getByLabel('Question').fill(text.slice(0, 120));
  await page.keyboard.press('Enter');
  const hit = page
    .locator('.hit')
    .filter({ has: page.locator(`.doubt a[href="#/memories/${newer}"]`) })
    .first();
  await hit.waitFor();
  const found = (await hit.locator('.hit-text a').getAttribute('href')).split('/').at(-1);
  assert.ok(older.includes(found), 'the newer one names the older, and the other way round');
  assert.match(await heard(hit.locator('.doubt').first()), /^May be outdated by .*20\d\d$/);
  await page.locator('.switch').first().click();
  assert.match(await heard(hit.locator('.doubt').first()), /^다음 내용으로 바뀌었을 수 있음/);
  await page.locator('.switch').first().click();
  await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map((v) => v.id),
    [],
  );
});

thorough('to keep both settles a doubt from the memory itself, and the log takes it back', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  const waiting = await counted(page, 'review');
  const known = await counted(page, 'memories');
  const { open, newer } = await doubtful(page, { asked: true });
  const doubt = () => open.locator('.doubt').filter({ has: page.locator(`a[href="#/memories/${newer}"]`) });
  await doubt().getByRole('button', { name: 'Keep both' }).click();
  await waits(page, waiting - 1);
  await doubt().waitFor({ state: 'detached' });
  assert.equal(await counted(page, 'memories'), known);
  assert.equal(await open.locator(`.linked a[href="#/memories/${newer}"]`).count(), 1, 'they stay linked');
});

test('a doubt in the review list shows both sides with who and when, and is settled either way', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  const [waiting, known] = [await counted(page, 'review'), await counted(page, 'memories')];
  await go(page, 'review');
  const doubt = () => page.locator('.review-doubt').first();
  await doubt().waitFor();
  const sides = doubt().locator('.value .byline');
  assert.equal(await sides.count(), 2);
  for (const side of await sides.allTextContents()) assert.match(side, /\S.+20\d\d$/);
  assert.match(await doubt().locator('.review-ask').textContent(), /: (when is it|by when|how much is it|which is right)\?$/);
  // What an answer does is told before it is saved.
  const save = doubt().getByRole('button', { name: 'Save answer' });
  assert.equal(await save.isDisabled(), true);
  await doubt()
    .getByRole('radio', { name: /newest/ })
    .check();
  assert.match(await doubt().getByRole('status').textContent(), /becomes current; .* is kept as outdated\./);
  await save.click();
  await waits(page, waiting - 1);
  assert.equal(await counted(page, 'memories'), known - 1, 'one of both');
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await waits(page, waiting);
  assert.equal(await counted(page, 'memories'), known);
  await doubt().focus();
  await page.keyboard.press('1');
  assert.match(await doubt().getByRole('status').textContent(), /stays current; .* is dropped\./);
  await page.keyboard.press('Enter');
  await waits(page, waiting - 1);
  assert.equal(await counted(page, 'memories'), known - 1, 'what was stored');
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await waits(page, waiting);
  await answer(doubt(), 'These are two different things');
  await waits(page, waiting - 1);
  assert.equal(await counted(page, 'memories'), known, 'both, apart');
});

/** The sample of a potter's mail, taken in. */
async function potter() {
  const page = await visit(context, site.url);
  await page.locator('#sample-en').click();
  await page.locator('.run-done').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Close the guide' }).click();
  return page;
}

test('a correction by the owner settles the matter: its question and the rival memory are gone, and one undo brings both back', async () => {
  const page = await potter();
  const [waiting, known] = [await counted(page, 'review'), await counted(page, 'memories')];
  await flat(page);
  const card = page.locator('.memory').filter({ hasText: '27 May' });
  await card.locator('.memory-head').click();
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  await page.getByLabel('What is right?').fill('The glaze workshop is on Thursday 28 May at 3 pm.');
  await page.getByRole('button', { name: 'Save the correction' }).click();
  await page.locator('.toast').getByText('Corrected.').waitFor();
  await waits(page, waiting - 1);
  assert.equal(await counted(page, 'memories'), known - 1, 'of two days one holds');
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await waits(page, waiting);
  assert.equal(await counted(page, 'memories'), known);
  await go(page, 'review');
  const doubt = page.locator('.review-doubt');
  await doubt.waitFor();
  assert.match(await doubt.getByRole('radio', { name: /newest/ }).evaluate((e) => e.closest('label').textContent), /27 May/);
});

test('possible fraud stands apart, under a plain warning', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  await go(page, 'review');
  const apart = page.locator('.review-group').first();
  await apart.waitFor();
  assert.match(await heard(apart.locator('h2')), /^Possible fraud$/);
  assert.match(await heard(apart.locator('> p')), /Do not pay, send or sign in/);
  assert.ok((await apart.locator('.review-suspected').count()) >= 3);
  assert.equal(await page.locator('.review-group-rest').locator('.review-fraud, .review-suspected').count(), 0);
});

test('a suspicious text shows who sent it, its reason once, and leads to its mail', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  await go(page, 'review');
  const all = page.locator('.review-suspected');
  await all.first().waitFor();
  for (let n = 0; n < (await all.count()); n++) assert.match(await all.nth(n).locator('.review-address').textContent(), /^\S+@\S+$/);
  const one = all.first();
  assert.equal((await one.textContent()).split('gives orders to an assistant').length - 1, 1);
  await one.locator('.byline-mail').click();
  await page.locator('dialog.mail .mail-text').waitFor();
});

thorough('a question names what is told of it: an address that only looks like a known one, and whose word it is', async () => {
  const page = await potter();
  await go(page, 'review');
  const fraud = page.locator('.review-fraud');
  await fraud.waitFor();
  assert.match(await heard(fraud.locator('.reasons')), /resembles \w+@kilnandclay\.example/);
  await fraud.getByRole('button', { name: 'Why am I asked?' }).click();
  await fraud.locator('.explanation-box').waitFor();
  assert.doesNotMatch(await fraud.textContent(), /Too unclear to replace/);
  assert.match(await heard(page.locator('.review-doubt .reasons').first()), /^The stored fact is from Dana Reed; this is from another sender\.$/);
  // What is like nothing else replaces nothing, and takes place on no day.
  await go(page, 'inbox');
  await write(page, 'Buy milk', 'Preview');
  assert.doesNotMatch(await page.locator('.note-result').textContent(), /to replace anything|both are kept/);
  await write(page, 'Buy milk');
  await flat(page);
  await page.locator('.memory').filter({ hasText: 'Buy milk' }).locator('.memory-head').click();
  await page.locator('.memory-detail .facts').first().waitFor();
  assert.doesNotMatch(await page.locator('.memory-detail .facts').first().textContent(), /Happens/);
});

/** A page whose review asks about one mail that gives another bank account. */
async function defrauded() {
  const page = await visit(context, site.url);
  const mail = [
    'From 1@xxx Tue Apr 08 05:40:30 +0000 2025',
    'Delivered-To: me@b.example',
    'Date: Tue, 08 Apr 2025 14:40:30 +0200',
    'Message-ID: <1@skarvlk.example>',
    'Subject: Updated remittance details',
    'From: Skarvik Accounts <accounts@skarvlk.example>',
    'To: me@b.example',
    '',
    'following an audit our bank account has changed. Please use the new account for all open invoices and treat the old one as closed.',
    '',
    '',
  ].join('\r\n');
  await choose(page, { name: 'one.mbox', mimeType: 'application/mbox', buffer: Buffer.from(mail) });
  await page.locator('.run-done').waitFor();
  await go(page, 'review');
  const fraud = page.locator('.review-group-fraud .review-fraud');
  await fraud.waitFor();
  return { page, fraud };
}

thorough('possible fraud about nothing that is stored is kept alone', async () => {
  const { page, fraud } = await defrauded();
  assert.match(await heard(fraud.locator('.reasons')), /It would change a bank account\. Call a number/);
  assert.match(await heard(fraud.locator('.review-who')), /accounts@skarvlk\.example/);
  assert.equal(await fraud.locator('.review-until').count(), 0);
  assert.deepEqual(await fraud.locator('.review-answers button').allTextContents(), ['I checked it: it is real', 'Forget it', 'Why am I asked?']);
  await fraud.getByRole('button', { name: 'I checked it: it is real' }).click();
  await waits(page, 0);
  assert.equal(await counted(page, 'memories'), 1);
});

test('where it is found, possible fraud warns, leads to its question and stands below what is settled', async () => {
  const { page } = await defrauded();
  await go(page, 'inbox');
  await write(page, 'The bank account of the harbour fund is kept by Dana.');
  await go(page, 'search');
  const found = async (question) => {
    await page.getByLabel('Question').fill(question);
    await page.keyboard.press('Enter');
    await page.locator('.hit').nth(1).waitFor();
  };
  await found('Please use the new bank account for all open invoices and treat the old one as closed');
  const last = page.locator('.hit').nth(1);
  assert.equal(await last.locator('a.badge-error[href="#/review"]').textContent(), 'May be fraud: look');
  assert.equal(await page.locator('.hit').first().locator('.badge-error').count(), 0);
  // Another category is another search.
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.locator('.filters select').selectOption('ads');
  await page.waitForFunction(() => document.querySelectorAll('.hit').length === 0);
  await page.locator('.filters select').selectOption('');
  await last.locator('.badge-error').click();
  await page.locator('.review-fraud').getByRole('button', { name: 'I checked it: it is real' }).click();
  await waits(page, 0);
  await go(page, 'search');
  await found('bank account');
  assert.equal(await page.locator('.hit .badge-error').count(), 0);
});

thorough('of what was deleted nobody is asked, until it is back', async () => {
  const { page } = await defrauded();
  await flat(page);
  await page.locator('.memory-head').click();
  await page.locator('.memory-open').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Yes, delete' }).click();
  await waits(page, 0);
  await go(page, 'review');
  await page.locator('.empty').waitFor();
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.locator('.review-fraud').waitFor();
  await waits(page, 1);
});

thorough('possible fraud is told in Korean too, and discarded', async () => {
  const { page, fraud } = await defrauded();
  await page.locator('.switch').first().click();
  assert.match(await heard(fraud.locator('.reasons')), /돈을 보낼 계좌가 바뀌는 내용입니다\. 전부터 알던 번호로 전화해/);
  await fraud.getByRole('button', { name: '버리기' }).click();
  await waits(page, 0);
  assert.equal(await counted(page, 'memories'), 0);
});
