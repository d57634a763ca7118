// What a person does with the extension: opens mails, sees the chip, opens the panel, puts a decision right, searches, forgets.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, chip, mailbox, open, openMail, own, remember, thread } from './stage.mjs';

let stage;
let mail;
let panel;
before(async () => {
  stage = await open();
  mail = await mailbox(stage);
});
after(() => stage?.close());

const contents = async () => (await ask(panel, 'list', {})).map((m) => m.content);
const cards = () => panel.locator('.decision');
/** The panel, beside the thread that was opened last. */
async function beside(name) {
  await remember(mail, name);
  await panel.evaluate(() => (location.hash = '#/inbox'));
  await panel.locator('.thread-subject').filter({ hasText: thread(name).subject }).waitFor();
}

test('the first run is one page that says it is ready, without a model or an account', async () => {
  const page = stage.context.pages().find((p) => p.url().endsWith('/welcome.html'));
  assert.ok(page, 'it opened by itself');
  await page.getByRole('heading', { name: 'It is ready' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Open Gmail' }).getAttribute('href'), 'https://mail.google.com/');
  await page.close();
});

test('an opened conversation is remembered from its originals, and the chip says so', async () => {
  assert.match(await remember(mail, 'budget'), /^1 remembered · 1 updated$/);
  assert.equal(stage.gmail.asked.filter((p) => /view=om/.test(p) && /ik=5d0c0ffee1/.test(p)).length, 2);
});

test('the panel shows what the open mail taught, old value struck through, and why', async () => {
  panel = await own(stage, 'panel.html', { width: 320 });
  await cards().first().waitFor();
  assert.equal(await cards().count(), 2);
  assert.match(await panel.locator('.result-count').textContent(), /1 remembered · 1 updated/);
  assert.match(await cards().nth(1).locator('.decision-text del').first().textContent(), /5000만원/);
  assert.match(await cards().nth(1).locator('.decision-text ins').first().textContent(), /6000만원/);
  await cards().nth(1).getByRole('button', { name: 'Why?' }).click();
  assert.ok((await cards().nth(1).locator('.reasons li').count()) > 0);
  assert.ok((await cards().nth(1).locator('.weights li').count()) > 0);
});

test('not an update: one click keeps both, and one takes that back', async () => {
  await cards().nth(1).getByRole('button', { name: 'Not an update' }).click();
  await panel.locator('.thread-done').waitFor();
  await panel.waitForFunction(() => document.activeElement !== document.body);
  assert.deepEqual((await contents()).sort(), thread('budget').mails.map((m) => m.text).sort());
  await panel.locator('.thread-done').getByRole('button', { name: 'Undo' }).click();
  await panel.locator('.thread-done').waitFor({ state: 'detached' });
  assert.deepEqual(await contents(), [thread('budget').mails[1].text]);
});

test('link instead: both stay, and are linked', async () => {
  await cards().nth(1).getByRole('button', { name: 'Link instead' }).click();
  await cards().nth(1).locator('.decision-other').waitFor();
  assert.match(await cards().nth(1).locator('.decision-other').textContent(), /Linked to.*5000만원/s);
  assert.equal((await ask(panel, 'graph.edges')).length, 1);
  await panel.locator('.thread-done').getByRole('button', { name: 'Undo' }).click();
  await panel.locator('.thread-done').waitFor({ state: 'detached' });
});

test('opening a mail again changes nothing', async () => {
  const before = (await ask(panel, 'data.log', {})).length;
  await remember(mail, 'hello', /nothing new/);
  assert.match(await remember(mail, 'budget'), /1 remembered · 1 updated/);
  assert.equal((await ask(panel, 'data.log', {})).length, before);
});

test('collapsed messages are read when they are opened, and not before', async () => {
  assert.match(await remember(mail, 'contract'), /^1 remembered/);
  assert.equal((await contents()).filter((c) => /40,000/.test(c)).length, 0);
  await mail.locator('#pane .kv .gE:visible').first().click();
  await chip(mail, /^(2 remembered|1 remembered · 1 updated)/);
  assert.equal((await contents()).filter((c) => /40,000/.test(c)).length, 1);
});

test('where Gmail offers no original the page itself is read, once', async () => {
  await remember(mail, 'kickoff', /1 remembered/);
  const [memory] = (await ask(panel, 'list', {})).filter((m) => /킥오프/.test(m.content));
  assert.equal(memory.sourceId, `<gmail-${thread('kickoff').id}@mail.gmail.com>`);
  assert.equal(memory.threadId, thread('kickoff').id);
  assert.equal(Date.parse(memory.statedAt), Math.floor(thread('kickoff').mails[0].at / 60_000) * 60_000);
  assert.ok(memory.people.includes('kim@hanbit.example'));
});

test('a change in another thread becomes a version, seen in the timeline', async () => {
  await remember(mail, 'moved', /1 (updated|remembered)/);
  const heads = (await ask(panel, 'list', {})).filter((m) => /킥오프/.test(m.content));
  const head = heads.find((m) => /오후 3시/.test(m.content));
  assert.ok(head);
  await panel.evaluate((id) => (location.hash = `#/memories/${id}`), head.id);
  await panel.locator('.memory-open').waitFor();
  if (head.version > 1) await panel.locator(`.timeline[data-versions="${head.version}"]`).waitFor();
});

test('a question with a time finds the memory', async () => {
  await remember(mail, 'dentist', /1 remembered/);
  await panel.evaluate(() => (location.hash = '#/search'));
  await panel.getByLabel('Asked on').fill('2026-01-12');
  await panel.getByLabel('Question').fill('What happens on 3 March?');
  await panel.getByRole('button', { name: 'Search' }).click();
  await panel.locator('.hit').first().waitFor();
  assert.match(await panel.locator('.hit-text').first().textContent(), /dentist/i);
});

test('people and subjects show what is known of each', async () => {
  await panel.evaluate(() => (location.hash = '#/people'));
  await panel.locator('.groups a').filter({ hasText: 'dana@corran.example' }).click();
  await panel.getByRole('heading', { name: 'dana@corran.example' }).waitFor();
  await panel.locator('.memory').filter({ hasText: /dentist|Corran/ }).nth(1).waitFor();
  assert.equal(await panel.locator('.groups').filter({ hasText: 'me@example.com' }).count(), 0);
  await panel.evaluate(() => (location.hash = '#/projects'));
  await panel.locator('.groups a').filter({ hasText: 'Corran Bay' }).first().click();
  await panel.locator('.memory').first().waitFor();
});

test('what is forgotten is gone: from memory, log, panel, search and the second copy', async () => {
  await ask(panel, 'copyNow');
  await beside('dentist');
  await cards().first().getByRole('button', { name: 'Forget' }).click();
  await cards().first().getByRole('button', { name: 'Forget for good' }).click();
  await panel.getByText('Forgotten for good').waitFor();
  assert.equal((await contents()).filter((c) => /dentist/i.test(c)).length, 0);
  assert.doesNotMatch(JSON.stringify(await ask(panel, 'data.log', {})), /Pine Street/);
  const copy = await panel.evaluate(async () => {
    const dir = await navigator.storage.getDirectory();
    const file = await (await dir.getFileHandle('copy.jsonl.gz')).getFile();
    return new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).text();
  });
  assert.match(copy, /마케팅/);
  assert.doesNotMatch(copy, /Pine Street/);
});

test('a reply to the click on the chip is the side panel', async () => {
  await remember(mail, 'contract');
  const box = await mail.locator('memfold-chip').boundingBox();
  await mail.mouse.click(box.x + 20, box.y + box.height / 2);
  const opened = async () => panel.evaluate(async () => (await chrome.runtime.getContexts({ contextTypes: ['SIDE_PANEL'] })).length);
  for (let tries = 0; (await opened()) === 0; tries++) {
    assert.ok(tries < 60, 'the side panel did not open');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

test('options: never, a label, people and labels to leave alone', async () => {
  let before = (await ask(panel, 'data.log', {})).length;
  const options = await own(stage, 'options.html', { width: 760 });
  const save = async () => {
    await options.locator('#save').click();
    await options.locator('form .done').filter({ hasText: 'Saved.' }).waitFor();
  };
  const unread = async (name) => {
    await openMail(mail, name);
    await mail.waitForTimeout(300);
    assert.equal(await mail.locator('memfold-chip').count(), 0, name);
    assert.equal((await ask(panel, 'data.log', {})).length, before, name);
  };
  await options.getByLabel('never').check();
  await save();
  await unread('many1');
  await options.getByLabel('with a label only').check();
  await options.getByLabel('Label', { exact: true }).fill('Private');
  await save();
  await unread('many2');
  await options.getByLabel('Label', { exact: true }).fill('trips');
  await save();
  await remember(mail, 'travel', /remembered/);
  before = (await ask(panel, 'data.log', {})).length;
  await options.getByLabel('when opened').check();
  await options.getByLabel('People to leave alone, one a line').fill('@shop.example');
  await options.getByLabel('Labels to leave alone, one a line').fill('Private');
  await save();
  await unread('sale');
  await unread('dentist');
  await remember(mail, 'many3', /1 (remembered|updated)/);
  await options.close();
});

test('an export is a file, and erasing leaves a first run', async () => {
  const options = await own(stage, 'options.html', { width: 760 });
  const [download] = await Promise.all([options.waitForEvent('download'), options.getByRole('button', { name: 'Export' }).click()]);
  assert.equal(download.suggestedFilename(), 'memories.jsonl');
  const lines = (await (await import('node:fs/promises')).readFile(await download.path(), 'utf8')).trim().split('\n').map((l) => JSON.parse(l));
  assert.ok(lines.length > 5);
  await options.getByRole('button', { name: 'Check' }).click();
  await options.locator('.done').filter({ hasText: 'All is well' }).waitFor();
  await options.getByRole('button', { name: 'Erase everything' }).click();
  await options.getByRole('button', { name: 'Yes, erase' }).click();
  await options.waitForFunction(async () => {
    const answer = await chrome.runtime.sendMessage({ ask: 'list', args: [{}] }).catch(() => undefined);
    return answer?.value?.length === 0;
  });
  assert.deepEqual((await ask(options, 'settings')).ignorePeople, []);
  assert.equal((await ask(options, 'status')).loss, null);
});

test('nothing but Gmail was asked for anything', () => {
  assert.ok(stage.gmail.asked.every((path) => path.startsWith('/mail/') || path === '/favicon.ico'));
  assert.ok(stage.gmail.asked.filter((path) => path !== '/favicon.ico').every((path) => !path.includes('view=') || path.includes('view=om')));
});
