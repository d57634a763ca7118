// `memfold mcp` and `memfold serve`: the tools for assistants, over stdio and over HTTP.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { failure } from './failure.mjs';
import { line, writeLines } from './lines.mjs';
import { ACTS, answerHttp, serverOf } from '../worker/src/tools.ts';
import { waitingHere, wishes } from '../worker/src/wishes.ts';

/** The tools' access to a memory; errors are returned, not thrown. */
function actsOn(memories) {
  const missing = (message) => {
    throw failure('not_found', message);
  };
  const tools = { ...ACTS, ...wishes(waitingHere(), missing) };
  return async (name, ...args) => {
    try {
      return { value: await tools[name](memories, ...args) };
    } catch ({ code = 'internal', message = 'memfold failed', retryable = false, field }) {
      return { error: { code, message, retryable, ...(field && { field }) } };
    }
  };
}

/** Serves over stdio until the assistant closes it. */
export async function mcp({ memories, version, stdin, stdout }) {
  const act = actsOn(memories);
  const closed = new Promise((resolve) => {
    for (const event of ['end', 'close']) stdin.once(event, resolve);
  });
  const served = serveStdio(() => serverOf(act, version), { transport: new StdioServerTransport(stdin, stdout) });
  await closed;
  await served.close();
}

const digest = (text) => createHash('sha256').update(text).digest();

/** Compares in constant time. */
const hasToken = ({ headers }, token) => timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));

/** Why a request is refused: status, code, message and headers. The first match counts. */
const REFUSALS = [
  [(request, token) => !hasToken(request, token), 401, 'unauthorized', 'the bearer token is missing or wrong', { 'www-authenticate': 'Bearer' }],
  [({ url }) => url.split('?')[0] !== '/mcp', 404, 'not_found', 'the only path is /mcp', {}],
  [({ method }) => method !== 'POST', 405, 'method_not_allowed', 'this path takes POST', { allow: 'POST' }],
];

async function handle(request, token, act, version) {
  const refusal = REFUSALS.find(([applies]) => applies(request, token));
  if (refusal) {
    const [, status, code, message, headers] = refusal;
    return Response.json({ error: { code, message, retryable: false } }, { status, headers });
  }
  const { method, headers } = request;
  const sent = new Request('http://localhost/mcp', {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    body: Readable.toWeb(request),
    duplex: 'half',
  });
  return answerHttp(sent, act, version);
}

/** Serves over HTTP until SIGINT or SIGTERM. Every request needs the bearer token, so web pages cannot call it. */
export async function serve({ memories, version, options, env, stderr, interrupts, tell }) {
  const token = env.MEMFOLD_TOKEN || randomBytes(24).toString('base64url');
  const act = actsOn(memories);
  const server = createServer(async (request, response) => {
    try {
      const answer = await handle(request, token, act, version);
      response.writeHead(answer.status, { 'cache-control': 'no-store', ...Object.fromEntries(answer.headers) });
      response.end(Buffer.from(await answer.arrayBuffer()));
    } catch (error) {
      writeLines(stderr, [line`a request failed: ${error.message}`]);
      response.writeHead(500).end();
    }
    // An unread body would keep the connection open.
    if (!request.complete) request.destroy();
  });
  const stopped = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(interrupts, signal)));
  await new Promise((resolve, reject) => {
    server.once('error', ({ message }) => reject(failure('invalid_field', `cannot listen at ${options.host}:${options.port}: ${message}`, { field: 'port' })));
    server.listen(options.port, options.host, resolve);
  });
  const { address, family, port } = server.address();
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`;
  tell({
    value: { url, ...(env.MEMFOLD_TOKEN ? {} : { token }) },
    lines: [line`${url}`, ...(env.MEMFOLD_TOKEN ? [] : [line`Authorization: Bearer ${token}`])],
  });
  await stopped;
  server.close();
  server.closeAllConnections();
}
