// The panel's home: the open mail, what is due, what changed and the questions that wait, with the box to ask on top.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, mailbox, open, own, remember, thread } from './stage.mjs';

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
  assert.deepEqual((await menu.getByRole('link').allTextContents()).map((text) => text.replace(/\d+$/, '').trim()), ['Today', 'Everything', 'Review', 'Settings']);
  const { y, height } = await menu.boundingBox();
  assert.ok(Math.abs(y + height - 800) < 2);
});

test('the open mail stands first, then what is due and what it changed', async () => {
  await panel.getByRole('heading', { level: 2, name: /^This mail/ }).getByText(thread('budget').subject, { exact: true }).waitFor();
  await region('Due and coming up').waitFor();
  const changed = region('What changed').getByRole('listitem').first();
  assert.match(await changed.locator('del').textContent(), /5000만원/);
  assert.match(await changed.locator('ins').textContent(), /6000만원/);
  assert.equal(await changed.locator('a.byline-mail').count(), 1, 'it leads to its mail');
});

test('possible fraud is one line that leads to Review', async () => {
  await region('For you to confirm').getByRole('link', { name: /may be fraud$/ }).click();
  await panel.getByRole('heading', { name: 'Possible fraud' }).waitFor();
  await panel.goBack();
});

test('what is written elsewhere appears on Today, and only that is read', async () => {
  await region('Due and coming up').waitFor();
  await panel.evaluate(() => {
    globalThis.asks = [];
    const { sendMessage } = chrome.runtime;
    chrome.runtime.sendMessage = (message, ...rest) => {
      if (message?.ask) globalThis.asks.push(message.ask);
      return sendMessage.call(chrome.runtime, message, ...rest);
    };
  });
  // The fixture's mails are old: from their last day on, tomorrow is later.
  const due = region('Due and coming up');
  const later = async () => Number(/Later \((\d+)\)/.exec(await due.textContent())?.[1] ?? 0);
  const before = await later();
  const day = new Date(Date.now() + 86_400_000);
  await ask(panel, 'consolidate', { content: 'The boiler is serviced at Corran Street.', category: 'meeting', occurredAt: day.toISOString(), statedAt: new Date().toISOString() });
  await due.getByText(`Later (${before + 1})`).click();
  await due.getByText('The boiler is serviced').waitFor();
  const asks = await panel.evaluate(() => globalThis.asks);
  assert.ok(asks.includes('get') && !asks.includes('list'), asks.join());
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
  await region('Advanced').getByRole('link', { name: /^Graph/ }).waitFor();
});
