// Search by meaning on the demo page: one click, other words and the other language, without a network, and what goes wrong.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { copied } from '../built.mjs';
import { axePath, builtDemo, choose, go, staged, visit, write } from './site.mjs';
import { thorough } from '../tier.mjs';

/** Memories of the English sample, and questions in Korean that share no word with them. */
const SAMPLE = fileURLToPath(new URL('../../www/demo/samples/en.mbox', import.meta.url));
const DENTIST = 'Your check-up at Archway Dental';
const QUESTION = '이빨 치료';
const CLAY = 'order KC-4417';
const OTHER = '점토 값은 얼마였지?';

/** Runs before the encoder's worker, whose script no test can reach otherwise: what is to go wrong in it is asked of the site. */
function troubled() {
  const asked = new XMLHttpRequest();
  asked.open('GET', '/trouble.txt', false);
  asked.send();
  switch (asked.responseText) {
    case 'no SIMD':
      WebAssembly.validate = () => false;
      break;
    case 'no memory':
      WebAssembly.Instance = class {
        constructor() {
          throw new RangeError('out of memory');
        }
      };
      break;
    case 'no room':
      caches.open = async () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      break;
    case 'held':
      addEventListener('message', (event) => event.data.verb === 'embed' && event.stopImmediatePropagation());
      break;
    case 'lost':
      addEventListener('message', ({ data }) => {
        if (JSON.stringify(data).includes('word that kills')) throw new Error('lost');
      });
  }
}

const dir = mkdtempSync(join(tmpdir(), 'memfold-meaning-'));
after(() => rmSync(dir, { recursive: true, force: true }));
async function folder() {
  const at = copied(await builtDemo(), join(dir, 'page'));
  const assets = join(at, 'assets');
  const host = join(
    assets,
    readdirSync(assets).find((name) => /^encoder-host.*\.js$/.test(name)),
  );
  writeFileSync(host, `(${troubled})();\n${readFileSync(host, 'utf8')}`);
  writeFileSync(join(at, 'trouble.txt'), '');
  return at;
}

let site;
let context;
let faults;
staged((s, c, f) => ([site, context, faults] = [s, c, f]), folder);

const offer = (page) => page.locator('.hits + .meaning');
const card = (page) => page.locator('.settings .meaning');
const isFile = ({ pathname }) => /\/(encoder|head)[^/]*\.(bin|gz)$/.test(pathname);
/** Requests for the encoder's files; with `body` they are answered by it, with `null` they fail. */
async function files(page, body) {
  const asked = [];
  await page.context().route(isFile, (route) => {
    asked.push(new URL(route.request().url()).pathname);
    if (body === undefined) return route.continue();
    return body === null ? route.abort() : route.fulfill({ body, contentType: 'application/octet-stream' });
  });
  return asked;
}

/** A page with the English sample. */
async function begin() {
  const page = await visit(context, site.url);
  await choose(page, SAMPLE);
  await page.locator('.run-done').waitFor({ timeout: 120_000 });
  return page;
}

async function search(page, question = QUESTION) {
  await go(page, 'search');
  await page.locator('input[type=search]').fill(question);
  await page.locator('.search-bar button').click();
  await page.locator('.result-count:not(:empty)').waitFor();
}
const isFound = (page) => page.locator('.hit-text', { hasText: DENTIST }).waitFor();
const switchOn = (place) => place.getByRole('button', { name: /^(Switch on|켜기) \(/ }).click();
/** Waits in the settings until it works. */
async function isOn(page) {
  await go(page, 'settings');
  await card(page).locator('.done').waitFor({ timeout: 120_000 });
}

/** The browser itself tells of requests that failed: here for the files, or for the page's icon. */
const forgive = (what) => faults.splice(0, Infinity, ...faults.filter((fault) => !fault.includes(what)));

/** That everyone can use what is shown, in both languages and at both widths. */
async function isUsable(page) {
  await page.evaluate(readFileSync(axePath, 'utf8'));
  const { violations } = await page.evaluate(() => window.axe.run(document.querySelector('.meaning'), { resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map((v) => `${v.id}: ${v.nodes[0].html}`),
    [],
  );
  for (const language of ['한국어', 'English']) {
    await page.getByRole('button', { name: language, exact: true }).click();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `sideways at ${width} px`);
    }
  }
}

test('after_one_click_a_korean_question_finds_an_english_memory_offline_and_at_the_next_visit', async () => {
  const page = await begin();
  const asked = await files(page);
  await search(page);
  assert.equal(await page.locator('.hit-text', { hasText: DENTIST }).count(), 0);
  assert.deepEqual(asked, [], 'nothing is loaded unasked');
  await isUsable(page);
  await switchOn(offer(page));
  // The question is asked again by itself.
  await page.locator('.hit-text', { hasText: DENTIST }).waitFor({ timeout: 120_000 });
  assert.equal(asked.length, 2);
  await context.setOffline(true);
  await search(page, OTHER);
  await page.locator('.hit-text', { hasText: CLAY }).first().waitFor();
  await context.setOffline(false);

  await page.reload();
  await isOn(page);
  await context.setOffline(true);
  await search(page);
  await isFound(page);
  assert.equal(asked.length, 2, 'both files come from this browser');
  await context.setOffline(false);
  forgive('ERR_INTERNET_DISCONNECTED');
});

test('memories_that_are_stored_before_are_learnt_with_progress_and_those_after_at_once', async () => {
  const page = await begin();
  await go(page, 'settings');
  assert.match(await card(page).textContent(), /29\.9\s?MB/);
  await switchOn(card(page));
  await isOn(page);
  await isUsable(page);
  await go(page, 'inbox');
  await write(page, '정기 구독은 2월 말에 끝난다');
  await search(page, 'When does the subscription end?');
  await page.locator('.hit-text', { hasText: '정기 구독' }).first().waitFor();
  // Nothing of it has left the device.
  await go(page, 'settings');
  await page.getByText('Nothing has left it.').waitFor();
});

thorough('what_was_not_learnt_is_learnt_at_the_next_visit', async () => {
  await goesWrong('held');
  const page = await begin();
  await go(page, 'settings');
  await switchOn(card(page));
  await card(page)
    .getByText(/^Learning 0 of \d+ memories$/)
    .waitFor({ timeout: 60_000 });
  await isUsable(page);
  await context.unrouteAll();
  await page.reload();
  await isOn(page);
  await search(page);
  await isFound(page);
});

thorough('what_is_switched_off_is_deleted_and_loses_no_memory', async () => {
  const page = await begin();
  await go(page, 'settings');
  await switchOn(card(page));
  await isOn(page);
  assert.deepEqual(await page.evaluate(async () => (await (await caches.open('memfold-encoder')).keys()).length), 2);
  await card(page).getByRole('button', { name: 'Switch off and delete' }).click();
  await card(page)
    .getByRole('button', { name: /^Switch on/ })
    .waitFor();
  await page.waitForFunction(async () => !(await caches.has('memfold-encoder')));
  await search(page);
  assert.equal(await page.locator('.hit-text', { hasText: DENTIST }).count(), 0);
  assert.equal(await offer(page).count(), 0, 'it is not offered again');
  await search(page, 'check-up');
  await isFound(page);
  await page.reload();
  await search(page, 'invoice for order KC-4417');
  await page.locator('.hit-text', { hasText: CLAY }).first().waitFor();
});

for (const [what, body, sentence] of [
  ['a_damaged_file', 'damaged', 'The files for search by meaning are damaged. Search by words still works.'],
  ['a_file_that_does_not_come', null, 'The files for search by meaning could not be loaded. Search by words still works.'],
]) {
  (body === null ? test : thorough)(`${what}_is_told_in_a_sentence_and_search_goes_on`, async () => {
    const page = await begin();
    await files(page, body);
    await go(page, 'settings');
    await switchOn(card(page));
    await card(page).getByRole('alert').getByText(sentence).waitFor({ timeout: 60_000 });
    await isUsable(page);
    await search(page, 'check-up');
    await isFound(page);
    assert.deepEqual(await page.evaluate(async () => (await (await caches.open('memfold-encoder')).keys()).length), 0);
    forgive('ERR_FAILED');
    // Once the right file is there, it works.
    await context.unrouteAll();
    await go(page, 'settings');
    await card(page).getByRole('button', { name: 'Try again' }).click();
    await isOn(page);
    await search(page, OTHER);
    await page.locator('.hit-text', { hasText: CLAY }).first().waitFor();
  });
}

const goesWrong = (trouble) => context.route('**/trouble.txt', (route) => route.fulfill({ body: trouble }));

for (const [what, trouble, sentence] of [
  ['a_browser_without_simd', 'no SIMD', 'This browser cannot search by meaning. Search by words still works.'],
  ['a_device_without_memory', 'no memory', 'Too little memory for search by meaning. Search by words still works.'],
]) {
  thorough(`${what}_is_told_in_a_sentence_and_search_goes_on`, async () => {
    await goesWrong(trouble);
    const page = await begin();
    await go(page, 'settings');
    await switchOn(card(page));
    await card(page).getByRole('alert').getByText(sentence).waitFor({ timeout: 60_000 });
    await search(page, 'check-up');
    await isFound(page);
  });
}

thorough('a_lost_worker_is_told_and_another_is_started', async () => {
  await goesWrong('lost');
  const page = await begin();
  await go(page, 'settings');
  await switchOn(card(page));
  await isOn(page);
  await search(page, 'check-up, a word that kills');
  await isFound(page);
  await go(page, 'settings');
  await card(page).getByText('Search by meaning stopped and will restart by itself.').waitFor();
  await page.getByText('Nothing has left it.').waitFor();
  await context.unrouteAll();
  await card(page).getByRole('button', { name: 'Try again' }).click();
  await isOn(page);
  await search(page, OTHER);
  await page.locator('.hit-text', { hasText: CLAY }).first().waitFor();
});

thorough('where_there_is_no_room_it_works_until_the_page_is_closed', async () => {
  await goesWrong('no room');
  const page = await begin();
  await go(page, 'settings');
  await switchOn(card(page));
  await isOn(page);
  await card(page).getByText('The browser has no space for it').waitFor();
  await search(page);
  await isFound(page);
  await page.reload();
  await go(page, 'settings');
  await card(page).getByText('The files for search by meaning are gone. Search by words still works.').waitFor();
  await search(page, 'invoice for order KC-4417');
  await page.locator('.hit-text', { hasText: CLAY }).first().waitFor();
});
