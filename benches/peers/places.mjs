// Where tasks are done: each place is a process of its own, so that none weighs on another and a task that takes too long
// can be ended.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium as browsers } from 'playwright-core';
import { chromePath } from '../../tests/chromium.mjs';
import { serve } from '../../www/serve.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A task was ended because it took too long. */
export class TooLong extends Error {}

/** The first that comes of `work` and of the end of so many minutes. */
async function within(minutes, work) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new TooLong(`> ${minutes} min`)), minutes * 60_000)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A process of Node with flags of its own: `{run, renew, stop}`. */
export function node(...flags) {
  let child;
  const start = () => (child = fork(at('child.mjs'), { execArgv: ['--max-old-space-size=12000', '--no-warnings', ...flags] }));
  start();
  const run = (task, options, minutes = 30) =>
    within(
      minutes,
      new Promise((resolve, reject) => {
        const gone = (code, signal) => reject(new Error(`the process ended (${signal ?? code})`));
        child.once('exit', gone);
        child.once('message', ({ result, fault }) => {
          child.off('exit', gone);
          if (fault === undefined) resolve(result);
          else reject(new Error(fault));
        });
        child.send({ task, options });
      }),
    );
  const stop = async () => void child.kill('SIGKILL');
  return { run, stop, renew: async () => (await stop(), start()) };
}

/** Where a page finds what the peers import by name. */
const modules = {
  '@orama/orama': '@orama/orama/dist/browser/index.js',
  'voy-search/': 'voy-search/',
  'client-vector-search': 'client-vector-search/dist/index.mjs',
  'lru-cache': 'lru-cache/dist/esm/index.js',
  '@msgpack/msgpack': '@msgpack/msgpack/dist.esm/index.mjs',
  'edgevec/': 'edgevec/',
  '@electric-sql/pglite': '@electric-sql/pglite/dist/index.js',
  '@electric-sql/pglite-pgvector': '@electric-sql/pglite-pgvector/dist/index.js',
};
const imports = Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, `/benches/peers/node_modules/${path}`]));
const html = `<!doctype html><title>bench</title><script type="importmap">${JSON.stringify({ imports })}</script>`;

/** A site with the repository's files, isolated from others, so that its clock is fine. */
export const site = () =>
  serve(at('../..'), {
    pages: { '/bench.html': html },
    headers: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' },
  });

/** A Chromium with a profile on the disk and one page: `{run, renew, stop, version}`. */
export async function chromium(url) {
  const profile = mkdtempSync(join(tmpdir(), 'memfold-bench-'));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const context = await browsers.launchPersistentContext(profile, { executablePath: chromePath(), headless: true, args: ['--disable-dev-shm-usage', ...root] });
  let page;
  const renew = async () => {
    const last = page;
    page = await context.newPage();
    await last?.close();
    await page.goto(`${url}/bench.html`);
  };
  await renew();
  const run = (task, options, minutes = 30) =>
    within(
      minutes,
      page.evaluate(
        async ([task, options]) => {
          const { tasks } = await import('/benches/peers/tasks.js');
          return tasks[task](options);
        },
        [task, options],
      ),
    );
  const remove = () => rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  const stop = async () => {
    await context.close();
    process.off('exit', remove);
    remove();
  };
  return { run, renew, stop, version: context.browser()?.version() ?? '' };
}
