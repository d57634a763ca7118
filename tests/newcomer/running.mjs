// What recipes and examples are run with: a browser, an extension, wrangler, a model that says what a script says.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const www = createRequire(new URL('../../www/package.json', import.meta.url));
export const load = (name) => import(pathToFileURL(www.resolve(name)).href);

/** Waits until `look` gives something. */
export async function until(look, what) {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await look();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  return assert.fail(`${what} did not come`);
}

/** A server that a script of a folder is: where it answers, which is the first group of `ready` in what it says, and how it is ended. */
export async function started(dir, args, ready, env = {}) {
  const server = spawn(process.execPath, args, { cwd: dir, env: { ...process.env, ...env }, detached: true });
  const stop = () => process.kill(-server.pid, 'SIGKILL');
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const hear = (text) => {
      said += text;
      const [, at] = ready.exec(said) ?? [];
      if (at) resolve(at);
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.once('exit', () => reject(new Error(said)));
    setTimeout(() => reject(new Error(said)), 60_000).unref();
  }).catch((error) => {
    stop();
    throw error;
  });
  return { url, stop };
}

/** `wrangler dev` of a folder. */
export const edge = (dir) =>
  started(
    dir,
    [join(dir, 'node_modules/wrangler/bin/wrangler.js'), 'dev', '--port', '0', '--ip', '127.0.0.1', '--inspector-port', '0'],
    /Ready on (http:\/\/127\.0\.0\.1:\d+)/,
    {
      WRANGLER_SEND_METRICS: 'false',
      CI: 'true',
      NO_COLOR: '1',
    },
  );

/** A model that answers by `reply(body, number)`, at a port of its own or a given one; `undefined` where that is taken. */
export async function scripted(reply, port = 0) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ url: request.url, body: JSON.parse(body) });
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 0,
        model: 'm',
        choices: [reply(asked.at(-1).body, asked.length)],
        usage: { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 },
      }),
    );
  });
  server.listen(port, '127.0.0.1');
  const [error] = await Promise.race([once(server, 'listening'), new Promise((resolve) => server.once('error', (fault) => resolve([fault])))]);
  if (error) return undefined;
  return { asked, url: `http://127.0.0.1:${server.address().port}/v1`, close: () => (server.closeAllConnections(), server.close()) };
}
