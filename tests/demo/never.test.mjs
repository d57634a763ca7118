// The list of what is never remembered: how it matches, and how an import passes over its mails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imported } from '../typescript.mjs';
import { open } from '../../pkg/node.js';
import { choose, countIs, counted, go, staged, visit } from './site.mjs';

const { isPerson, isTopic, tidied } = await imported('www/shared/never.ts');

test('a sender matches by address or domain, a subject by whole words', () => {
  assert.equal(isPerson('News@Shop.example', ['news@shop.example']), true);
  assert.equal(isPerson('news@mail.shop.example', ['@shop.example']), true);
  assert.equal(isPerson('news@notshop.example', ['@shop.example']), false);
  assert.equal(isTopic('Re: Team lunch on Friday', ['team lunch']), true);
  assert.equal(isTopic('The artwork is here', ['art']), false);
  assert.equal(isTopic('골프 모임을 옮깁니다', ['골프 모임']), true);
  assert.equal(isTopic('스크린골프', ['골프']), false);
  assert.deepEqual(tidied({ people: [' Shop.example', '@shop.example', 'A@b.example'], topics: [' golf ', ''] }), {
    people: ['@shop.example', 'a@b.example'],
    topics: ['golf'],
  });
});

const mail = (id, from, subject, text) =>
  `From x@xxx Mon Jan  1 00:00:00 2026\nFrom: ${from}\nTo: me@home.example\nSubject: ${subject}\nDate: Mon, 27 Apr 2026 09:00:00 +0000\nMessage-ID: <${id}@x.example>\nContent-Type: text/plain; charset=utf-8\n\n${text}\n\n`;
const BOX = [
  mail('a', 'Dana <dana@oak.example>', 'Rent', 'The rent of the studio is 840 euros.'),
  mail(
    'b',
    '"Shop, Big" <news@shop.example>',
    'Sale',
    `The sale ends on 3 May 2026.\n\nFrom my side that is all, 9:00 sharp 2026\n\nThe hall costs 990 euros.${'\nMore of it.'.repeat(300)}`,
  ),
  mail('c', 'Kim <kim@hanbit.example>', '=?utf-8?B?6rOo7ZSEIOuqqOyehOydhCDsmK7quYHri4jri6Q=?=', 'The golf is on 9 May 2026.'),
  mail('d', 'Dana <dana@oak.example>', 'Dentist', 'The dentist is on 3 June 2026 at 10:30.'),
].join('');

const NEVER = { people: ['@shop.example'], topics: ['골프 모임'] };

test('the engine learns the other mails and nothing of the listed ones', async () => {
  const memories = await open({ storage: 'memory' });
  const from = [];
  const report = await memories.importMail(BOX, { exclude: NEVER, onReceipt: (r) => from.push(r.excluded ? null : r.from) });
  assert.deepEqual([report.mails, report.excluded, report.failed.length, report.drafts], [4, 2, 0, 2]);
  assert.deepEqual(from, ['Dana', null, null, 'Dana']);
  assert.deepEqual(
    (await memories.list()).map((m) => /rent|dentist/.exec(m.content)?.[0]),
    ['rent', 'dentist'],
  );
  // Taken off the list, they can be read.
  assert.equal((await memories.importMail(BOX)).drafts > 2, true);
  await memories.close();
});

test('a list that is too long is refused with its field', async () => {
  const memories = await open({ storage: 'memory' });
  await assert.rejects(memories.importMail(BOX, { exclude: { people: Array(1_001).fill('a@b.example') } }), { code: 'invalid_field', field: 'exclude.people' });
  await assert.rejects(memories.importMail(BOX, { exclude: { topics: ['x'.repeat(301)] } }), { code: 'invalid_field', field: 'exclude.topics' });
  assert.equal((await memories.list()).length, 0);
  await memories.close();
});

let site;
let context;
staged((opened, fresh) => {
  site = opened;
  context = fresh;
});

const file = (text) => ({ name: 'box.mbox', mimeType: 'application/mbox', buffer: Buffer.from(text) });
const list = (page) => page.getByRole('region', { name: 'Never remember' });

test('after a deletion the sender, its domain and the subject are offered; the list stops them at the next import', async () => {
  const page = await visit(context, site.url, 'today');
  await choose(page, file(mail('a', 'Dana <dana@oak.example>', 'Rent', 'The rent of the studio is 840 euros from 1 June 2026.')));
  await page.locator('.run-done').waitFor();
  await go(page, 'memories');
  await page.getByRole('button', { name: 'Flat list' }).click();
  await page.getByRole('button', { expanded: false }).filter({ hasText: '840' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Yes, delete' }).click();
  const offer = page.getByRole('group', { name: 'Never remember' });
  await offer.waitFor();
  assert.deepEqual(await offer.getByRole('button').allTextContents(), ['Dana', '@oak.example', 'Subject “Rent”']);
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/never-offer.png` });
  await offer.getByRole('button', { name: '@oak.example' }).click();
  await page.getByText('From now on @oak.example is never remembered.').first().waitFor();
  const before = await counted(page, 'memories');
  await choose(
    page,
    file(
      mail('e', 'Kim <kim@hanbit.example>', 'Hall', 'The hall costs 300 euros.') +
        mail('f', 'Dana <dana@mail.oak.example>', 'Dentist', 'The dentist is on 3 June 2026 at 10:30.'),
    ),
  );
  await page.locator('.run-done').waitFor();
  assert.equal(await counted(page, 'memories'), before + 1);
  assert.equal(await page.getByText(/taught nothing/).count(), 0);
  await page.getByRole('link', { name: '1 mail skipped by your Never remember list' }).click();
  await list(page).getByText('@oak.example').waitFor();
  await page.reload();
  await list(page).getByRole('button', { name: 'Take @oak.example off the list' }).click();
  await list(page).getByText('The list is empty.').waitFor();
  await choose(page, file(mail('f', 'Dana <dana@mail.oak.example>', 'Dentist', 'The dentist is on 3 June 2026 at 10:30.')));
  await page.locator('.run-done').waitFor();
  assert.equal(await counted(page, 'memories'), before + 2);
});

test('a topic is added by hand', async () => {
  const page = await visit(context, site.url, 'settings');
  await list(page).getByLabel('Sender, domain or topic').fill('shop.example');
  await list(page).getByRole('button', { name: 'Add' }).click();
  await list(page).getByText('@shop.example').first().waitFor();
  await list(page).getByLabel('Sender, domain or topic').fill('골프 모임');
  await list(page).getByRole('button', { name: 'Add' }).click();
  await list(page).getByText('골프 모임').waitFor();
  if (process.env.PICTURES) await list(page).screenshot({ path: `${process.env.PICTURES}/never-list.png` });
  await choose(page, file(BOX));
  await page.locator('.run-done').waitFor();
  await page.getByRole('link', { name: '2 mails skipped by your Never remember list' }).waitFor();
  await countIs(page, 'memories', 2);
});
