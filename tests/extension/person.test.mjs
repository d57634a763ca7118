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
  await panel
    .locator('.thread-subject')
    .filter({ hasText: thread(name).subject })
    .waitFor();
}

test('the first run is three steps: what is read, whether a model helps, and where to look', async () => {
  const page = stage.context.pages().find((p) => p.url().endsWith('/welcome.html'));
  assert.ok(page, 'it opened by itself');
  await page.getByRole('heading', { name: 'What may it read?' }).waitFor();
  await page.getByLabel('with a label only').check();
  await page.getByLabel('Label', { exact: true }).fill('trips');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('heading', { name: 'Use a model?' }).waitFor();
  assert.deepEqual((await ask(page, 'settings')).read, 'label');
  assert.deepEqual((await ask(page, 'settings')).label, 'trips');
  assert.ok(await page.getByLabel('No model: everything is decided on this device').isChecked());
  await page.getByLabel(/^A model on this computer/).check();
  assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), 'http://localhost:11434/v1');
  await page.getByLabel('Chrome’s built-in model: on this device').check();
  await page.getByText('This Chrome or this device').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByLabel('when opened').check();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('heading', { name: 'Where to look' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Open Gmail' }).getAttribute('href'), 'https://mail.google.com/');
  assert.equal((await ask(page, 'settings')).read, 'open');
  await page.close();
});

test('an opened conversation is remembered from its originals, and the chip says so', async () => {
  await remember(mail, 'budget', /^1 remembered · 1 updated$/);
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
  await panel.locator('.toast').waitFor();
  await panel.waitForFunction(() => document.activeElement !== document.body);
  assert.deepEqual(
    (await contents()).sort(),
    thread('budget')
      .mails.map((m) => m.text)
      .sort(),
  );
  await panel.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await panel.locator('.toast').filter({ hasText: 'undone' }).waitFor();
  assert.deepEqual(await contents(), [thread('budget').mails[1].text]);
});

test('link instead: both stay, and are linked', async () => {
  await cards().nth(1).getByRole('button', { name: 'Link instead' }).click();
  await cards().nth(1).locator('.decision-other').waitFor();
  assert.match(await cards().nth(1).locator('.decision-other').textContent(), /Linked to.*5000만원/s);
  assert.equal((await ask(panel, 'graph.edges')).length, 1);
  await panel.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await panel.locator('.toast').filter({ hasText: 'undone' }).waitFor();
});

test('opening a mail again changes nothing', async () => {
  const before = (await ask(panel, 'log.list', {})).length;
  await remember(mail, 'hello', /nothing to remember/);
  await remember(mail, 'budget', /1 remembered · 1 updated/);
  assert.equal((await ask(panel, 'log.list', {})).length, before);
});

test('collapsed messages are read when they are opened, and not before', async () => {
  await remember(mail, 'contract', /^1 remembered/);
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
  await panel.getByRole('button', { name: 'Filters' }).click();
  await panel.getByLabel('Asked on').fill('2026-01-12');
  await panel.getByLabel('Question').fill('What happens on 3 March?');
  await panel.getByRole('button', { name: 'Search' }).click();
  await panel.locator('.agenda .memory, .hit').first().waitFor();
  assert.match(await panel.locator('.agenda .memory-text, .hit-text').first().textContent(), /dentist/i);
});

test('what is known stands by matter and by person, and leads to its mail in Gmail', async () => {
  await panel.evaluate(() => (location.hash = '#/memories'));
  await panel.locator('.matter').first().waitFor();
  const contract = panel
    .locator('.matter')
    .filter({ hasText: /Corran Bay/ })
    .first();
  const link = await contract.locator('a.byline-mail').first().getAttribute('href');
  assert.match(link, /^https:\/\/mail\.google\.com\/mail\/\?authuser=me%40example\.com#(search\/rfc822msgid%3A|all\/[0-9a-f]+$)/);
  await panel.getByRole('button', { name: 'By person' }).click();
  const dana = panel.locator('.person').filter({ hasText: 'Dana Reyes' });
  await dana
    .filter({ hasText: /dentist|Corran/ })
    .first()
    .waitFor();
  await panel.getByRole('button', { name: 'By matter' }).click();
});

test('a sender is left alone in one press, and that is taken back in one', async () => {
  await beside('moved');
  await panel.locator('.alone summary').click();
  await panel
    .locator('.alone')
    .getByRole('button', { name: /^Never remember / })
    .first()
    .click();
  await panel.locator('.toast').filter({ hasText: 'is never remembered' }).waitFor();
  assert.equal((await ask(panel, 'settings')).ignorePeople.length, 1);
  await panel.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await panel.waitForFunction(async () => (await chrome.runtime.sendMessage({ ask: 'settings', args: [] })).value.ignorePeople.length === 0);
});

test('a whole mail is forgotten: what it alone taught, and not what others said', async () => {
  await remember(mail, 'place', /remembered|updated/);
  const before = await contents();
  await beside('place');
  await panel.locator('.alone summary').click();
  await panel.getByRole('button', { name: 'Forget this mail' }).click();
  await panel.getByRole('button', { name: 'Forget for good' }).click();
  await panel
    .locator('.toast')
    .filter({ hasText: /erased/ })
    .waitFor();
  const after = await ask(panel, 'list', { includeSuperseded: true });
  assert.ok(before.some((content) => thread('place').mails.some((m) => m.text.includes(content) || content.includes(m.text))));
  const said = thread('place').mails.map((m) => m.text);
  for (const memory of after) for (const statement of memory.statements ?? []) assert.ok(!said.includes(statement.text), statement.text);
  for (const content of before)
    if (!said.some((text) => text.includes(content) || content.includes(text))) assert.ok((await contents()).includes(content), content);
});

test('what is forgotten is gone: from memory, log, panel, search and the second copy', async () => {
  await ask(panel, 'copyNow');
  await beside('dentist');
  await cards().first().getByRole('button', { name: 'Forget' }).click();
  await cards().first().getByRole('button', { name: 'Forget for good' }).click();
  await panel.getByText('Forgotten for good').waitFor();
  assert.equal((await contents()).filter((c) => /dentist/i.test(c)).length, 0);
  assert.doesNotMatch(JSON.stringify(await ask(panel, 'log.list', {})), /Pine Street/);
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
  let before = (await ask(panel, 'log.list', {})).length;
  const options = await own(stage, 'options.html', { width: 760 });
  const save = async () => {
    await options.locator('#save').click();
    await options.locator('form .done').filter({ hasText: 'Saved.' }).waitFor();
  };
  const unread = async (name) => {
    await openMail(mail, name);
    await mail.waitForTimeout(300);
    assert.equal(await mail.locator('memfold-chip').count(), 0, name);
    assert.equal((await ask(panel, 'log.list', {})).length, before, name);
  };
  await options.getByRole('radio', { name: 'never' }).check();
  await save();
  await unread('many1');
  await options.getByLabel('with a label only').check();
  await options.getByLabel('Label', { exact: true }).fill('Private');
  await save();
  await unread('many2');
  await options.getByLabel('Label', { exact: true }).fill('trips');
  await save();
  await remember(mail, 'travel', /remembered/);
  before = (await ask(panel, 'log.list', {})).length;
  await options.getByLabel('when opened').check();
  await options.getByLabel('Sender, domain or topic').fill('@shop.example');
  await options.getByRole('button', { name: 'Add', exact: true }).click();
  await options.getByRole('button', { name: 'Take @shop.example off the list' }).waitFor();
  await options.getByLabel('Labels never to read, one a line').fill('Private');
  await save();
  await unread('sale');
  await unread('dentist');
  await remember(mail, 'many3', /1 remembered/);
  await options.close();
});

test('an export is a file, and erasing leaves a first run', async () => {
  const options = await own(stage, 'options.html', { width: 760 });
  await options.getByText('Mail texts are not in it').waitFor();
  const [download] = await Promise.all([options.waitForEvent('download'), options.getByRole('button', { name: 'Export' }).click()]);
  assert.equal(download.suggestedFilename(), 'memories.jsonl');
  const lines = (await (await import('node:fs/promises')).readFile(await download.path(), 'utf8'))
    .trim()
    .split('\n')
    .map((l) => JSON.parse(l));
  assert.ok(lines.length > 5);
  await options.getByRole('button', { name: 'Check' }).click();
  await options.locator('.done').filter({ hasText: 'All is well' }).waitFor();
  await options.getByRole('button', { name: 'Erase everything' }).click();
  await options.getByRole('button', { name: 'Yes, erase' }).click();
  await options.waitForFunction(async () => {
    const answer = await chrome.runtime.sendMessage({ ask: 'list', args: [{}] }).catch(() => undefined);
    return answer?.value?.length === 0;
  });
  // Nobody reads more than before: what is read, and whom to leave alone, stays.
  const { read, ignorePeople, ignoreLabels, owner } = await ask(options, 'settings');
  assert.deepEqual([read, ignorePeople, ignoreLabels, owner], ['open', ['@shop.example'], ['Private'], []]);
  assert.equal((await ask(options, 'status')).loss, null);
});

test('nothing but Gmail was asked for anything', () => {
  assert.ok(stage.gmail.asked.every((path) => path.startsWith('/mail/') || path === '/favicon.ico'));
  assert.ok(stage.gmail.asked.filter((path) => path !== '/favicon.ico').every((path) => !path.includes('view=') || path.includes('view=om')));
});
