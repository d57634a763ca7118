// Mails that stop the worker or the engine: a try is counted before it is made, after three the mail is set aside, its owner is
// told and decides, and the others are read. Of an archive too.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ask, axePath, chip, cure, mailbox, open, openMail, own, poisoned, remember, stopWorker, thread } from './stage.mjs';
import { ALL, thorough } from '../tier.mjs';

const dir = mkdtempSync(join(tmpdir(), 'memfold-aside-'));
const extension = join(dir, 'extension');
const profile = join(dir, 'profile');
const archive = join(dir, 'archive.mbox');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let stage;
let panel;
before(async () => {
  await poisoned(extension);
  stage = await open({ extension, profile });
  panel = await own(stage, 'panel.html', { width: 320 });
  // An engine is given up here after 300 ms of silence, and the encoder takes longer to load.
  await ask(panel, 'save', { ...(await ask(panel, 'settings')), encoder: false });
});
after(async () => {
  await stage?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What lies in the extension's own database, read beside the worker. */
const rows = (store) =>
  panel.evaluate(
    (name) =>
      new Promise((resolve) => {
        const request = indexedDB.open('memfold-gmail');
        request.onsuccess = () => {
          const all = request.result.transaction([name]).objectStore(name).getAll();
          all.onsuccess = () => {
            request.result.close();
            resolve(
              all.result.map((row) =>
                typeof row === 'string' ? row : row instanceof Uint8Array ? new TextDecoder().decode(row) : { tries: row.tries, subject: row.subject },
              ),
            );
          };
        };
      }),
    store,
  );
async function until(what, ms = 45_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await what();
    if (found) return found;
    assert.ok(Date.now() < end, `it did not come to ${what}`);
    await pause(40);
  }
}
const contents = async () => (await ask(panel, 'list', {})).map((m) => m.content);
const aside = async () => (await ask(panel, 'status')).aside;

test('a mail that stops the worker three times is set aside, and those behind it are read', async () => {
  const mail = await mailbox(stage);
  await openMail(mail, 'spins');
  for (let tries = 1; tries <= 3; tries++) {
    // Counted, and on the disk, while the worker is lost in it; each message wakes another worker, which takes what waits.
    await until(async () => (await rows('waiting')).some((m) => m.tries === tries));
    await pause(300);
    assert.deepEqual(
      (await rows('waiting')).map((m) => m.tries),
      [tries],
    );
    await stopWorker(panel);
    if (tries < 3) void ask(panel, 'status').catch(() => undefined);
  }
  const [{ subject, from, code }, ...more] = await until(async () => (await aside()).length > 0 && aside());
  assert.deepEqual([subject, from, code, more], ['Poison spins', 'dana@corran.example', 'stopped', []]);
  assert.equal((await ask(panel, 'status')).queued, 0);
  await remember(mail, 'budget', /1 remembered · 1 updated/);
  // Opened again, it is not read again.
  await openMail(mail, 'spins');
  await chip(mail, /could not read this mail/);
  assert.equal((await aside()).length, 1);
  assert.match((await rows('texts'))[0], /word-spins/, 'its text waits with it');
  assert.equal(await panel.evaluate(() => chrome.action.getBadgeText({})), '!');
  await mail.close();
});

test('a mail on which the engine gives up, or that it never finishes, keeps nobody waiting', async () => {
  const mail = await mailbox(stage);
  for (const [name, code] of [
    ['traps', /^(?!stopped$)/],
    ['hangs', /^timeout$/],
  ]) {
    await openMail(mail, name);
    await mail.waitForFunction(
      (id) => document.querySelector(`h2[data-thread-perm-id="thread-f:${id}"]`)?.parentElement.querySelector('memfold-chip'),
      thread(name).id,
      { polling: 20 },
    );
    await chip(mail, /could not read this mail/);
    const [last] = await aside();
    assert.equal(last.subject, `Poison ${name}`);
    assert.match(last.code, code);
    await remember(mail, name === 'traps' ? 'contract' : 'goals', /remembered/);
  }
  assert.deepEqual(
    (await rows('aside')).map((m) => m.tries),
    [3, 3, 3],
  );
  await mail.close();
});

test('what is no fault of the mail is not counted: it waits, and is read when it can be', async () => {
  const mail = await mailbox(stage);
  await openMail(mail, 'full');
  await mail.waitForFunction(
    (id) => document.querySelector(`h2[data-thread-perm-id="thread-f:${id}"]`)?.parentElement.querySelector('memfold-chip'),
    thread('full').id,
    { polling: 20 },
  );
  await chip(mail, /could not read this mail/);
  assert.deepEqual(
    (await rows('waiting')).map((m) => [m.subject, m.tries]),
    [['Poison full', 0]],
  );
  assert.equal((await aside()).length, 3);
  for (let n = 0; n < 3; n++) {
    await remember(mail, 'budget');
    await openMail(mail, 'full');
    await pause(400);
  }
  await remember(mail, 'full', /1 remembered/);
  assert.deepEqual(await rows('waiting'), []);
  assert.equal((await aside()).length, 3);
  await mail.close();
});

thorough('thousands of parts within each other keep no other mail from being read', async () => {
  const mail = await mailbox(stage);
  await openMail(mail, 'nested');
  await until(async () => {
    if ((await rows('handled')).some((m) => m.subject === 'Nested')) return true;
    // Where the engine does not survive it, the worker is stopped as Chrome would.
    await pause(2_000);
    if ((await rows('waiting')).length > 0) await stopWorker(panel);
    void ask(panel, 'status').catch(() => undefined);
    return false;
  }, 90_000);
  await remember(mail, 'dentist', /1 remembered/);
  await mail.close();
});

thorough('a mail in an archive that stops the import is set aside, and the rest is imported once', async () => {
  const one = (i) =>
    `From ${i}@xxx Mon Jan 05 09:00:00 +0000 2026\r\nFrom: Dana <dana@corran.example>\r\nTo: me@example.com\r\nSubject: Parcel ${i}\r\n` +
    `Date: Mon, 05 Jan 2026 09:00:00 +0000\r\nMessage-ID: <old-${i}@mail.example>\r\nX-GM-THRID: ${9_000_000 + i}\r\n\r\n` +
    `${[13, 30].includes(i) ? `From here on the word-${i === 13 ? 'spins' : 'traps'} hall costs ${i} euros.` : `Parcel number ${i * 7919 + 13} for room ${i} weighs ${i + 2} kilograms.`}\r\n\r\n`;
  writeFileSync(archive, Array.from({ length: 40 }, (_, i) => one(i)).join(''));
  const before = (await aside()).length;
  const options = await own(stage, 'options.html', { width: 760 });
  await options.getByLabel('Address of that mailbox').fill('old@example.com');
  const [chooser] = await Promise.all([options.waitForEvent('filechooser'), options.getByText('Choose .zip or .mbox files').click()]);
  await chooser.setFiles(archive);
  const state = () => panel.evaluate(async () => (await chrome.storage.local.get('import')).import);
  let stops = 0;
  const seen = new Map();
  await until(async () => {
    const now = await state();
    if (now?.state === 'done') return true;
    const place = `${now?.next.bytes}/${now?.tries}`;
    seen.set(place, (seen.get(place) ?? 0) + 1);
    // Nothing moves, for longer than a busy machine takes: the worker is lost in a mail.
    if (now && seen.get(place) > 3) {
      await stopWorker(panel);
      stops++;
      seen.delete(place);
      void ask(panel, 'status').catch(() => undefined);
    }
    await pause(900);
    return false;
  }, 240_000);
  assert.ok(stops >= 3 && stops <= 6, `${stops} stops`);
  const { failed, next } = await state();
  assert.deepEqual([failed, next.mails], [2, 40]);
  const added = (await aside()).slice(0, (await aside()).length - before);
  assert.deepEqual(added.map((a) => a.subject).sort(), ['archive.mbox: 14', 'archive.mbox: 31']);
  assert.deepEqual((await rows('texts')).filter((text) => text.includes('Parcel')).sort(), [one(13), one(30)]);
  const said = (await ask(panel, 'log.list', { limit: 5_000 })).map((e) => e.key).filter(Boolean);
  assert.equal(new Set(said).size, said.length);
  for (const i of [0, 12, 14, 29, 31, 39]) assert.ok((await ask(panel, 'log.list', { text: `number ${i * 7919 + 13}` })).length > 0, `parcel ${i}`);
  assert.deepEqual((await ask(panel, 'data.verify')).problems, []);
  await options.close();
});

thorough('its owner is told in both languages, drops one, and has one tried anew that can be read by now', async () => {
  await stage.close();
  stage = await open({ extension, profile });
  panel = await own(stage, 'panel.html', { width: 320 });
  const there = await aside();
  const axe = readFileSync(axePath, 'utf8');
  for (const [lang, title] of [
    ['ko', /메일 \d통을 읽지 못해 따로 두었습니다/],
    ['en', /\d mails could not be read and were set aside/],
  ]) {
    await panel.evaluate((choice) => localStorage.setItem('memfold-demo', JSON.stringify(choice)), { lang, theme: 'light' });
    await panel.reload();
    await panel.locator('.notice-aside').filter({ hasText: title }).waitFor();
    await panel.evaluate(`${axe};0`);
    const { violations } = await panel.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(
      violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target)}`),
      [],
    );
    assert.ok((await panel.evaluate(() => document.documentElement.scrollWidth)) <= 320);
  }
  const row = (subject) => panel.locator('.notice-aside li').filter({ hasText: subject });
  assert.match(await row('Poison spins').textContent(), /Dana.*stopped while it read it/s);
  assert.match(await row('Poison hangs').textContent(), /took too long/);
  await row('Poison traps').getByRole('button', { name: 'Discard' }).click();
  await row('Poison traps').waitFor({ state: 'detached' });
  assert.ok(!(await contents()).some((c) => c.includes('word-spins')));
  await row('Poison hangs').getByRole('button', { name: 'Try again' }).click();
  await panel.getByText('It still cannot be read.').waitFor({ state: 'attached' });
  await cure(stage);
  await row('Poison spins').getByRole('button', { name: 'Try again' }).click();
  await row('Poison spins').waitFor({ state: 'detached' });
  // It leaves the list when its reading begins.
  await until(async () => (await contents()).filter((c) => c.includes('word-spins hall is 5,000')).length === 1);
  if (ALL) {
    // What the test before has set aside.
    await row('archive.mbox: 14').getByRole('button', { name: 'Try again' }).click();
    await row('archive.mbox: 14').waitFor({ state: 'detached' });
    await until(async () => (await ask(panel, 'log.list', { text: 'word-spins hall costs 13' })).length === 1);
  }
  assert.equal((await aside()).length, there.length - (ALL ? 3 : 2));
  // In the options too.
  const options = await own(stage, 'options.html', { width: 760 });
  await options.locator('.notice-aside').waitFor();
  await options.close();
  const mail = await mailbox(stage);
  await remember(mail, 'spins', /1 remembered|1 updated/);
  // What was dropped stays unread.
  await openMail(mail, 'traps');
  await mail.waitForFunction(
    (id) => document.querySelector(`h2[data-thread-perm-id="thread-f:${id}"]`)?.parentElement.querySelector('memfold-chip'),
    thread('traps').id,
    { polling: 20 },
  );
  await chip(mail, /could not read this mail/);
  assert.ok(!(await contents()).some((c) => c.includes('word-traps')));
  for (const { key } of await aside()) await ask(panel, 'drop', key);
  await panel.locator('.notice-aside').waitFor({ state: 'detached' });
  assert.deepEqual([await rows('aside'), await rows('texts')], [[], []]);
  assert.notEqual(await panel.evaluate(() => chrome.action.getBadgeText({})), '!');
  await mail.close();
});
