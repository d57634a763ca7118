// The built page on a local server, a browser, and the few things that every test of it does.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ASKING, serve } from '../../www/serve.mjs';
import { built } from '../built.mjs';
import { launch } from '../chromium.mjs';

const require = createRequire(new URL('../../www/package.json', import.meta.url));
const demo = fileURLToPath(new URL('../../www/demo/', import.meta.url));

export const axePath = require.resolve('axe-core/axe.min.js');
export const VIEWS = ['today', 'memories', 'review', 'settings', 'search', 'inbox', 'links', 'log', 'rest', 'evaluate', 'data'];

/** All that the page is made of. */
const SOURCES = ['www/demo', 'www/shared', 'package-lock.json', 'pkg', 'pkg-encoder'];

/** The folder in which the page lies, built with the product's own settings; no other test empties it meanwhile. */
export const builtDemo = () =>
  built('demo', SOURCES, async (dir) => {
    const { build } = await import(require.resolve('vite').replace(/index\.cjs$/, 'dist/node/index.js'));
    await build({ root: demo, configFile: `${demo}vite.config.js`, logLevel: 'error', build: { outDir: dir, emptyOutDir: true } });
  });

/** Serves the built page, and a browser beside it. `folder` is the page where a test has changed it. */
export async function open(folder = builtDemo()) {
  const site = await serve(await folder, { pagePolicy: ASKING });
  const browser = await launch({
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  return {
    url: `${site.url}/index.html`,
    origin: site.url,
    browser,
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/** A fresh profile; `faults` gathers what must never happen: console errors, uncaught errors, requests to elsewhere. */
export async function profile({ browser, origin }, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Asia/Seoul',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...options,
  });
  const faults = [];
  context.on('request', (r) => {
    if (!r.url().startsWith(`${origin}/`) && !r.url().startsWith('blob:')) faults.push(`request to ${r.url()}`);
  });
  context.on('page', (page) => {
    page.on('console', (m) => {
      if (m.type() === 'error' || m.type() === 'warning') faults.push(`console ${m.type()}: ${m.text()}`);
    });
    page.on('pageerror', (e) => faults.push(`uncaught ${e.message}`));
  });
  return { context, faults };
}

/** One site for the tests of a file and a fresh profile for each of them; a fault on any page of it fails the test. `give` gets all three. */
export function staged(give, folder) {
  let site;
  let stage;
  before(async () => {
    site = await open(folder?.());
  });
  after(() => site?.close());
  beforeEach(async () => {
    stage = await profile(site);
    give(site, stage.context, stage.faults);
  });
  afterEach(async () => {
    await stage.context.close();
    assert.deepEqual(stage.faults, []);
  });
}

export async function visit(context, url, view = 'inbox') {
  const page = await context.newPage();
  await page.goto(`${url}#/${view}`);
  await page.locator('main h1').waitFor();
  return page;
}

export async function go(page, view) {
  // Whoever closes a mail goes back in the history, which takes a moment.
  await page.waitForFunction(() => document.querySelector('dialog.mail[open]') || !history.state?.mail);
  await page.evaluate((v) => (location.hash = `#/${v}`), view);
  await page.locator(`.shell[data-view=${view}]`).waitFor();
  await page.locator('main h1').waitFor();
}

/** Goes to where mail is given, unless that is in sight. */
export async function toMail(page) {
  if (!(await page.locator('.drop').count())) await go(page, 'inbox');
}

const sample = fileURLToPath(new URL('../inbox/sample.mbox', import.meta.url));

/** Gives the page the mailbox of six weeks; where it asks whose it is, the answer is right. */
export async function giveSample(page) {
  await toMail(page);
  await page.locator('.drop input[type=file]').setInputFiles(sample);
  await page.locator('.whose, .run').first().waitFor();
  const asked = page.locator('.whose');
  if (await asked.count()) {
    await asked.locator('input[type=email]').fill('suhyun.bae@daoncold.example');
    await asked.getByRole('button', { name: /^(Use this address|이 주소로)$/ }).click();
  }
}

/** The same, to its end. */
export async function loadSample(page) {
  await giveSample(page);
  await page.locator('.run-done').waitFor({ timeout: 120_000 });
}

/** Waits until so many of a list are drawn: a long one comes gradually. */
export const drawn = (page, selector, n) => page.waitForFunction(([s, most]) => document.querySelectorAll(s).length >= most, [selector, n]);

/** The memories as a flat list. */
export async function flat(page) {
  await go(page, 'memories');
  await page.locator('.ways .chip').last().click();
  await page.locator('.memory, .empty').first().waitFor();
}

/** Gives the page a file of mails; where it asks whose they are, the button of this name answers. */
export async function choose(page, file, answer = 'I don’t know, skip') {
  await toMail(page);
  // What an earlier file came to is closed: it would be taken for this one's.
  const cards = page.locator('.run-done');
  const before = await cards.count();
  if (before > 0) {
    await cards.last().locator('.run-head .button').last().click();
    await cards.nth(before - 1).waitFor({ state: 'detached' });
  }
  await page.locator('.drop input[type=file]').setInputFiles(file);
  await page.locator('.whose, .run').first().waitFor();
  const asked = page.locator('.whose');
  if (await asked.count()) await asked.getByRole('button', { name: answer }).click();
}

/** The figure of a tile, by its place. */
export const tile = async (page, nth) => Number((await page.locator('.run .tile dd').nth(nth).textContent()).replace(/\D/g, ''));

/** How many memories, questions (`review`), links or decisions (`log`) the page has read. */
export const counted = (page, of) => page.evaluate((what) => Number(document.querySelector('.shell').dataset[what]), of);

/** Waits until there are so many. */
export const countIs = (page, of, n, options) =>
  page.waitForFunction(([what, wanted]) => Number(document.querySelector('.shell').dataset[what]) === wanted, [of, n], options);

/** Writes a memory by hand and returns the decision that was shown. */
export async function write(page, text, button = 'Remember') {
  if (!(await page.getByLabel('What should be remembered?').count())) await go(page, 'inbox');
  await page.getByLabel('What should be remembered?').fill(text);
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.locator('.note-result').waitFor();
  return page.locator('.note-result .badge').first().getAttribute('class');
}

/** Answers a question about values: chooses the one that reads like this, and saves it. */
export async function answer(question, words) {
  const before = await question.locator('.values').first().elementHandle();
  await question.getByRole('radio', { name: words }).check();
  await question.getByRole('button', { name: /^(Save answer|답 저장)$/ }).click();
  await before?.waitForElementState('hidden').catch(() => undefined);
}
