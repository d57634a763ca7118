// A real browser for the tests: the installed Chromium, or Playwright's own Firefox or WebKit (MEMFOLD_BROWSER).
import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, sep } from 'node:path';

const browsers = createRequire(new URL('../www/package.json', import.meta.url))('playwright-core');

const NAMES = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const OTHER = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The browser on this machine; nothing is ever downloaded. */
export function chromePath() {
  const dirs = (process.env.PATH ?? '').split(delimiter);
  const paths = NAMES.filter(Boolean).flatMap((name) => (name.includes(sep) ? [name] : dirs.map((dir) => join(dir, name))));
  const found = [...paths, ...OTHER].find(runs);
  if (!found) throw new Error('no Chromium or Chrome on the PATH; name one in CHROMIUM');
  return found;
}

/** Starts a headless browser. Playwright's own are installed with `npx playwright-core install webkit`. */
export function launch(options = {}) {
  const { args = [], ...rest } = options;
  const name = process.env.MEMFOLD_BROWSER ?? 'chromium';
  if (!['chromium', 'firefox', 'webkit'].includes(name)) throw new Error(`MEMFOLD_BROWSER is ${name}, not chromium, firefox or webkit`);
  if (name !== 'chromium') return browsers[name].launch({ headless: true, ...rest });
  // As root, as in a container, Chromium runs only without its sandbox.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return browsers.chromium.launch({ executablePath: chromePath(), headless: true, args: ['--disable-dev-shm-usage', ...root, ...args], ...rest });
}
