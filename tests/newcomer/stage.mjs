// What recipes and examples are tried on: the packed package in clean folders, and one browser for the pages of a file of tests.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import { launch } from '../chromium.mjs';
import { shop } from './recipes.mjs';

/** Runs a program to its end. */
export const run = (program, cwd, args, env = {}) =>
  promisify(execFile)(program, args, { cwd, encoding: 'utf8', timeout: 120_000, env: { ...process.env, ...env } });
export const node = (cwd, args, env) => run(process.execPath, cwd, args, env);

/** Sets up before the tests of a file and clears away after them. */
export function staged() {
  let store;
  let browser;
  before(async () => {
    store = await shop();
  });
  after(async () => {
    await browser?.close();
    store?.close();
  });
  return {
    folder: (page) => store.folder(page),
    example: (name) => store.example(name),
    /** Opens a page in the browser, in which nothing may go wrong; `work` uses it. */
    async visit(url, work) {
      browser ??= await launch();
      const page = await browser.newPage();
      const errors = [];
      page.on('pageerror', (error) => errors.push(error.message));
      try {
        await page.goto(url);
        await work(page).catch((error) => assert.fail(`${url}: ${error.message}\n${errors.join('\n')}`));
        assert.deepEqual(errors, []);
      } finally {
        await page.close();
      }
    },
  };
}
