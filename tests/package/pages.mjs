// Pages of an installed package in Chromium, several of one origin.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';

const MAP = '{"imports":{"memfold":"/node_modules/memfold/index.js","memfold/worker":"/node_modules/memfold/worker.js"}}';
const PAGE = `<!doctype html><meta charset="utf-8"><title>memfold</title><link rel="icon" href="data:,"><script type="importmap" nonce="map">${MAP}</script>`;
const POLICY = "default-src 'none'; img-src data:; script-src 'self' 'nonce-map' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** Serves a project's files and gives `{page, close}`: `page(script)` opens a tab with this module in it, once it has set `ready`. */
export async function pages(dir, policy = POLICY) {
  let scripts = 0;
  const bodies = { '/': PAGE };
  const site = await serve(dir, { pages: bodies, headers: policy ? { 'content-security-policy': policy } : {} });
  const browser = await launch();
  const context = await browser.newContext();
  return {
    async page(script) {
      const name = `page-${(scripts += 1)}.js`;
      writeFileSync(join(dir, name), `${script}\nglobalThis.ready = true;`);
      bodies[`/${scripts}`] = `${PAGE}<script type="module" src="/${name}"></script>`;
      const page = await context.newPage();
      const faults = [];
      page.on('pageerror', (e) => faults.push(String(e)));
      page.on('console', (m) => m.type() === 'error' && faults.push(m.text()));
      await page.goto(`${site.url.replace(/\/$/, '')}/${scripts}`);
      await page.waitForFunction(() => globalThis.ready, null, { timeout: 30_000 }).catch((e) => assert.fail(`${e.message}\n${faults.join('\n')}`));
      return page;
    },
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/** Waits until an expression of a page is what is wanted. */
export async function becomes(page, expression, wanted) {
  const text = JSON.stringify(wanted);
  await page
    .waitForFunction(([e, w]) => JSON.stringify((0, eval)(e)) === w, [expression, text], { timeout: 15_000, polling: 50 })
    .catch(async () => {
      assert.deepEqual(await page.evaluate(expression), wanted);
    });
}
