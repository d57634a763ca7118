// A server on this machine: the built package, a bare page, and the next part of a mailbox as a stream.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const pkg = fileURLToPath(new URL('../../pkg/', import.meta.url));
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

/** `routes` answer paths of their own: `(request, response)`. Gives `{ url, close }`. */
export async function site(routes = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const own = routes[pathname];
    if (own) return own(request, response);
    if (pathname === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html><title>memfold</title><link rel="icon" href="data:,">');
    const file = join(pkg, pathname);
    if (!file.startsWith(pkg) || !existsSync(file)) return response.writeHead(404).end();
    createReadStream(file).pipe(response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return { url: `http://localhost:${server.address().port}`, close };
}

/** Answers with mails, as they are made. */
export const streamed = (texts, response) => void Readable.from(texts, { objectMode: false, highWaterMark: 65_536 }).pipe(response);

/** The Node that has SQLite: this one, or the newer one among the Worker's packages. */
export function nodeWithSqlite() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return process.execPath;
  return fileURLToPath(new URL('../../tests/node_modules/node/bin/node', import.meta.url));
}

export const nodeVersion = () => execFileSync(nodeWithSqlite(), ['--version'], { encoding: 'utf8' }).trim();
export const workerdVersion = () => JSON.parse(readFileSync(new URL('../../node_modules/workerd/package.json', import.meta.url), 'utf8')).version;
