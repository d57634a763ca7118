// An import on the demo page: pausing it, closing the page under it, and mail that cannot be read.
import assert from 'node:assert/strict';
import { closeSync, createWriteStream, ftruncateSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { strToU8, Zip, ZipDeflate, zipSync } from 'fflate';
import { mailbox } from '../../benches/mailbox.mjs';
import { choose, countIs, counted, go, open, profile, tile, toMail, visit, write } from './site.mjs';
import { thorough } from '../tier.mjs';

const MAILS = 200;
const STAMP = 'Mon Jan 05 09:00:00 +0000 2026';
let site;
let context;
let faults;
let folder;
let file;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memfold-'));
  file = join(folder, 'archive.mbox');
  writeFileSync(file, mailbox(MAILS));
  site = await open();
});
after(async () => {
  await site?.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  ({ context, faults } = await profile(site));
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(faults, []);
});

const done = (page) => page.locator('.run-done').waitFor({ timeout: 120_000 });
const reached = (page, mails) =>
  page.waitForFunction((n) => Number(document.querySelector('.run .tile dd')?.textContent.replace(/\D/g, '')) >= n, mails, { timeout: 60_000 });

async function alone() {
  const other = await profile(site);
  const page = await visit(other.context, site.url);
  await choose(page, file);
  await done(page);
  const whole = [await counted(page, 'memories'), await counted(page, 'log')];
  await other.context.close();
  return whole;
}

/** Presses a button of an import from within the page, once mails have been read: later it may be over. */
const pressAtWork = (page, name) =>
  page.waitForFunction(
    (name) => {
      const button = [...document.querySelectorAll('.run button')].find((b) => b.textContent.trim() === name);
      if (!button || !(Number(document.querySelector('.run .tile dd')?.textContent.replace(/\D/g, '')) > 0)) return false;
      button.click();
      return true;
    },
    name,
    { polling: 10, timeout: 60_000 },
  );

test('an import goes on where it was when its tab was closed', async () => {
  const closed = await visit(context, site.url);
  await choose(closed, file);
  await reached(closed, 5);
  await closed.close();
  const page = await visit(context, site.url);
  const card = page.locator('.run', { hasText: 'Not finished: archive.mbox' });
  const before = Number(/(\d+) mails were read/.exec(await card.textContent())[1]);
  assert.ok(before >= 5 && before < MAILS, `${before} mails were read`);
  await card.locator('input[type=file]').setInputFiles(file);
  await done(page);
  assert.match(await page.locator('.run').textContent(), new RegExp(`after mail ${before}`));
  assert.equal(await tile(page, 0), MAILS - before);
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'log')], await alone());
  await page.reload();
  await page.locator('.today-columns, .feed').first().waitFor();
  assert.equal(await page.getByText('Not finished').count(), 0);
});

thorough('a paused import says how long the rest will take, and goes on', async () => {
  const page = await visit(context, site.url);
  await choose(page, file);
  // In the page: on a busy machine the import may have ended before a press from here arrives.
  await page.waitForFunction(
    () => {
      const said = [...document.querySelectorAll('.run *')].map((e) => e.textContent.trim());
      const pause = [...document.querySelectorAll('.run button')].find((b) => b.textContent.trim() === 'Pause');
      if (!pause || !said.some((text) => /^About .* left$/.test(text))) return false;
      pause.click();
      return true;
    },
    undefined,
    { timeout: 60_000 },
  );
  await page.locator('.run-paused').waitFor({ timeout: 60_000 });
  assert.match(await page.locator('.run h2').textContent(), /^Paused after \d+ mails$/);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await done(page);
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'log')], await alone());
});

thorough('what was cancelled is not offered again, and another file begins at its beginning', async () => {
  const page = await visit(context, site.url);
  await choose(page, file);
  await reached(page, 5);
  await page.locator('.run').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.run-cancelled').waitFor({ timeout: 60_000 });
  await page.reload();
  await page.locator('.today-columns, .feed').first().waitFor();
  assert.equal(await page.getByText('Not finished').count(), 0);
  const other = join(folder, 'other.mbox');
  writeFileSync(other, mailbox(4));
  await choose(page, other);
  await done(page);
  assert.equal(await tile(page, 0), 4);
});

test('a mail that cannot be read is counted and named, stops nothing, and can be tried again', async () => {
  const broken = join(folder, 'broken.mbox');
  const bad = 'From x Tue Mar 04 00:20:13 +0000 2025\nX-Odd: no header of a mail\n\n';
  writeFileSync(broken, Buffer.concat([mailbox(3), Buffer.from(bad), mailbox(2)]));
  const page = await visit(context, site.url);
  await choose(page, broken);
  await done(page);
  assert.equal(await tile(page, 0), 6);
  await page.getByText('1 mail could not be read').click();
  const listed = page.locator('.run .reasons li');
  assert.match(await listed.textContent(), /^4: /);
  await page.locator('.run').getByRole('button', { name: 'Try again' }).click();
  await listed.waitFor();
  assert.equal(await listed.count(), 1);
});

/** A mailbox of mails with these heads. */
const box = (name, heads) => {
  const mail = (head, n) =>
    `From ${n}@xxx Tue Mar 04 00:20:13 +0000 2025\r\n${head}\r\nSubject: Room ${n}\r\nMessage-ID: <${n}@a.example>\r\nDate: Tue, 4 Mar 2025 10:00:00 +0900\r\n\r\nThe review is in room ${n}.\r\n\r\n`;
  return { name: `${name}.mbox`, mimeType: 'application/mbox', buffer: Buffer.from(heads.map(mail).join('')) };
};
const RECEIVED = 'Delivered-To: me@b.example\r\nFrom: Kim <kim@a.example>\r\nTo:\r\n team@b.example';
const input = (page) => page.locator('.drop input[type=file]');
const ownAddresses = async (page) => {
  await go(page, 'data');
  const value = await page.locator('[aria-labelledby=owner-title] input').inputValue();
  await go(page, 'inbox');
  return value;
};

test('whose mailbox it is, is asked before a mail is read; what its mails suggest together is offered', async () => {
  const boxes = [
    // A forger's head says anything; most say otherwise.
    ['mine', [RECEIVED, RECEIVED, RECEIVED, RECEIVED, 'Delivered-To: kim@a.example\r\nFrom: kim@a.example\r\nTo: kim@a.example'], 'me@b.example'],
    // Without the receiving server's word: who is in nearly all of them, and nobody else is.
    [
      'named',
      Array.from({ length: 6 }, (_, n) => `From: k${n}@a.example\r\nTo: Lee <lee@a.example>,\r\n me@b.example`)
        .with(0, 'From: ME@b.example\r\nTo: k@a.example')
        .with(1, 'From: me@b.example\r\nTo: k@a.example'),
      'me@b.example',
    ],
    ['both', Array(6).fill('From: lee@a.example\r\nTo: me@b.example'), undefined],
    ['one', [RECEIVED], undefined],
  ];
  for (const [name, heads, guess] of boxes) {
    const other = await profile(site);
    const page = await visit(other.context, site.url);
    await input(page).setInputFiles(box(name, heads));
    const asked = page.locator('.whose');
    await asked.waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Whose mailbox is this?');
    assert.equal(await asked.getByRole('button', { name: /^It belongs to/ }).count(), guess ? 1 : 0, name);
    if (guess) assert.equal(await asked.getByRole('button', { name: /^It belongs to/ }).textContent(), `It belongs to ${guess}`);
    // Nothing is read, and nothing believed, before the answer.
    assert.equal(await page.locator('.run').count(), 0);
    assert.equal(await counted(page, 'log'), 0);
    assert.equal(await page.evaluate(() => /@/.test(JSON.stringify({ ...localStorage }))), false);
    await other.context.close();
  }
});

thorough('the answer about a mailbox is kept: confirmed, typed, unknown or given up', async () => {
  const page = await visit(context, site.url);
  const mine = box('mine', Array(5).fill(RECEIVED));
  // Given up: nothing is read, and it is asked again.
  await input(page).setInputFiles(mine);
  await page.locator('.whose').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.whose').waitFor({ state: 'detached' });
  assert.equal(await counted(page, 'log'), 0);
  // An address that is none is not taken; another than was suggested is.
  await input(page).setInputFiles(mine);
  await page.locator('.whose').getByLabel('Another address').fill('nobody');
  await page.locator('.whose').getByRole('button', { name: 'Use this address' }).click();
  assert.equal(await page.locator('.whose').count(), 1);
  await page.locator('.whose').getByLabel('Another address').fill('Team@B.example');
  await page.locator('.whose').getByRole('button', { name: 'Use this address' }).click();
  await done(page);
  assert.match(await page.locator('.run').textContent(), /Mailbox of team@b\.example/);
  assert.equal(await ownAddresses(page), 'team@b.example');
  // The same suggestion is not asked about again, a new one is.
  await page.reload();
  await input(page).setInputFiles(mine);
  await done(page);
  const theirs = box('theirs', Array(5).fill(RECEIVED.replace('me@b', 'sea@c')));
  await choose(page, theirs, 'It belongs to sea@c.example');
  await page.locator('.run-done', { hasText: 'sea@c.example' }).waitFor();
  assert.equal(await ownAddresses(page), 'team@b.example, sea@c.example');
  // Whom nobody knows is nobody.
  await choose(page, box('skipped', Array(5).fill(RECEIVED.replace('me@b', 'lake@d'))));
  await page.locator('.run-done').waitFor();
  await page.waitForFunction(() => !document.querySelector('.run').textContent.includes('Mailbox of'));
  assert.equal(await ownAddresses(page), 'team@b.example, sea@c.example');
  // What was answered goes with the mails.
  await go(page, 'data');
  await page.getByRole('button', { name: 'Erase everything' }).click();
  await page.getByRole('button', { name: 'Yes, erase' }).click();
  await page.getByText('Everything was erased.', { exact: true }).first().waitFor();
  assert.equal(await page.evaluate(() => /@/.test(JSON.stringify({ ...localStorage }))), false);
});

thorough('the owner of a sample is known, and is not the reader', async () => {
  const page = await visit(context, site.url);
  await page.locator('#sample-en').click();
  await done(page);
  assert.ok((await page.locator('.run').textContent()).includes('The mailbox of nora@bellpottery.example'));
  await page.locator('.guide').getByRole('button', { name: 'Close the guide' }).click();
  assert.equal(await ownAddresses(page), '');
  // The reader's own mailbox is asked about all the same.
  await page.locator('#sample-en').click();
  await done(page);
  assert.equal(await page.locator('.whose').count(), 0);
  await page.locator('.guide').getByRole('button', { name: 'Close the guide' }).click();
  await toMail(page);
  await input(page).setInputFiles(box('mine', Array(5).fill(RECEIVED)));
  await page.locator('.whose').waitFor();
});

const given = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(buffer) });
const eml = (n) =>
  `From: kim@a.example\r\nTo: me@b.example\r\nSubject: Room ${n}\r\nMessage-ID: <e${n}@a.example>\r\nDate: Tue, 4 Mar 2025 10:00:00 +0900\r\n\r\nThe review number ${n} takes place in room ${n} on 14 March 2025 at ${n} pm.\r\n`;

test('what is no mailbox is named as such, and nothing is read, asked or green', async () => {
  const page = await visit(context, site.url);
  const archive = zipSync({ 'notes/readme.txt': strToU8('no mail here') });
  // As programs pack a folder: its own entry wants no password, the mailbox in it does.
  const locked = zipSync({ 'Mail/': new Uint8Array(0), 'Mail/all.mbox': Uint8Array.from(mailbox(2)) });
  locked[locked.length - 22 - 'Mail/all.mbox'.length - 46 + 8] |= 1;
  await input(page).setInputFiles([
    given('photo.mbox', [0, 255, 216, 1, 2, 3, 0, 0]),
    given('empty.mbox', []),
    given('letter.txt', 'Dear Kim,\nSubject: to change, as they say.\n'),
    given('notes.zip', archive),
    given('secret.zip', locked),
    given('torn.zip', zipSync({ 'all.mbox': mailbox(3) }).subarray(0, 300)),
  ]);
  const refused = page.locator('.refused');
  await refused.waitFor();
  const lines = await refused.locator('li').allTextContents();
  assert.equal(lines.length, 6);
  for (const [i, words] of [
    /^photo\.mbox This is not a mailbox/,
    /^empty\.mbox The file is empty/,
    /^letter\.txt This is not a mailbox/,
    /^notes\.zip The archive has no mailbox/,
    /^secret\.zip The archive has a password/,
    /^torn\.zip The archive is damaged/,
  ].entries()) {
    assert.match(lines[i], words);
  }
  assert.equal(await page.locator('.whose, .run, .run-done').count(), 0);
  assert.equal(await counted(page, 'log'), 0);
});

test('a zip of Google Takeout, and several single mails at once, are read as they are', async () => {
  const page = await visit(context, site.url);
  const takeout = zipSync({ 'Takeout/archive_browser.html': strToU8('<p>no mail</p>'), 'Takeout/Mail/All mail.mbox': Uint8Array.from(mailbox(7)) });
  await choose(page, [given('takeout.zip', takeout)]);
  await done(page);
  assert.equal(await tile(page, 0), 7);
  await page.locator('.run').getByRole('button', { name: 'Close' }).click();
  await choose(page, [given('a.eml', eml(1)), given('b.eml', eml(2)), given('c.eml', eml(3))]);
  await page.waitForFunction(() => document.querySelector('.run-done .tile dd')?.textContent === '3');
});

/** A mailbox of so many bytes that takes no room on the disk: two mails, a hole where an attachment would lie, two more. */
function sparse(path, bytes) {
  const halves = [
    mailbox(2),
    Buffer.from(
      Buffer.from(mailbox(4))
        .toString()
        .split(/(?=^From )/m)
        .slice(2)
        .join(''),
    ),
  ];
  const out = openSync(path, 'w');
  writeSync(out, halves[0]);
  writeSync(
    out,
    `From big@a.example ${STAMP}\r\nFrom: big@a.example\r\nSubject: A film\r\nMessage-ID: <big@a.example>\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  ftruncateSync(out, bytes);
  writeSync(out, Buffer.concat([Buffer.from('\r\n\r\n'), halves[1]]), 0, undefined, bytes);
  closeSync(out);
}
const left = (page) =>
  page.evaluate(async () => {
    const found = [];
    const walk = async (dir, path) => {
      for await (const [name, handle] of dir.entries())
        handle.kind === 'directory' ? await walk(handle, `${path}${name}/`) : found.push([`${path}${name}`, (await handle.getFile()).size]);
    };
    await walk(await navigator.storage.getDirectory(), '');
    return found;
  });

/** More than a gigabyte in `make soak`; here as much as takes a second. */
const LARGE = process.env.MEMFOLD_SOAK ? 2 ** 30 + 2 ** 27 : 2 ** 26;

thorough('large mailboxes are read: one as it is, one out of a zip, and nothing of it is left', async () => {
  const [plain, zip] = [join(folder, 'big.mbox'), join(folder, 'big.zip')];
  sparse(plain, LARGE);
  let page = await visit(context, site.url);
  await choose(page, plain);
  await page.locator('.run-done, .run-failed').waitFor({ timeout: 180_000 });
  assert.equal(await tile(page, 0), 5);
  const known = await counted(page, 'memories');
  assert.ok(known > 0);
  // The same in an archive: unpacked into a file of the browser's, from which it is known again.
  await new Promise((resolve, reject) => {
    const out = createWriteStream(zip);
    out.on('finish', resolve).on('error', reject);
    const packing = new Zip((error, bytes, final) => (error ? reject(error) : (out.write(bytes), final && out.end())));
    const entry = new ZipDeflate('Takeout/Mail/All mail.mbox', { level: 1 });
    packing.add(entry);
    const bytes = Buffer.alloc(2 ** 22);
    const file = openSync(plain, 'r');
    for (let n = readSync(file, bytes); n > 0; n = readSync(file, bytes)) entry.push(Uint8Array.from(bytes.subarray(0, n)));
    entry.push(new Uint8Array(0), true);
    closeSync(file);
    packing.end();
  });
  rmSync(plain);
  await page.locator('.run').getByRole('button', { name: 'Close' }).click();
  // The next wait must not find the card of the first import.
  await page.locator('.run').waitFor({ state: 'detached' });
  await toMail(page);
  await input(page).setInputFiles(zip);
  await page.locator('.whose, .run').first().waitFor({ timeout: 180_000 });
  if (await page.locator('.whose').count()) await page.locator('.whose').getByRole('button', { name: 'I don’t know, skip' }).click();
  await page.locator('.run-done, .run-failed').waitFor({ timeout: 180_000 });
  assert.equal(await tile(page, 0), 5);
  assert.equal(await counted(page, 'memories'), known);
  assert.ok((await left(page)).some(([, bytes]) => bytes > LARGE));
  await page.close();
  page = await visit(context, site.url);
  for (let tries = 0; (await left(page)).length > 0; tries++) {
    assert.ok(tries < 300, 'what was unpacked is still there');
    await page.waitForTimeout(50);
  }
  rmSync(zip);
});

test('an import is taken back as a whole, many decisions at a time', async () => {
  await context.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    globalThis.undos = [];
    Worker.prototype.postMessage = function (message, ...rest) {
      if (/^undo/.test(message.path?.at(-1))) globalThis.undos.push(message.args[0].length);
      return postMessage.call(this, message, ...rest);
    };
  });
  const page = await visit(context, site.url);
  const short = join(folder, 'decisions.mbox');
  writeFileSync(short, mailbox(80));
  await choose(page, short);
  await done(page);
  const made = await counted(page, 'log');
  assert.ok(made > 50);
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Yes, undo' }).click();
  await page
    .locator('.run [role=status]')
    .getByText(new RegExp(`^Undoing… \\d+ of ${made}$`))
    .waitFor();
  await countIs(page, 'memories', 0, { timeout: 60_000 });
  assert.match(await page.locator('.toast').textContent(), new RegExp(`^${made} decisions were undone`));
  const undos = await page.evaluate(() => globalThis.undos);
  assert.deepEqual([undos.reduce((sum, n) => sum + n), undos.length], [made, Math.ceil(made / 50)]);
  // What was taken back is told in the words that it had.
  for (const text of await page.locator('.entry-text').allTextContents()) assert.ok(text.trim().length > 0);
});

thorough('mails whose import was taken back are told as read before, and what they taught is brought back', async () => {
  const page = await visit(context, site.url);
  const box = join(folder, 'short.mbox');
  writeFileSync(box, mailbox(30));
  await choose(page, box);
  await done(page);
  const [known, made] = [await counted(page, 'memories'), await counted(page, 'log')];
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Yes, undo' }).click();
  await page.locator('.run').waitFor({ state: 'detached', timeout: 60_000 });
  await choose(page, box);
  await done(page);
  assert.equal(await counted(page, 'memories'), 0);
  await page.locator('.run').getByText(`These mails were read before, and you undid ${made} decisions.`).waitFor();
  const memories = (n) => countIs(page, 'memories', n);
  await page.getByRole('button', { name: 'Restore them' }).click();
  await memories(known);
  await page.getByRole('button', { name: 'Restore them' }).waitFor({ state: 'detached' });
  await page.locator('.toast').getByText(`${made} decisions are restored.`).waitFor();
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await memories(0);
  await page.getByRole('button', { name: 'Restore them' }).waitFor();
});

thorough('whoever leaves in the middle of an import is asked, and finds afterwards what was left, by whom, and the way back', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The spare key lies with Dana on the third floor.');
  await countIs(page, 'log', 1);
  await choose(page, file);
  const warned = new Promise((resolve) => page.once('dialog', (dialog) => (resolve(dialog.type()), void dialog.accept())));
  await reached(page, 1);
  await page.reload();
  assert.equal(await warned, 'beforeunload');
  const card = page.locator('.run', { hasText: 'Not finished: archive.mbox' });
  await card.getByRole('button', { name: 'Undo this import' }).click();
  await card.getByRole('button', { name: 'Yes, undo' }).click();
  await card.waitFor({ state: 'detached', timeout: 120_000 });
  assert.equal(await counted(page, 'memories'), 1, 'the note alone is left');
  // Nothing is asked where nothing runs.
  page.once('dialog', (dialog) => assert.fail(dialog.type()));
  await page.reload();
  await page.locator('.today-columns, .feed').first().waitFor();
  assert.equal(await page.getByText('Not finished').count(), 0);
});

thorough('an import that broke off keeps the mails that it has read', async () => {
  const long = join(folder, 'long.mbox');
  writeFileSync(long, mailbox(1500));
  const page = await visit(context, site.url);
  await choose(page, long);
  const kept = async () => {
    const db = await new Promise((resolve) => (indexedDB.open('memfold-mails').onsuccess = (e) => resolve(e.target.result)));
    const n = await new Promise((resolve) => (db.transaction('mails').objectStore('mails').count().onsuccess = (e) => resolve(e.target.result)));
    db.close();
    return n > 0 && { isRunning: document.querySelector('.run-running') !== null };
  };
  await page.locator('.run-running').waitFor();
  let found = false;
  for (let tries = 0; !found && tries < 600; tries++) {
    found = await page.evaluate(kept);
    if (!found) await page.waitForTimeout(50);
  }
  assert.deepEqual(found, { isRunning: true });
});

thorough('what was in work when an import was stopped is counted, and taken back with the rest', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The spare key lies with Dana on the third floor.');
  await countIs(page, 'log', 1);
  await choose(page, file);
  // In the page: a batch is in work right after the one before it was shown.
  await pressAtWork(page, 'Cancel');
  await page.locator('.run-cancelled').waitFor({ timeout: 60_000 });
  const found = await tile(page, 1);
  assert.equal(found, (await counted(page, 'log')) - 1, 'all that was decided is counted');
  await page.getByRole('button', { name: 'Undo this import' }).click();
  assert.match(await page.locator('.run .confirm').textContent(), new RegExp(`Undo ${found} decisions`));
  await page.getByRole('button', { name: 'Yes, undo' }).click();
  await page.locator('.run').waitFor({ state: 'detached', timeout: 120_000 });
  assert.equal(await counted(page, 'memories'), 1, 'the note alone is left');
});

thorough('an import that was paused and gone on with is taken back as a whole', async () => {
  const page = await visit(context, site.url);
  await choose(page, file);
  await pressAtWork(page, 'Pause');
  await page.locator('.run-paused').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await done(page);
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Yes, undo' }).click();
  await page.locator('.run').waitFor({ state: 'detached', timeout: 120_000 });
  assert.equal(await counted(page, 'memories'), 0);
});
