// Mails that rules alone have read are read again with a model: after their import, and from the settings; with the estimate and the undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, counted, go, staged, visit } from './site.mjs';
import { thorough } from '../tier.mjs';

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

const SAID = {
  lantern: 'The lantern walk starts on Friday 20 November at 6 pm at the harbour gate.',
  boiler: 'The boiler is serviced on 3 December 2026 and costs 140 euros.',
  ferry: 'The ferry to Arran leaves on 8 December 2026 at 9.45 am from pier 2.',
};
const TOLD = {
  lantern: 'Lantern walk: Friday 20 November at 6 pm at the harbour gate.',
  boiler: 'Boiler service on 3 December 2026 for 140 euros.',
  ferry: 'Ferry to Arran on 8 December 2026 at 9.45 am from pier 2.',
};
const mbox = {
  name: 'three.mbox',
  mimeType: 'application/mbox',
  buffer: Buffer.from(
    Object.entries(SAID)
      .map(
        ([id, text], n) =>
          `From x@xxx Mon Nov 0${n + 2} 09:00:00 +0000 2026\r\nFrom: ${id} <${id}@north${n}.example>\r\nTo: me@home.example\r\nSubject: ${id}\r\nDate: Mon, 0${n + 2} Nov 2026 09:00:00 +0000\r\nMessage-ID: <${id}@north${n}.example>\r\n\r\n${text}\r\n\r\n`,
      )
      .join(''),
  ),
};

/** The browser's own model: one new memory for each mail. `asked` counts its calls, and it fails while `fails` is set. */
const withModel = () =>
  context.addInitScript(
    ([said, told]) => {
      globalThis.asked = 0;
      globalThis.LanguageModel = {
        availability: async () => 'available',
        create: async () => ({
          prompt: async (text) => {
            globalThis.asked += 1;
            if (globalThis.fails) throw new Error('out of order');
            const id = Object.keys(said).find((one) => text.lastIndexOf(said[one]) > text.lastIndexOf(' MAIL '));
            return JSON.stringify({ entries: [{ op: 'new', text: told[id], category: 'misc', evidence: said[id] }] });
          },
          contextUsage: 100,
          destroy() {},
        }),
      };
    },
    [SAID, TOLD],
  );

const texts = async (page) => {
  await go(page, 'memories');
  await page.locator('.ways .chip').last().click();
  await page.locator('.memory').first().waitFor();
  return (await page.locator('.memory-text').allTextContents()).sort();
};

test('after an import without a model, one line reads its mails again, with the estimate and an undo', async () => {
  await withModel();
  const page = await visit(context, site.url);
  await choose(page, mbox);
  const card = page.locator('.run-done');
  await card.getByText('Rules alone keep about half.').waitFor();
  const n = await counted(page, 'memories');
  assert.equal(n, 3);
  const before = await texts(page);
  await go(page, 'today');
  await card.getByRole('button', { name: 'Read again with a model' }).click();
  await card.getByText(/^3 mails, about [\d,]+ tokens$/).waitFor();
  assert.equal(await page.evaluate(() => globalThis.asked), 0);
  await card.getByRole('button', { name: 'Start reading' }).click();
  await card.getByText('3 new, 0 changed, 3 replaced.').waitFor();
  assert.equal(await page.evaluate(() => globalThis.asked), 3);
  const after = await texts(page);
  assert.equal(after.length, 3);
  for (const told of Object.values(TOLD))
    assert.ok(
      after.some((text) => text.includes(told.slice(-20))),
      `${told} in ${after.join(' | ')}`,
    );
  assert.notDeepEqual(after, before);
  await go(page, 'today');
  await card.getByRole('button', { name: 'Undo reading again' }).click();
  await page
    .locator('.toast')
    .getByText(/^6 decisions were undone\.$/)
    .waitFor();
  assert.deepEqual(await texts(page), before);
  // A mail is read again once.
  await go(page, 'settings');
  const region = page.getByRole('region', { name: 'Read mails again' });
  await region.getByRole('button', { name: 'Read again with a model' }).click();
  await region.getByText('A model has read these mails already.').waitFor();
  assert.equal(await page.evaluate(() => globalThis.asked), 3);
});

test('the settings read the kept mails again, and a failing model changes nothing', async () => {
  await withModel();
  const page = await visit(context, site.url);
  await choose(page, mbox);
  await page.locator('.run-done').waitFor();
  const before = await texts(page);
  await page.reload();
  await go(page, 'settings');
  const region = page.getByRole('region', { name: 'Read mails again' });
  const read = async () => {
    await region.getByRole('button', { name: 'Read again with a model' }).click();
    await region.getByText(/^3 mails, about [\d,]+ tokens$/).waitFor();
    await region.getByRole('button', { name: 'Start reading' }).click();
  };
  await page.evaluate(() => void (globalThis.fails = true));
  await read();
  await region.getByText('The model gave no usable answer for 3 mails.', { exact: false }).waitFor();
  await region.getByText('0 new, 0 changed, 0 replaced.').waitFor();
  assert.deepEqual(await texts(page), before);
  await page.evaluate(() => void (globalThis.fails = false));
  await go(page, 'settings');
  await region.getByRole('button', { name: 'Close' }).click();
  await read();
  await region.getByText('3 new, 0 changed, 3 replaced.').waitFor();
  assert.equal((await texts(page)).length, 3);
});

thorough('without any model the line leads to the settings', async () => {
  await context.addInitScript(() => delete globalThis.LanguageModel);
  const page = await visit(context, site.url);
  await choose(page, mbox);
  await page.locator('.run-done').getByRole('link', { name: 'Set up a model to read again' }).click();
  await page.getByLabel('Model to use').waitFor();
  assert.equal(await page.getByRole('region', { name: 'Read mails again' }).count(), 0);
});

thorough('a browser model that cannot run leads to the settings', async () => {
  await context.addInitScript(() => (globalThis.LanguageModel = { availability: async () => 'unavailable' }));
  const page = await visit(context, site.url);
  await choose(page, mbox);
  const card = page.locator('.run-done');
  await card.getByRole('button', { name: 'Read again with a model' }).click();
  await card.getByText('This browser’s model cannot run on this device.').waitFor();
  await card.getByRole('link', { name: 'Set up a model to read again' }).click();
  await page.getByLabel('Model to use').waitFor();
});
