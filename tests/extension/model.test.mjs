// A model for doubtful cases: an endpoint of this machine, its test, its key, and Chrome's built-in model where a page has one.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { THREADS } from './gmail.mjs';
import { ask, built, mailbox, open, own, remember, stopWorker, thread } from './stage.mjs';

const KEY = 'sk-very-secret-0123456789';
/** Of a mail nothing is to be remembered: malformed replies would let the model rest. */
const REPLY = JSON.stringify({ entries: [] });
/** The same, with what the mail of a request says as new. */
function read(body) {
  const mail = body.slice(body.lastIndexOf(' MAIL 20'));
  const told = THREADS.flatMap((t) => t.mails.map((m) => m.text)).filter((text) => mail.includes(text));
  const entries = told.map((text) => ({ op: 'new', of: null, text, category: 'task', day: null, evidence: text }));
  return JSON.stringify({ entries });
}
const dir = mkdtempSync(join(tmpdir(), 'memfold-model-'));
const extension = join(dir, 'extension');
const profile = join(dir, 'profile');
function model(reply) {
  globalThis.LanguageModel = {
    availability: async () => 'available',
    create: async (options) => ({
      prompt: async (text, { responseConstraint }) => {
        const asked = JSON.parse(localStorage.getItem('asked') ?? '[]');
        localStorage.setItem(
          'asked',
          JSON.stringify([...asked, { text, schema: responseConstraint?.type, turns: options.initialPrompts.length, place: location.pathname }]),
        );
        return reply;
      },
      destroy() {},
    }),
  };
}

let server;
let requests = [];
let refuses = false;
let stage;
let url;

before(async () => {
  // Chrome asks its user for a host and for notifications in a window of its own; here they were granted before.
  cpSync(await built(), extension, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(extension, 'manifest.json'), 'utf8'));
  writeFileSync(
    join(extension, 'manifest.json'),
    JSON.stringify({ ...manifest, permissions: [...manifest.permissions, 'notifications'], host_permissions: ['http://127.0.0.1/*'] }),
  );
  // Chromium has no model of its own: its documents are given one that keeps what it was asked.
  writeFileSync(join(extension, 'stub.js'), `(${model})(${JSON.stringify(REPLY)})`);
  for (const name of ['offscreen.html', 'options.html']) {
    const path = join(extension, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace('<script', '<script src="./stub.js"></script><script'));
  }
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url, headers: request.headers, body });
    response.setHeader('content-type', 'application/json');
    if (refuses) return response.writeHead(401).end('{}');
    // To a question of the panel's, the first memory that is shown answers.
    const content = body.includes(' QUESTION asked ') ? JSON.stringify({ memories: ['M1'] }) : read(body);
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage: { total_tokens: 40 } }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${server.address().port}/v1`;
  stage = await open({ extension, profile });
});
after(async () => {
  await stage?.close();
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const stored = (page) => page.evaluate(async () => [JSON.stringify(await chrome.storage.local.get()), JSON.stringify(await chrome.storage.session.get())]);
const analystOf = async (page, text) => (await ask(page, 'log.list', {})).findLast((e) => e.input.includes(text))?.analyst;

test('an endpoint is saved and tested with one question of made-up notes', async () => {
  const page = await own(stage, 'options.html', { width: 760 });
  await page.getByLabel('Model', { exact: true }).fill('qwen3');
  await page.getByLabel('Address', { exact: true }).fill('ftp://nowhere.example');
  await page.getByLabel('Key').fill(KEY);
  const form = page.locator('section', { has: page.locator('#model-title') });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('must begin with https://').waitFor();
  await page.getByLabel('Address', { exact: true }).fill(url);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText(`Saved. Only ${new URL(url).origin} is asked.`).waitFor();
  assert.equal(requests.length, 0, 'saving asks nothing');
  // What was said of the settings is no longer said once one of them is changed.
  await page.getByLabel('Model', { exact: true }).fill('qwen3');
  await form.locator('.done').waitFor({ state: 'detached' });
  await form.getByRole('button', { name: 'Test' }).click();
  await form.locator('[data-code]').waitFor();
  assert.match(await form.locator('[data-code]').getAttribute('data-code'), /^(ok|downgraded|wrong_form)$/);
  assert.ok(requests.length >= 1);
  assert.equal(requests[0].headers.authorization, `Bearer ${KEY}`);
  const [local, session] = await stored(page);
  assert.ok(!local.includes(KEY), 'the key is not kept on the disk');
  assert.ok(session.includes(KEY));
  await page.close();
});

test('an address that wants a key is not saved without one', async () => {
  const page = await own(stage, 'options.html', { width: 760 });
  const form = page.locator('section', { has: page.locator('#model-title') });
  const before = (await ask(page, 'settings')).endpoint;
  await page.getByLabel('Address', { exact: true }).fill('https://api.openai.com/v1');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.locator('[role=alert]').getByText('https://api.openai.com requires a key').waitFor();
  assert.equal(await page.getByLabel('Key').getAttribute('aria-invalid'), 'true');
  assert.deepEqual((await ask(page, 'settings')).endpoint, before);
  await page.getByLabel('Address', { exact: true }).fill('https://models.example/v1');
  await form.locator('#model-key').getByText('works only if https://models.example needs none').waitFor();
  assert.equal(await form.locator('[role=alert]').count(), 0);
  await page.close();
});

test('a mail is read by the model, with the key, and with no address, thread or account', async () => {
  requests = [];
  const mail = await mailbox(stage);
  for (const name of ['workshop', 'travel']) await remember(mail, name, /remembered|updated/);
  assert.ok(requests.length >= 1);
  for (const { headers, body } of requests) {
    assert.equal(headers.authorization, `Bearer ${KEY}`);
    assert.match(body, / MAIL 20[^]*Subject: (Workshop|Budget)/);
    for (const secret of ['dana@corran.example', 'me@example.com', thread('workshop').id, thread('travel').id, KEY]) assert.ok(!body.includes(secret), secret);
  }
  await mail.close();
  const options = await own(stage, 'options.html', { width: 760 });
  await options.locator('.sent summary').first().waitFor();
  assert.equal(await options.locator('.sent li').count(), requests.length, 'what left the device is listed');
  await options.close();
});

test('a question in the panel is answered with its sources above what is found', async () => {
  const page = await own(stage, 'panel.html#/search', { width: 360 });
  await page.locator('input[name=q]').fill('Garden Hall');
  await page.keyboard.press('Enter');
  await page.locator('.answer[aria-busy=false] .answer-text').waitFor();
  assert.deepEqual([await page.locator('.answer-sources li').count(), await page.locator('.hit-source').count()], [1, 1]);
  const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(content <= room, `${content} in ${room}`);
  await page.close();
});

test('a passphrase keeps the key over a start of the browser, and only it opens the key', async () => {
  let page = await own(stage, 'options.html', { width: 760 });
  const form = page.locator('section', { has: page.locator('#model-title') });
  await page.getByLabel('Key').fill(KEY);
  await page.getByLabel('Passphrase, to keep the key encrypted (optional)').fill('correct horse');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Saved. Only').waitFor();
  assert.ok(!(await stored(page)).at(0).includes(KEY));
  const { faults } = stage;
  await stage.close({ clean: false });
  assert.deepEqual(faults, []);
  stage = await open({ extension, profile });
  page = await own(stage, 'panel.html', { width: 320 });
  await page.locator('.unlock').waitFor();
  assert.equal((await ask(page, 'status')).key, 'locked');
  await page.getByLabel('Passphrase').fill('wrong');
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.getByText('Wrong passphrase.').waitFor();
  await page.getByLabel('Passphrase').fill('correct horse');
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.locator('.unlock').waitFor({ state: 'detached' });
  assert.equal((await ask(page, 'status')).key, 'here');
  requests = [];
  const mail = await mailbox(stage);
  for (const name of ['place', 'parts']) await remember(mail, name, /remembered|updated/);
  assert.equal(requests[0]?.headers.authorization, `Bearer ${KEY}`);
  await mail.close();
  await page.close();
});

test('a kept key opens for the address and the interface that it was saved for, and for no other that stands beside it', async () => {
  const stolen = [];
  const thief = createServer((request, response) => {
    stolen.push(JSON.stringify(request.headers));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: REPLY } }] }));
  });
  await new Promise((resolve) => thief.listen(0, '127.0.0.1', resolve));
  const page = await own(stage, 'panel.html', { width: 320 });
  const { key, settings } = await page.evaluate(() => chrome.storage.local.get(['key', 'settings']));
  assert.deepEqual([key.origin, key.dialect], [new URL(url).origin, 'openai']);
  /** As who can write to the browser's files would, between two starts of it. */
  const beside = async (use, endpoint) => {
    await page.evaluate(async (set) => (await chrome.storage.session.remove('key'), await chrome.storage.local.set(set)), {
      key: { ...key, ...use },
      settings: { ...settings, endpoint: { ...settings.endpoint, ...endpoint } },
    });
    await stopWorker(page);
    return ask(page, 'unlock', 'correct horse');
  };
  const there = `http://127.0.0.1:${thief.address().port}`;
  assert.equal(await beside({ origin: there }, { url: `${there}/v1` }), false);
  assert.equal((await ask(page, 'status')).key, 'locked');
  for (const [threadId, ...said] of [
    ['c', 'The choir rehearses in the Old Chapel.', 'The rehearsal will be in the Town Hall, I think.'],
    ['b', 'The deposit for the boat is 300 euros.', 'The boat with its trailer may need 450 euros, I think.'],
  ])
    for (const content of said) await ask(page, 'add', { content, threadId });
  await ask(page, 'testModel').catch(() => undefined);
  assert.ok(
    stolen.every((headers) => !headers.includes(KEY)),
    'the key went elsewhere',
  );
  assert.equal(await beside({ dialect: 'anthropic' }, { dialect: 'anthropic' }), false);
  // Left alone it opens, but is not sent where it was not saved for.
  assert.equal(await beside({}, { url: `${there}/v1` }), true);
  await ask(page, 'testModel').catch(() => undefined);
  assert.ok(stolen.length > 0 && stolen.every((headers) => !headers.includes(KEY)));
  assert.equal((await ask(page, 'status')).key, 'locked');
  assert.equal(await beside({}, {}), true);
  assert.equal((await ask(page, 'status')).key, 'here');
  // One that was kept before keys were bound is not trusted.
  const unbound = await page.evaluate(async (text) => {
    const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
    const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode('correct horse'), 'PBKDF2', false, ['deriveKey']);
    const by = await crypto.subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 600_000 }, secret, { name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
    ]);
    const data = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, by, new TextEncoder().encode(text)));
    const [a, b, c] = [salt, iv, data].map((bytes) => btoa(String.fromCharCode(...bytes)));
    return { salt: a, iv: b, data: c };
  }, KEY);
  assert.equal(await beside(unbound, {}), false);
  assert.equal(await beside({}, {}), true);
  thief.closeAllConnections();
  thief.close();
  await page.close();
});

test('another interface at the same address needs the key anew', async () => {
  const page = await own(stage, 'panel.html', { width: 320 });
  const before = await ask(page, 'settings');
  await ask(page, 'save', { ...before, endpoint: { ...before.endpoint, dialect: 'anthropic' } });
  assert.equal((await ask(page, 'status')).key, 'none');
  const [local, session] = await stored(page);
  assert.ok(!session.includes(KEY) && !/"key"/.test(local));
  await ask(page, 'save', before);
  await ask(page, 'saveKey', KEY, '');
  await page.close();
});

test('an archive whose model was not reached says by what its mails were read', async () => {
  refuses = true;
  const page = await own(stage, 'options.html', { width: 760 });
  const mail = [
    'From 1@xxx Mon Jan 05 09:00:00 +0000 2026',
    'From: Dana <dana@corran.example>',
    'To: me@example.com',
    'Subject: Parcel',
    'Date: Mon, 05 Jan 2026 09:00:00 +0000',
    'Message-ID: <archive@mail.example>',
    '',
    'The parcel for room 5 arrives on Friday at 3 pm.',
    '',
  ].join('\r\n');
  await page.locator('.archive input[type=file]').setInputFiles({ name: 'one.mbox', mimeType: 'application/mbox', buffer: Buffer.from(mail) });
  await page.locator('.archive-done').waitFor();
  await page.locator('.archive [role=alert]').getByText('The model could not be reached: “The key is rejected”. Rules read those mails.').waitFor();
  refuses = false;
  await page.close();
});

test('removed, nobody is asked and nothing of the key is left', async () => {
  const page = await own(stage, 'options.html', { width: 760 });
  const form = page.locator('section', { has: page.locator('#model-title') });
  await form.getByRole('button', { name: 'Remove' }).click();
  await form.getByText('No model is used any more.').waitFor();
  const [local, session] = await stored(page);
  assert.ok(!session.includes(KEY));
  assert.ok(!/"key"/.test(local));
  requests = [];
  await ask(page, 'add', { content: 'The venue for the workshop is the Harbour Room.', threadId: 'w' });
  await ask(page, 'add', { content: 'The workshop will be in the Garden Hall, I think.', threadId: 'w' });
  assert.equal(requests.length, 0);
  assert.equal(await analystOf(page, 'Garden Hall'), 'local');
  await page.close();
});

test('Chrome’s own model answers in a document that nobody sees, while no page of memfold is open', async () => {
  const page = await own(stage, 'options.html', { width: 760 });
  await page
    .locator('section', { has: page.locator('#model-title') })
    .getByLabel(/Use Chrome’s built-in model/)
    .check();
  await page.locator('.done').filter({ hasText: 'Saved.' }).waitFor();
  // The page that asks below is only the one that writes; the model's own stub keeps what it was asked.
  await stopWorker(page);
  await ask(page, 'add', { content: 'The rent is 1,200 euros.', threadId: 'k' });
  await ask(page, 'add', { content: 'The rent including heating is 1,350 euros.', threadId: 'k' });
  // What one document keeps reaches another a moment later.
  await page.waitForFunction(() => /1,350 euros/.test(localStorage.getItem('asked') ?? ''));
  const asked = await page.evaluate(() => JSON.parse(localStorage.getItem('asked') ?? '[]'));
  for (const { schema, place } of asked) assert.deepEqual([schema, place], ['object', '/offscreen.html']);
  assert.equal(asked.filter((q) => /1,350 euros/.test(q.text)).length, 1, 'one document answers');
  const [offscreen] = await page.evaluate(() => chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] }));
  assert.match(offscreen.documentUrl, /offscreen\.html$/);
  await page
    .locator('section', { has: page.locator('#model-title') })
    .getByLabel(/Use Chrome’s built-in model/)
    .uncheck();
  await page.waitForFunction(async () => (await chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] })).length === 0);
  await page.close();
});

test('a word a day comes for who asked for it, in figures alone, and for nobody else', async () => {
  const page = await own(stage, 'options.html', { width: 760 });
  const ring = () => page.evaluate(() => chrome.alarms.create('digest', { when: Date.now() + 50 }));
  assert.equal(await page.evaluate(async () => (await chrome.alarms.get('digest')) === undefined), true, 'nobody asked');
  await page.getByLabel(/^Every morning at eight/).check();
  await page.locator('#save').click();
  await page.locator('form .done').filter({ hasText: 'Saved.' }).waitFor();
  const next = await page.evaluate(async () => new Date((await chrome.alarms.get('digest')).scheduledTime).getHours());
  assert.equal(next, 8);
  await ring();
  await page.waitForFunction(async () => 'digest' in (await chrome.notifications.getAll()), undefined, { timeout: 60_000 });
  await page.getByLabel(/^Every morning at eight/).uncheck();
  await page.locator('#save').click();
  await page.waitForFunction(async () => (await chrome.alarms.get('digest')) === undefined);
  await page.close();
});
