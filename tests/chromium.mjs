// A real Chromium for the tests, and a server that gives it files as a strict site would.
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { delimiter, extname, join, normalize, sep } from 'node:path';

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

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8', '.json': 'application/json', '.wasm': 'application/wasm', '.svg': 'image/svg+xml',
  '.png': 'image/png', '.ico': 'image/x-icon', '.woff2': 'font/woff2', '.webmanifest': 'application/manifest+json', '.mbox': 'application/mbox',
};

/**
 * Serves a directory on a free local port. `pages` gives whole answers for some paths; `headers` go with every answer.
 * Returns `{url, close}`.
 */
export async function serve(dir, { pages = {}, headers = {} } = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const send = (status, type) => response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff', ...headers });
    if (pages[path] !== undefined) {
      send(200, TYPES['.html']).end(pages[path]);
      return;
    }
    let file = join(dir, normalize(path));
    try {
      if (statSync(file).isDirectory()) file = join(file, 'index.html');
      statSync(file);
    } catch {
      send(404, 'text/plain').end('not found');
      return;
    }
    send(200, TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))) };
}
