// What two panels and the options show while the worker writes: each change at once, over stops of the worker, and told by it alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, mailbox, open, own, remember, stopWorker } from './stage.mjs';

let stage;
let mail;
let searching;
let listing;
let options;
before(async () => {
  stage = await open();
  mail = await mailbox(stage);
  await remember(mail, 'kickoff', /1 remembered/);
  searching = await own(stage, 'panel.html#/search', { width: 320 });
  listing = await own(stage, 'panel.html#/memories', { width: 320 });
  options = await own(stage, 'options.html');
});
after(() => stage?.close());

const hits = (wanted) => searching.waitForFunction((text) => [...document.querySelectorAll('.hit-text')].some((hit) => hit.textContent.includes(text)), wanted);
const matters = (n) => listing.waitForFunction((wanted) => document.querySelectorAll('.memory').length === wanted, n);

test('a search and a list in two panels follow a mail, a page of the options, and each other', async () => {
  await listing.locator('.ways .chip').last().click();
  await matters(1);
  await searching.getByRole('button', { name: 'Filters' }).click();
  await searching.getByLabel('Asked on').fill('2026-01-12');
  await searching.getByLabel('Question').fill('When is the dentist?');
  await searching.getByRole('button', { name: 'Search' }).click();
  await searching.locator('.result-count').filter({ hasText: /\S/ }).waitFor();
  // A mail that is opened in Gmail.
  await remember(mail, 'dentist', /1 remembered/);
  await hits('dentist');
  await matters(2);
  // A page that shows neither.
  await ask(options, 'add', { content: 'Another dentist, Dr Okoye, has opened a practice on Corran Street 4.' });
  await hits('Corran Street 4');
  await matters(3);
  // One of the panels.
  await listing.locator('.memory').filter({ hasText: 'Corran Street' }).locator('.memory-head').click();
  await listing.getByRole('button', { name: 'Delete', exact: true }).click();
  await listing.getByRole('button', { name: 'Yes, delete' }).click();
  await searching.waitForFunction(() => ![...document.querySelectorAll('.hit-text')].some((hit) => hit.textContent.includes('Corran Street')));
  await matters(2);
});

test('a worker that was stopped and has come back is followed as before', async () => {
  await stopWorker(options);
  await ask(options, 'add', { content: 'The dentist of Corran Bay is away in May.' });
  await hits('away in May');
  await matters(3);
});

test('settings that one page saves, and a memory that it empties, are seen in the others', async () => {
  const endpoint = { dialect: 'openai', url: 'http://127.0.0.1:9/v1', model: 'm' };
  const answers = () => searching.evaluate(async () => (await chrome.runtime.sendMessage({ ask: 'status', args: [] })).value.answers);
  assert.equal(await answers(), false);
  await ask(options, 'save', { ...(await ask(options, 'settings')), endpoint });
  assert.equal(await answers(), true);
  await ask(options, 'erase');
  await matters(0);
  await searching.waitForFunction(() => document.querySelectorAll('.hit').length === 0);
});

test('news are the worker’s alone to tell: a script in Gmail’s page is not heard', async () => {
  const news = `chrome.runtime.sendMessage({ news: [{ seq: 0, entry: '', action: 'clear', decision: 'DELETE', ids: [], own: false }] }).catch(() => undefined)`;
  const marked = async () => listing.evaluate(() => globalThis.marked === true);
  await listing.evaluate(() => void (globalThis.marked = true));
  const session = await mail.context().newCDPSession(mail);
  const worlds = [];
  session.on('Runtime.executionContextCreated', ({ context }) => worlds.push(context));
  await session.send('Runtime.enable');
  const world = worlds.find(({ origin }) => origin.startsWith('chrome-extension://'));
  assert.ok(world, 'the world of the content script');
  await session.send('Runtime.evaluate', { expression: news, contextId: world.id, awaitPromise: true });
  await session.detach();
  await options.evaluate(news);
  // What the worker itself tells would have been heard by now: a page looks anew where another has emptied the memory.
  await ask(options, 'add', { content: 'The lease of the boat house ends in May.' });
  await matters(1);
  assert.equal(await marked(), true);
  await stage.context.serviceWorkers().at(-1).evaluate(news);
  await listing.waitForFunction(() => globalThis.marked === undefined);
});
