// The three hosts of a memory, with one interface: `open(name)`, `importMails(texts)`, `search(text)`, and what they cost.
import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchProfile } from '../chromium.mjs';
import { ask, bundled, remove, start, temporary, tokenOf, tokens } from '../worker/workerd.mjs';
import { OWNER } from './mailbox.mjs';
import { bytesOf, chromium, commandOf, family, privateBytes } from './processes.mjs';
import { nodeVersion, nodeWithSqlite, site, streamed, workerdVersion } from './site.mjs';

const OPTIONS = { owner: [OWNER], zone: 'UTC' };

/** A server that hands out mails once, under `/mails`. */
async function mailServer() {
  let waiting;
  const server = await site({ '/mails': (_, response) => streamed(waiting, response) });
  const offer = (texts) => ((waiting = texts), `${server.url}/mails`);
  return { ...server, offer };
}

/** A Node process with one memory in a SQLite file: `call(name, …)` calls it, `kill()` ends it without a word. */
export function nodeProcess() {
  const profile = process.env.MEMFOLD_PROFILE;
  const execArgv = ['--no-warnings', ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])];
  const child = fork(fileURLToPath(new URL('node-host.mjs', import.meta.url)), { execPath: nodeWithSqlite(), execArgv });
  const pending = new Map();
  let last = 0;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.on('message', ({ id, value, error }) => {
    const [resolve, reject] = pending.get(id);
    pending.delete(id);
    error === undefined ? resolve(value) : reject(Object.assign(new Error(error.message), { code: error.code }));
  });
  ended.then(() => {
    for (const [, reject] of pending.values()) reject(new Error('the process ended'));
  });
  const call = (name, ...args) =>
    new Promise((resolve, reject) => {
      pending.set((last += 1), [resolve, reject]);
      child.send({ id: last, name, args }, (error) => error && reject(error));
    });
  return {
    pid: child.pid,
    call,
    kill: () => (child.kill('SIGKILL'), ended),
    async end() {
      await call('close');
      child.disconnect();
      await ended;
    },
  };
}

/** A Node process with a SQLite file. */
async function nodeHost() {
  const folder = temporary('endurance-node');
  const server = await mailServer();
  let child;
  return {
    version: `Node ${nodeVersion()}`,
    /** A new process opens the file. Gives milliseconds. */
    async open(name) {
      await child?.end();
      child = nodeProcess();
      return child.call('open', join(folder, `${name}.db`), OPTIONS);
    },
    importMails: (texts) => child.call('importMail', server.offer(texts)),
    search: (text) => child.call('search', text, 3),
    verify: () => child.call('verify'),
    processes: () => [child.pid],
    memory: () => privateBytes(child.pid),
    size: (name) => ['', '-wal'].reduce((sum, tail) => sum + bytesOf(join(folder, `${name}.db${tail}`)), 0),
    async stop() {
      await child?.end().catch(() => {});
      await server.close();
      remove(folder);
    },
  };
}

/** A page of Chromium, with the engine in a worker and IndexedDB on disk. */
async function chromiumHost() {
  const profile = temporary('endurance-chromium');
  const server = await mailServer();
  const context = await launchProfile(profile);
  const { browser, typed } = chromium(profile);
  let page;
  return {
    version: `Chromium ${context.browser()?.version() ?? /Chrom\S*\/([\d.]+)/.exec(await context.pages()[0].evaluate('navigator.userAgent'))?.[1] ?? ''}`,
    async open(name) {
      const before = page;
      page = await context.newPage();
      await before?.evaluate(() => memories.close());
      await before?.close();
      await page.goto(server.url);
      return page.evaluate(
        async ({ name, options }) => {
          const { open } = await import('/worker.js');
          const start = performance.now();
          globalThis.memories = await open({ name, storage: 'indexeddb', worker: { run: 'dedicated' }, ...options });
          return performance.now() - start;
        },
        { name, options: OPTIONS },
      );
    },
    importMails: (texts) =>
      page.evaluate(async (url) => {
        const { mails, drafts, created, updated, linked, skipped, failed } = await memories.importMail((await fetch(url)).body);
        return { mails, drafts, created, updated, linked, skipped, failed: failed.length };
      }, server.offer(texts)),
    search: (text) =>
      page.evaluate(async (text) => (await memories.search(text, { limit: 3 })).map(({ memory: { content, subject = '' } }) => ({ content, subject })), text),
    verify: () => page.evaluate(async () => (await memories.data.verify()).problems.length),
    processes: () => family(browser),
    memory: () => Math.max(0, ...typed('renderer').map(privateBytes)),
    /** The whole of IndexedDB, for there is one store at a time in a profile's first measurement. */
    size: () => bytesOf(join(profile, 'Default/IndexedDB')),
    async stop() {
      await context.close();
      await server.close();
      remove(profile);
    },
  };
}

/** workerd's processes that this process has started. */
export const workerds = () => family(process.pid).filter((pid) => /\/workerd$/.test(commandOf(pid).split(' ')[0]));

/**
 * Asks a route, and again if the connection had been closed: workerd ends one that was idle for five seconds, and on a busy machine this
 * process learns of it only as it writes the next request.
 */
export async function askTwice(...request) {
  try {
    return await ask(...request);
  } catch (error) {
    if (!['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(error.cause?.code)) throw error;
    return ask(...request);
  }
}

const MAILS_A_REQUEST = 50;

/** A Durable Object in workerd, over the Worker's routes. */
async function workerdHost() {
  const bundle = await bundled();
  const state = join(temporary('endurance-workerd'), 'state');
  mkdirSync(state);
  const bindings = { TOKENS: tokens('full', 'small', 'last'), REQUESTS_PER_MINUTE: 1_000_000, MAILS_PER_MINUTE: 1_000_000, MAIL_SHARE: 1, ZONE: 'UTC' };
  let worker, owner, workerd;
  const said = [];
  const call = async (...rest) => {
    const [status, body] = await askTwice(worker.url, tokenOf(owner), ...rest).catch((error) => {
      const state = commandOf(workerd) === '' ? 'has ended' : 'does not answer';
      throw new Error(`workerd ${state} at ${rest[1]}; it last said: ${said.join('').slice(-1_000)}`, { cause: error });
    });
    if (status !== 200) throw new Error(`${rest[1]} ${status} ${JSON.stringify(body).slice(0, 500)}`);
    return body;
  };
  const search = async (text) => (await call('POST', '/v1/search', { text, limit: 3 })).map(({ memory: { content, subject = '' } }) => ({ content, subject }));
  return {
    version: `workerd ${workerdVersion()}`,
    /** workerd starts anew; an object opens its memory with its first request. */
    async open(name) {
      await worker?.stop();
      worker = await start(bundle, { state, bindings, said });
      owner = name;
      [workerd] = workerds();
      await ask(worker.url, tokenOf(owner), 'GET', '/health');
      const started = performance.now();
      await call('GET', '/v1/memories?limit=1');
      return performance.now() - started;
    },
    async importMails(texts) {
      const sum = {};
      const flush = async (batch) => {
        const report = await call('POST', `/v1/mail?account=${encodeURIComponent(OWNER)}`, Buffer.from(batch.join('')), { 'content-type': 'message/rfc822' });
        for (const name of ['mails', 'drafts', 'created', 'updated', 'linked', 'skipped']) sum[name] = (sum[name] ?? 0) + report[name];
        sum.failed = (sum.failed ?? 0) + report.failed.length;
      };
      const batch = [];
      for await (const text of texts) {
        batch.push(text);
        if (batch.length === MAILS_A_REQUEST) await flush(batch.splice(0));
      }
      if (batch.length > 0) await flush(batch);
      return sum;
    },
    search,
    verify: async () => (await call('GET', '/v1/check')).problems.length,
    processes: () => [workerd],
    memory: () => privateBytes(workerd),
    size: () => bytesOf(state),
    async stop() {
      await worker?.stop();
      remove(bundle);
      remove(join(state, '..'));
    },
  };
}

export const HOSTS = { node: nodeHost, chromium: chromiumHost, workerd: workerdHost };
