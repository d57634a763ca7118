// The extension through what happens to it: a worker that is stopped in mid-work, two tabs at once, a lost database, an import
// over restarts, a broken engine, a Gmail that changed, another origin that speaks to it.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { ask, built, chip, mailbox, open, openMail, own, remember, stopWorker, thread } from './stage.mjs';
import { ALL, thorough } from '../tier.mjs';

const STOPS = Number(process.env.MEMFOLD_STOPS ?? (ALL ? 10 : 4));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let stage;
let panel;
before(async () => {
  stage = await open();
  panel = await own(stage, 'panel.html', { width: 320 });
});
after(() => stage?.close());

const keys = async () => (await ask(panel, 'log.list', {})).map((e) => e.key).filter(Boolean);
async function until(what, ms = 45_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await what().catch(() => undefined);
    if (found) return found;
    assert.ok(Date.now() < end, `it did not come to ${what}`);
    await pause(50);
  }
}

test(`a worker that is stopped ${STOPS} times in mid-work loses nothing and doubles nothing`, async () => {
  const mail = await mailbox(stage);
  stage.gmail.state.slow = 10;
  const names = Array.from({ length: 30 }, (_, i) => `many${i}`);
  let stopped = 0;
  for (let i = 0; stopped < STOPS; i++) {
    // After all mails were opened once they are opened again: those must change nothing.
    await openMail(mail, names[i % names.length]);
    await pause((i * 37) % 140);
    await stopWorker(panel);
    stopped++;
  }
  stage.gmail.state.slow = 0;
  const wanted = Math.min(STOPS, names.length);
  await until(async () => (await ask(panel, 'status')).queued === 0);
  // What was moved on from before it could be read is read when it is opened again.
  for (const name of names.slice(0, wanted)) await remember(mail, name, /1 remembered|1 updated|nothing/);
  const said = await keys();
  assert.equal(new Set(said).size, said.length, 'no key twice');
  assert.equal(said.length, wanted, 'each mail decided once');
  assert.deepEqual((await ask(panel, 'data.verify')).problems, []);
  await mail.close();
});

test('two tabs that open the same mails at once decide each once', async () => {
  const [one, two] = [await mailbox(stage), await mailbox(stage, '?hl=ko')];
  const before = (await keys()).length;
  for (const name of ['budget', 'contract', 'dentist']) await Promise.all([openMail(one, name), openMail(two, name)]);
  await Promise.all([remember(one, 'budget', /^1 remembered · 1 updated/), remember(two, 'budget', /^1개 기억 · 1개 갱신/)]);
  await until(async () => (await ask(panel, 'status')).queued === 0);
  const said = await keys();
  assert.equal(new Set(said).size, said.length);
  assert.ok(said.length >= before + 2);
  await one.close();
  await two.close();
});

test('a mail in the split pane, in Korean, after moving back and forth', async () => {
  const mail = await mailbox(stage, '?hl=ko&split');
  await remember(mail, 'kickoff', /^1개 기억/);
  await mail.goBack();
  await mail.waitForFunction(() => !document.querySelector('memfold-chip'));
  await mail.goForward();
  await chip(mail, /^1개 기억/);
  await remember(mail, 'budget', /^1개 기억 · 1개 갱신/);
  assert.equal(await mail.locator('memfold-chip').count(), 1);
  const [memory] = (await ask(panel, 'list', {})).filter((m) => /킥오프/.test(m.content));
  assert.equal(Date.parse(memory.statedAt), Math.floor(thread('kickoff').mails[0].at / 60_000) * 60_000, 'the Korean date was read');
  await mail.close();
});

test('no page but memfold’s own and no sender but Gmail’s reader is answered', async () => {
  const mail = await mailbox(stage);
  assert.equal(await mail.evaluate(() => typeof chrome?.runtime?.sendMessage), 'undefined', 'Gmail itself cannot speak to the extension');
  await mail.close();
  // A page of the extension may not speak as Gmail's reader, and no verb is reached that there is not.
  const view = { account: 'a', thread: '1', subject: '', labels: [], messages: [] };
  assert.equal(await panel.evaluate((v) => chrome.runtime.sendMessage({ say: 'opened', view: v }).catch(() => undefined), view), undefined);
  for (const verb of ['constructor', '__proto__', 'import', 'importMail']) {
    const answer = await panel.evaluate((v) => chrome.runtime.sendMessage({ ask: v, args: ['x'] }), verb);
    assert.ok(answer.fault, verb);
  }
});

test('a lost database is noticed, told, and brought back from the second copy', async () => {
  const before = (await ask(panel, 'list', {})).map((m) => m.content).sort();
  assert.ok(before.length > 5);
  await ask(panel, 'copyNow');
  await stopWorker(panel);
  // As Chromium does with a broken LevelDB: all databases of the origin are gone at once.
  await panel.evaluate(async () => {
    for (const { name } of await indexedDB.databases()) {
      await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name);
        request.onsuccess = resolve;
        request.onerror = request.onblocked = reject;
      });
    }
  });
  const status = await ask(panel, 'status');
  assert.equal(status.loss.memories >= before.length, true);
  assert.deepEqual((await ask(panel, 'list', {})).map((m) => m.content).sort(), before);
  await panel.reload();
  await panel.locator('.notice-loss').waitFor();
  await panel.locator('.notice-loss').getByRole('button', { name: 'OK' }).click();
  await panel.locator('.notice-loss').waitFor({ state: 'detached' });
  assert.equal((await ask(panel, 'status')).loss, null);
  assert.deepEqual((await ask(panel, 'data.verify')).problems, []);
});

/** Mails of the archive: the encoder judges up to three pairs for each. */
const COUNT = ALL ? 90 : 16;

test('an archive is imported with progress, over stops of the worker, each mail once', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'memfold-archive-'));
  const mails = Array.from(
    { length: COUNT },
    (_, i) =>
      `From ${i}@xxx Mon Jan 05 09:00:00 +0000 2026\r\nFrom: Dana <dana@corran.example>\r\nTo: me@example.com\r\nSubject: Parcel ${i}\r\n` +
      `Date: Mon, 05 Jan 2026 09:00:00 +0000\r\nMessage-ID: <archive-${i}@mail.example>\r\nX-GM-THRID: ${9_000_000 + i}\r\n\r\n` +
      `Parcel number ${i * 7919 + 13} for room ${i} weighs ${i + 2} kilograms.\r\n\r\n`,
  );
  const file = join(dir, 'archive.mbox');
  writeFileSync(file, mails.join(''));
  const before = (await keys()).length;
  const options = await own(stage, 'options.html', { width: 760 });
  await options.getByLabel('Address of that mailbox').fill('old@example.com');
  const [chooser] = await Promise.all([options.waitForEvent('filechooser'), options.getByText('Choose .zip or .mbox files').click()]);
  await chooser.setFiles(file);
  for (let stops = 0; stops < 3; stops++) {
    await pause(250);
    await stopWorker(options);
  }
  // The encoder judges up to three pairs for each mail: a minute and more on a busy machine.
  await until(async () => (await ask(options, 'status')).import?.state === 'done', 240_000);
  await options.locator('.archive-done').waitFor();
  assert.match(await options.locator('.archive-done').textContent(), new RegExp(`${COUNT} mails`));
  const said = await keys();
  assert.equal(new Set(said).size, said.length);
  assert.ok(said.length > before + COUNT / 2, `${said.length - before} statements of ${COUNT} mails`);
  const left = await options.evaluate(async () => {
    const names = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
    return names;
  });
  assert.ok(!left.includes('archive.mbox'), 'the file is not kept');
  // What is no mail is told before anything is done with it, and nothing is said to be done.
  const locked = zipSync({ 'Mail/': new Uint8Array(0), 'Mail/all.mbox': strToU8(mails[0]) });
  locked[locked.length - 22 - 'Mail/all.mbox'.length - 46 + 8] |= 1;
  for (const [name, bytes, why] of [
    ['wrong.png', [0x89, 0x50, 0x4e, 0x47], 'This is not a mailbox.'],
    ['notes.txt', [...Buffer.from('Milk and bread')], 'This is not a mailbox.'],
    ['wrong.zip', [0x50, 0x4b, 3, 4], 'The archive is damaged'],
    ['secret.zip', locked, 'The archive has a password.'],
    ['notes.zip', zipSync({ 'notes.txt': strToU8('Milk and bread') }), 'The archive has no mailbox.'],
  ]) {
    await options.locator('.archive input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });
    await options.locator('.archive [role=alert] li', { hasText: name }).getByText(why).waitFor();
    assert.equal(await options.locator('.archive-done').count(), 0, name);
  }
  assert.equal((await ask(options, 'status')).import.name, 'archive.mbox');
  await options.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a zip of Google Takeout is imported as it is: every mailbox and every mail in it', async () => {
  const one = (i, from = `From ${i}@xxx Mon Jan 05 09:00:00 +0000 2026\r\n`) =>
    `${from}From: Dana <dana@corran.example>\r\nTo: me@example.com\r\nSubject: Crate ${i}\r\nDate: Mon, 05 Jan 2026 09:00:00 +0000\r\nMessage-ID: <zip-${i}@mail.example>\r\n\r\nCrate number ${i * 6007 + 11} for room ${i} weighs ${i + 3} kilograms.\r\n`;
  const takeout = zipSync({
    'Takeout/archive_browser.html': strToU8('<p>no mail</p>'),
    'Takeout/Mail/Inbox.mbox': strToU8([1, 2, 3].map((i) => one(i)).join('\r\n')),
    'Takeout/Mail/Sent.mbox': [strToU8([4, 5].map((i) => one(i)).join('\r\n')), { level: 0 }],
    'Takeout/Mail/one.eml': strToU8(one(6, '')),
  });
  const options = await own(stage, 'options.html', { width: 760 });
  await options.locator('.archive input[type=file]').setInputFiles({ name: 'takeout.zip', mimeType: 'application/zip', buffer: Buffer.from(takeout) });
  await options
    .locator('.archive-done')
    .getByText(/Done: 6 mails of takeout\.zip read/)
    .waitFor();
  const told = (await ask(options, 'list', { limit: 1000 })).map((m) => m.content);
  for (const i of [1, 2, 3, 4, 5, 6])
    assert.ok(
      told.some((text) => text.includes(String(i * 6007 + 11))),
      `mail ${i}`,
    );
  await options.close();
});

test('what is older than its owner wants to keep is forgotten by the daily work, and nothing else', async () => {
  const before = (await ask(panel, 'list', {})).map((m) => m.content);
  await ask(panel, 'exportFile');
  const old = await panel.evaluate(async () => {
    const dir = await navigator.storage.getDirectory();
    const lines = (await (await (await dir.getFileHandle('memories.jsonl')).getFile()).text()).trim().split('\n');
    let old;
    const aged = lines.map((line) => {
      const record = JSON.parse(line);
      const memory = record.memory ?? record;
      if (old || !/킥오프/.test(memory.content ?? '') || memory.supersededBy || !memory.createdAt) return line;
      old = memory.content;
      memory.createdAt = '2024-01-05T00:00:00.000Z';
      return JSON.stringify(record);
    });
    const file = await (await dir.getFileHandle('given.jsonl', { create: true })).createWritable();
    await file.write(aged.join('\n'));
    await file.close();
    return old;
  });
  assert.ok(old);
  const given = await panel.evaluate(async () => (await (await (await navigator.storage.getDirectory()).getFileHandle('given.jsonl')).getFile()).text());
  await ask(panel, 'eraseAll');
  await panel.evaluate(async (text) => {
    const file = await (await (await navigator.storage.getDirectory()).getFileHandle('given.jsonl', { create: true })).createWritable();
    await file.write(text);
    await file.close();
  }, given);
  await ask(panel, 'importFile');
  assert.equal((await ask(panel, 'list', {})).length, before.length);
  await ask(panel, 'save', { ...(await ask(panel, 'settings')), retentionDays: 30 });
  await panel.evaluate(() => chrome.alarms.create('daily', { when: Date.now() + 50 }));
  const left = await until(async () => {
    const now = (await ask(panel, 'list', {})).map((m) => m.content);
    return now.length < before.length && now;
  });
  assert.deepEqual(left.sort(), before.filter((c) => c !== old).sort());
});

thorough('who asks while everything is erased waits, and finds an engine that answers', async () => {
  const kept = await ask(panel, 'settings');
  for (let round = 0; round < 5; round++) {
    let over = false;
    const asking = Promise.all(
      ['list', 'status', 'log.list', 'list'].map(async (verb) => {
        while (!over)
          await ask(panel, verb, {}).catch((reason) => assert.match(String(reason), /closed/, 'what was under way may be cut off, and nothing else'));
      }),
    );
    await ask(panel, 'eraseAll').finally(() => (over = true));
    await asking;
    assert.deepEqual(await ask(panel, 'list', {}), []);
    await ask(panel, 'add', { content: `The dentist is on Monday ${round}` });
    assert.equal((await ask(panel, 'list', {})).length, 1);
  }
  await ask(panel, 'save', kept);
});

test('who erases everything while the copy is written waits for it', async () => {
  const kept = await ask(panel, 'settings');
  await panel.evaluate(async () => {
    const file = await (await (await navigator.storage.getDirectory()).getFileHandle('copy.jsonl.gz', { create: true })).createWritable();
    setTimeout(() => file.abort(), 700);
  });
  await ask(panel, 'eraseAll');
  assert.deepEqual(await ask(panel, 'list', {}), []);
  await ask(panel, 'save', kept);
});

test('when Gmail changed, the reader says so and Gmail goes on', async () => {
  const mail = await mailbox(stage, '?changed');
  await openMail(mail, 'budget');
  await mail.locator('memfold-chip[data-trouble=changed]').waitFor({ timeout: 15_000 });
  await mail.getByText(thread('budget').mails[0].text).waitFor();
  await panel.evaluate(() => (location.hash = '#/inbox'));
  await panel.locator('.notice-missing').waitFor();
  assert.match(await panel.locator('.notice-missing').textContent(), /Gmail has changed \(the open thread\)/);
  await mail.close();
  // A page that can be read again takes the notice away.
  const well = await mailbox(stage);
  await remember(well, 'budget');
  await until(async () => (await ask(panel, 'status')).missing.length === 0);
  await well.close();
});

test('a broken engine shows a message, and Gmail goes on', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'memfold-broken-'));
  cpSync(await built(), dir, { recursive: true });
  writeFileSync(join(dir, 'memfold_bg.wasm'), 'not wasm');
  const broken = await open({ extension: dir });
  const mail = await mailbox(broken);
  await openMail(mail, 'budget');
  await mail.locator('memfold-chip[data-trouble=broken]').waitFor({ timeout: 15_000 });
  await mail.getByText(thread('budget').mails[1].text).waitFor();
  const page = await own(broken, 'panel.html', { width: 320 });
  await page.locator('.problem').first().waitFor();
  assert.match(await page.locator('.problem').first().textContent(), /could not be started/);
  await broken.close({ clean: false });
  rmSync(dir, { recursive: true, force: true });
});
