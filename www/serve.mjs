// Serves a built page as a strict site would: right types, a content security policy, nothing outside the directory.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.mbox': 'application/mbox',
};

/** What a built page may do: its own scripts, WebAssembly, and no request to anybody else. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The same for a page that can ask a model: it narrows this to the one that its owner named, and its worker asks nobody. */
export const ASKING = POLICY.replace("connect-src 'self'", "connect-src 'self' https: http://localhost:* http://127.0.0.1:*");

/** The file that a path names, or `undefined`. */
function named(dir, path) {
  try {
    const file = join(dir, normalize(decodeURIComponent(path)));
    const inside = file.startsWith(normalize(dir));
    if (!inside) return undefined;
    return statSync(file).isDirectory() ? named(dir, `${path}/index.html`) : file;
  } catch {
    return undefined;
  }
}

/** Listens on `port`, or on the next one that is free. 0 is any free port. */
async function listen(server, port) {
  for (; ; port += 1) {
    try {
      await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
      return server.address().port;
    } catch (e) {
      if (e.code !== 'EADDRINUSE' || port >= 65_535) throw e;
      server.removeAllListeners('error');
    }
  }
}

/**
 * Serves `dir` on `port` or the next free one. `pages` gives whole answers for some paths; `headers` go with every answer,
 * `pagePolicy` with an HTML file.
 * Returns `{url, close}`.
 */
export async function serve(dir, { port = 0, pages = {}, pagePolicy, headers = { 'content-security-policy': POLICY } } = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const answer = (status, type) =>
      response.writeHead(status, {
        'content-type': type,
        'x-content-type-options': 'nosniff',
        ...headers,
        ...(pagePolicy && type === TYPES['.html'] ? { 'content-security-policy': pagePolicy } : {}),
      });
    const page = pages[pathname];
    const file = page === undefined ? named(dir, pathname) : undefined;
    if (page !== undefined) answer(200, TYPES['.html']).end(page);
    else if (file === undefined) answer(404, 'text/plain; charset=utf-8').end('not found\n');
    else createReadStream(file).pipe(answer(200, TYPES[extname(file)] ?? 'application/octet-stream'));
  });
  const url = `http://localhost:${await listen(server, port)}`;
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return { url, close };
}
