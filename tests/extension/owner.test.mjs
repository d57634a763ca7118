// The panel beside an open mail: what is known before a reply, orders to assistants, names, words to remember, and what is never remembered.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ask, axePath, chip, mailbox, open, openMail, own, remember, thread } from './stage.mjs';

const axe = readFileSync(axePath, 'utf8');
let stage;
let mail;
let panel;
before(async () => {
  stage = await open();
  mail = await mailbox(stage);
  for (const name of ['contract', 'sale', 'dentist']) await remember(mail, name);
  panel = await own(stage, 'panel.html', { width: 390 });
  await panel.locator('.decision').first().waitFor();
});
after(() => stage?.close());

const text = () => panel.getByRole('region', { name: 'Text of the mail' });
const picture = (name) => (process.env.PICTURES ? panel.screenshot({ path: `${process.env.PICTURES}/${name}.png`, fullPage: true }) : undefined);

async function violations(page) {
  await page.evaluate(`${axe};0`);
  return page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }).then(({ violations: found }) => found.map((v) => `${v.id} ${v.nodes[0].target}`)),
  );
}

test('it opens with at most five facts of the sender and the matter, with names for addresses', async () => {
  const known = panel.getByRole('region', { name: 'Known of Dana Reyes and this matter' });
  await known.getByRole('listitem').first().waitFor();
  const facts = await known.getByRole('listitem').allTextContents();
  assert.ok(facts.length >= 1 && facts.length <= 5, facts.join('\n'));
  for (const fact of facts) assert.match(fact, /Corran Bay.*Dana Reyes/s);
  // Facts come before what this mail taught.
  const [above, below] = [await known.boundingBox(), await panel.locator('.decision').first().boundingBox()];
  assert.ok(above.y < below.y);
  assert.doesNotMatch(await panel.locator('main').textContent(), /\w@\w/);
  await picture('panel-known');
  await known.getByRole('link').first().click();
  await panel.locator('.memory-open').waitFor();
  await panel.goBack();
});

test('words of the open mail are remembered as a note, dimmed before and a link after', async () => {
  await panel.getByText('Text of the mail', { exact: true }).click();
  await text()
    .getByRole('link', { name: /dentist/ })
    .waitFor();
  await remember(mail, 'hello', /nothing/);
  await panel.getByText('Text of the mail', { exact: true }).click();
  await text().getByText('Thank you!').click();
  await panel.getByRole('button', { name: 'Remember this' }).click();
  await text().getByRole('link', { name: 'Thank you!' }).waitFor();
  await picture('panel-text');
  assert.deepEqual(await violations(panel), []);
  const [note] = (await ask(panel, 'list', {})).filter((m) => m.content.includes('Thank you'));
  assert.deepEqual([note.sourceType, note.sourceId, note.subject], ['user_input', `<m${thread('hello').mails[0].n}@mail.example>`, 'Hello']);
  await panel.getByRole('region', { name: 'What was just done' }).getByRole('button', { name: 'Undo' }).click();
  await text().locator('.untaught').getByText('Thank you!').waitFor();
});

test('the chip of a mail that gives orders to assistants is amber and says so, in both languages', async () => {
  assert.match(await remember(mail, 'steer', /assistants/), /^gives orders to assistants/);
  assert.equal(await mail.locator('memfold-chip').evaluate((host) => host.hasAttribute('data-orders')), true);
  if (process.env.PICTURES) await mail.screenshot({ path: `${process.env.PICTURES}/chip.png` });
  const korean = await mailbox(stage, '?hl=ko');
  assert.match(await remember(korean, 'steer', /지시/), /^AI에게 지시하는 메일/);
  await openMail(korean, 'hello');
  await chip(korean, /기억할 내용 없음/);
  assert.equal(await korean.locator('memfold-chip').evaluate((host) => host.hasAttribute('data-orders')), false);
  await korean.close();
});

test('after a mail is forgotten its sender, domain and subject are offered; their mail is read no more', async () => {
  await remember(mail, 'sale');
  await panel.getByText('Never remember or forget').click();
  await panel.getByRole('button', { name: 'Forget this mail' }).click();
  await panel.getByRole('button', { name: 'Forget for good' }).click();
  const offer = panel.getByRole('group', { name: 'Never remember' });
  await offer.waitFor();
  assert.deepEqual(await offer.getByRole('button').allTextContents(), ['Big Sale', '@shop.example', 'Subject “Only today”']);
  await offer.getByRole('button', { name: '@shop.example' }).click();
  await panel.getByText('From now on @shop.example is never remembered.').first().waitFor();
  const before = (await ask(panel, 'list', {})).length;
  await openMail(mail, 'nested');
  await remember(mail, 'many7', /remembered/);
  assert.equal((await ask(panel, 'list', {})).length, before + 1);
});

test('the list is one for panel, options and archive; a topic is added there and passed over', async () => {
  const options = await own(stage, 'options.html');
  const list = options.getByRole('region', { name: 'Never remember' });
  await list.getByText('@shop.example', { exact: true }).waitFor();
  await list.getByLabel('Sender, domain or topic').fill('Order 1111');
  await list.getByRole('button', { name: 'Add' }).click();
  await list.getByText('Order 1111').waitFor();
  const before = (await ask(options, 'list', {})).length;
  await openMail(mail, 'many3');
  await remember(mail, 'many8', /remembered/);
  assert.equal((await ask(options, 'list', {})).length, before + 1, 'Order 1111 is left alone');
  const box = [
    ['Big Sale <news@shop.example>', 'Sale', 'The sale ends on 9 May 2026.'],
    ['Mina Park <mina@north.example>', 'Rent', 'The rent of the studio is 840 euros.'],
  ].map(
    ([from, subject, words], n) =>
      `From x@xxx Mon Jan  1 00:00:00 2026\nFrom: ${from}\nTo: me@example.com\nSubject: ${subject}\nDate: Mon, 27 Apr 2026 09:00:00 +0000\nMessage-ID: <box${n}@x.example>\nContent-Type: text/plain; charset=utf-8\n\n${words}\n\n`,
  );
  await options.locator('.archive input[type=file]').setInputFiles({ name: 'older.mbox', mimeType: 'application/mbox', buffer: Buffer.from(box.join('')) });
  await options.getByRole('link', { name: '1 skipped by your Never remember list.' }).waitFor({ timeout: 30_000 });
  assert.equal((await ask(options, 'list', {})).length, before + 2);
  // The archive's senders go by their names as well.
  assert.equal((await ask(options, 'names'))['mina@north.example'], 'Mina Park');
  await list.getByRole('button', { name: 'Take Order 1111 off the list' }).click();
  await list.getByText('Order 1111').waitFor({ state: 'detached' });
  assert.deepEqual(await violations(options), []);
  // The panel shows the same list.
  await panel.evaluate(() => (location.hash = '#/settings'));
  assert.deepEqual(await panel.getByRole('region', { name: 'Never remember' }).getByRole('listitem').allTextContents(), ['@shop.example']);
});

test('a name goes with the last memory of its owner', async () => {
  const of = async (address) => (await ask(panel, 'names'))[address];
  assert.equal(await of('mina@north.example'), 'Mina Park');
  const [rent] = (await ask(panel, 'list', {})).filter((m) => m.content.includes('840'));
  await ask(panel, 'erase', rent.id);
  assert.equal(await of('mina@north.example'), undefined);
  assert.equal(await of('dana@corran.example'), 'Dana Reyes');
});
