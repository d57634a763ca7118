// The panel's home: the open mail, what is due, what changed and the questions that wait, with the box to ask on top.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, mailbox, open, own, remember, thread } from './stage.mjs';
import { thorough } from '../tier.mjs';

let stage;
let mail;
let panel;
before(async () => {
  stage = await open();
  mail = await mailbox(stage);
  for (const name of ['dentist', 'steer', 'budget']) await remember(mail, name);
  panel = await own(stage, 'panel.html', { width: 360 });
});
after(() => stage?.close());

const region = (name) => panel.getByRole('region', { name });

test('it opens on Today, with four entries at its foot', async () => {
  assert.equal(await panel.getByRole('heading', { level: 1 }).textContent(), 'Today');
  const menu = panel.getByRole('navigation', { name: 'Sections' });
  assert.deepEqual(
    (await menu.getByRole('link').allTextContents()).map((text) => text.replace(/\d+$/, '').trim()),
    ['Today', 'Everything', 'Review', 'Settings'],
  );
  const { y, height } = await menu.boundingBox();
  assert.ok(Math.abs(y + height - 800) < 2);
});

test('the open mail stands first, then what is due and what it changed', async () => {
  await panel
    .getByRole('heading', { level: 2, name: /^This mail/ })
    .getByText(thread('budget').subject, { exact: true })
    .waitFor();
  await region('Due and coming up').waitFor();
  const changed = region('What changed').getByRole('listitem').first();
  assert.match(await changed.locator('del').textContent(), /5000만원/);
  assert.match(await changed.locator('ins').textContent(), /6000만원/);
  assert.equal(await changed.locator('a.byline-mail').count(), 1, 'it leads to its mail');
});

test('possible fraud is one line that leads to Review, where an answer is shown at once', async () => {
  await region('For you to confirm')
    .getByRole('link', { name: /may be fraud$/ })
    .click();
  await panel.getByRole('heading', { name: 'Possible fraud' }).waitFor();
  // Review defers all other reads.
  const asked = panel.locator('.review-suspected');
  await asked.getByRole('button', { name: 'Forget it' }).click();
  await asked.waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'Undo', exact: true }).click();
  await asked.waitFor();
  await panel.goBack();
});

test('what is written elsewhere appears on Today, and only that is read', async () => {
  await region('Due and coming up').waitFor();
  await panel.evaluate(() => {
    globalThis.asks = [];
    const { sendMessage } = chrome.runtime;
    chrome.runtime.sendMessage = (message, ...rest) => {
      if (message?.ask) globalThis.asks.push(message.ask === 'list' && message.args[0]?.includeSuperseded ? 'everything' : message.ask);
      return sendMessage.call(chrome.runtime, message, ...rest);
    };
  });
  // The fixture's mails are old: from their last day on, tomorrow is later.
  const due = region('Due and coming up');
  const later = async () => Number(/Later \((\d+)\)/.exec(await due.textContent())?.[1] ?? 0);
  const before = await later();
  const day = new Date(Date.now() + 86_400_000);
  await ask(panel, 'add', {
    content: 'The boiler is serviced at Corran Street.',
    category: 'meeting',
    occurredAt: day.toISOString(),
    statedAt: new Date().toISOString(),
  });
  await due.getByText(`Later (${before + 1})`).click();
  await due.getByText('The boiler is serviced').waitFor();
  const asks = await panel.evaluate(() => globalThis.asks);
  assert.ok(asks.includes('get') && !asks.includes('everything'), asks.join());
});

test('Ctrl with K leads to the box from every view, and a question to its answer', async () => {
  for (const view of ['memories', 'settings', 'today']) {
    await panel.evaluate((v) => (location.hash = `#/${v}`), view);
    await panel.locator(`.shell[data-view=${view}]`).waitFor();
    await panel.keyboard.press('Control+k');
    await panel.waitForFunction(() => document.activeElement?.getAttribute('name') === 'q');
  }
  await panel.keyboard.type('When is the dentist?');
  await panel.keyboard.press('Enter');
  await panel.locator('.hit').first().waitFor();
  assert.match(await panel.locator('.hit-text').first().textContent(), /dentist/i);
});

test('Settings lead to the options, the log and the graph', async () => {
  await panel.evaluate(() => (location.hash = '#/settings'));
  assert.equal(await panel.getByRole('link', { name: 'All options' }).getAttribute('href'), 'options.html');
  await region('Advanced').getByRole('link', { name: /^Log/ }).click();
  await panel.locator('.shell[data-view=log]').waitFor();
  await panel.getByRole('link', { name: 'Settings' }).first().click();
  await region('Advanced')
    .getByRole('link', { name: /^Graph/ })
    .waitFor();
});

thorough('Today asks for what it shows; all memories are read when Everything is opened', async () => {
  for (const name of ['kickoff', 'moved']) await remember(mail, name);
  // More than are read at once: what is due and what changed lies far behind the newest.
  const box = Array.from(
    { length: 280 },
    (_, n) =>
      `From ${n}@xxx Sat Mar 01 09:00:00 +0000 2025\nFrom: Mina Park <mina@north.example>\nTo: me@example.com\nSubject: Order ${n}\nDate: Sat, 01 Mar 2025 09:00:00 +0000\nMessage-ID: <${n}@north.example>\n\nOrder ${n * 977 + 1011} of the blue chairs costs ${310 + n * 17} euros.\n\n`,
  );
  // Without the encoder, which takes its time.
  await ask(panel, 'save', { ...(await ask(panel, 'settings')), encoder: false });
  const options = await own(stage, 'options.html');
  await options.locator('.archive input[type=file]').setInputFiles({ name: 'older.mbox', mimeType: 'application/mbox', buffer: Buffer.from(box.join('')) });
  await options.locator('.archive-done').waitFor({ timeout: 90_000 });
  await options.close();
  const page = await stage.context.newPage();
  await page.addInitScript(() => {
    globalThis.asks = [];
    const { sendMessage } = chrome.runtime;
    chrome.runtime.sendMessage = (message, ...rest) => {
      if (message?.ask) globalThis.asks.push([message.ask, message.args]);
      return sendMessage.call(chrome.runtime, message, ...rest);
    };
  });
  await page.goto(stage.url('panel.html'));
  const of = (name) => page.getByRole('region', { name });
  // What changed is said with its old value, and a question is asked, from a part of the memories.
  assert.match(await of('What changed').getByRole('listitem').filter({ hasText: '마케팅' }).locator('del').textContent(), /5000만원/);
  await of('For you to confirm')
    .getByRole('link', { name: /may be fraud$/ })
    .waitFor();
  const asks = await page.evaluate(() => globalThis.asks);
  const lists = asks.filter(([verb]) => verb === 'list').map(([, [options]]) => options);
  assert.ok(lists.length > 0 && lists.every((o) => !o.includeSuperseded && (o.from || o.order === 'newest' || o.people)), JSON.stringify(lists));
  assert.deepEqual(
    asks.filter(([verb, args]) => (verb === 'graph.edges' && !args[0]) || (verb === 'log.list' && !args[0].newestFirst && !args[0].from && !args[0].source)),
    [],
  );
  // A fact that is opened on Today has its earlier values.
  const meeting = of('Due and coming up').getByRole('listitem').filter({ hasText: '킥오프' });
  await meeting.getByRole('button').first().click();
  await meeting.locator('.timeline').getByText('오후 2시').first().waitFor();
  assert.deepEqual(
    (await page.evaluate(() => globalThis.asks)).filter(([verb, [options]]) => verb === 'list' && options?.includeSuperseded),
    [],
  );
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Everything' }).click();
  await page.locator('.matter').nth(1).waitFor();
  assert.equal((await page.evaluate(() => globalThis.asks)).filter(([verb, [options]]) => verb === 'list' && options?.includeSuperseded).length, 2, 'in pages');
  await page.close();
});
