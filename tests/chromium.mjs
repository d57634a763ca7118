// A real browser for the tests: the installed Chromium, or Playwright's own Firefox or WebKit (MEMFOLD_BROWSER).
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import browsers from 'playwright-core';

const NAMES = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const OTHER = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

// As root, as in a container, Chromium runs only without its sandbox.
const ALWAYS = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
// Playwright's own handlers keep the process running after SIGTERM, by which `node --test` ends a file that takes too long. The browser ends when its pipe closes.
const SIGNALS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

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
  if (name !== 'chromium') return browsers[name].launch({ headless: true, ...SIGNALS, ...rest });
  return browsers.chromium.launch({ executablePath: chromePath(), headless: true, args: [...ALWAYS, ...args], ...SIGNALS, ...rest });
}

/** Starts a headless Chromium whose data stay in the folder `profile`. Gives its context. */
export function launchProfile(profile, { args = [], ...rest } = {}) {
  return browsers.chromium.launchPersistentContext(profile, { executablePath: chromePath(), headless: true, args: [...ALWAYS, ...args], ...SIGNALS, ...rest });
}

/** Starts Chromium with an unpacked extension and its service worker. `profile` is a folder that keeps the browser's data. */
export async function launchWithExtension(folder, profile, options = {}) {
  const { args = [], ...rest } = options;
  const context = await browsers.chromium.launchPersistentContext(profile, {
    executablePath: chromePath(),
    headless: false,
    args: [
      '--headless=new',
      ...ALWAYS,
      '--disable-gpu',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      '--disable-features=DialMediaRouteProvider,DisableLoadExtensionCommandLineSwitch',
      ...args,
    ],
    ...SIGNALS,
    ...rest,
  });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker', { timeout: 30_000 }));
  return { context, worker };
}
