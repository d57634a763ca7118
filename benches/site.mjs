// A built page as sites serve it: compressed, and kept by the browser for as long as it likes. `sent` counts the bytes that left.
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.mbox': 'application/mbox',
  '.txt': 'text/plain; charset=utf-8',
};

export async function site(dir) {
  const files = new Map(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((f) => f.isFile())
      .map((f) => {
        const path = join(f.parentPath ?? f.path, f.name);
        return [path.slice(dir.length), gzipSync(readFileSync(path), { level: 9 })];
      }),
  );
  let sent = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const name = pathname === '/' ? '/index.html' : pathname;
    const body = files.get(name);
    if (!body) return void response.writeHead(404, { 'content-type': TYPES['.txt'] }).end('not found\n');
    sent += body.length;
    response
      .writeHead(200, {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        'content-encoding': 'gzip',
        'cache-control': name === '/index.html' ? 'no-store' : 'max-age=31536000, immutable',
      })
      .end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${server.address().port}/`,
    get sent() {
      return sent;
    },
    forget: () => void (sent = 0),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
