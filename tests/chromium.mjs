// A real Chromium for the tests: the one that is installed.
import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, sep } from 'node:path';

const { chromium } = createRequire(new URL('../www/package.json', import.meta.url))('playwright-core');

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

/** Starts a headless browser. */
export function launch(options = {}) {
  const { args = [], ...rest } = options;
  // As root, as in a container, Chromium runs only without its sandbox.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromePath(), headless: true, args: ['--disable-dev-shm-usage', ...root, ...args], ...rest });
}
