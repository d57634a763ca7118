// Hosts that are killed while they write: each opens the same memory again, writes with a key, and reads its log.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchProfile } from '../chromium.mjs';
import { bundled, remove, start, temporary, tokenOf, tokens } from '../worker/workerd.mjs';
import { askTwice, nodeProcess, workerds } from './hosts.mjs';
import { chromium, family } from './processes.mjs';
import { site } from './site.mjs';

export const draftOf = (key) => ({ content: `Invoice ${key} of supplier ${key.slice(1)} is ${1_000 + Number(key.slice(1))} EUR` });
const OPTIONS = { zone: 'UTC', policy: 'fast' };

/** A memory that a page or a service worker has open, as calls by name. */
const CALLS = `
  const draftOf = ${draftOf};
  globalThis.called = async (name, key) => {
    const memories = await globalThis.opened;
    if (name === 'add') return (await memories.add(draftOf(key), { key })).entry.id;
    if (name === 'log') return (await memories.log.list({ limit: 100_000 })).map(({ id, key }) => [key, id]);
    if (name === 'verify') return (await memories.data.verify()).problems.length;
    throw new Error(name);
  };`;
/** The script of a service worker that serves one memory over message ports. */
const SERVICE_WORKER = `
  import { open } from '/index.js';
  ${CALLS}
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('message', (event) => {
    const { name, key, memory } = event.data;
    const [port] = event.ports;
    // It may have outlived the tab of another memory.
    const known = (globalThis.memories ??= new Map());
    if (!known.has(memory)) known.set(memory, open({ name: memory, storage: 'indexeddb', ...${JSON.stringify(OPTIONS)} }));
    globalThis.opened = known.get(memory);
    event.waitUntil(called(name, key).then((value) => port.postMessage({ value }), (error) => port.postMessage({ error: String(error.code ?? error) })));
  });`;

/** A site with the package, and the service worker under `/sw.js`. */
export const page = () => site({ '/sw.js': (_, response) => response.setHeader('content-type', 'text/javascript').end(SERVICE_WORKER) });

/** Opens a memory in a tab: in the page, in its dedicated worker, or in the site's service worker. */
export async function tab(context, url, memory, kind = 'page') {
  const tab = await context.newPage();
  await tab.goto(url);
  await tab.evaluate(CALLS);
  await tab.evaluate(
    async ({ memory, kind, options }) => {
      if (kind === 'service worker') {
        await navigator.serviceWorker.register('/sw.js', { type: 'module' });
        await navigator.serviceWorker.ready;
        globalThis.called = async (name, key) => {
          const { active } = await navigator.serviceWorker.ready;
          return new Promise((resolve, reject) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.value));
            active.postMessage({ name, key, memory }, [port2]);
          });
        };
        return;
      }
      const { open } = await import(kind === 'worker' ? '/worker.js' : '/index.js');
      globalThis.opened = open({ name: memory, storage: 'indexeddb', ...(kind === 'worker' ? { worker: { run: 'dedicated' } } : {}), ...options });
      await globalThis.opened;
    },
    { memory, kind, options: OPTIONS },
  );
  return tab;
}

/** Node: the process with a SQLite file. */
async function nodeVictim(folder = temporary('kills-node')) {
  return {
    async start(memory) {
      const child = nodeProcess();
      const opened = child.call('open', join(folder, `${memory}.db`), OPTIONS);
      opened.catch(() => {});
      return {
        add: async (key) => (await opened, child.call('add', draftOf(key), key)),
        log: async () => (await opened, child.call('log')),
        verify: () => child.call('verify'),
        kill: () => child.kill(),
        end: () => child.end(),
      };
    },
    stop: () => remove(folder),
  };
}

/** workerd: the process with the Durable Objects. */
async function workerdVictim(folder = temporary('kills-workerd')) {
  const bundle = await bundled();
  const state = join(folder, 'state');
  mkdirSync(state, { recursive: true });
  return {
    async start(memory) {
      const worker = await start(bundle, { state, bindings: { REQUESTS_PER_MINUTE: 1_000_000, MODE: 'fast', TOKENS: tokens(memory) } });
      const call = async (method, path, body, headers) => {
        const [status, value] = await askTwice(worker.url, tokenOf(memory), method, path, body, headers);
        if (status !== 200) throw Object.assign(new Error(`${path} ${status} ${JSON.stringify(value)}`), { code: value?.error?.code });
        return value;
      };
      const running = workerds();
      return {
        add: async (key) => (await call('POST', '/v1/memories', draftOf(key), { 'idempotency-key': key })).entry.id,
        log: async () => (await call('GET', '/v1/log')).map(({ id, key }) => [key, id]),
        verify: async () => (await call('GET', '/v1/check')).problems.length,
        async kill() {
          for (const pid of running) process.kill(pid, 'SIGKILL');
          await worker.stop().catch(() => {});
        },
        end: () => worker.stop(),
      };
    },
    stop: () => (remove(bundle), remove(folder)),
  };
}

/** Chromium over a profile on disk; `what` is the process that is killed. */
async function chromiumVictim(what, profile = temporary('kills-chromium')) {
  const server = await page();
  let context, worked;
  const kind = what === 'service worker' ? what : 'page';
  const gone = async (pids) => {
    for (let n = 0; n < 200 && pids.some(alive); n += 1) await pause(25);
  };
  let kills = 0;
  return {
    async start(memory) {
      context ??= await launchProfile(profile);
      const { browser, typed } = chromium(profile);
      worked = await tab(context, server.url, memory, kind);
      let killed;
      const dead = new Promise((_, reject) => (killed = () => reject(new Error('killed'))));
      dead.catch(() => {});
      const call = (name, key) => Promise.race([dead, worked.evaluate(([name, key]) => called(name, key), [name, key])]);
      // Before the kill: what is looked up then lets the writes under way finish.
      const [all, renderers] = [family(browser), typed('renderer')];
      const devtools = await context.newCDPSession(worked);
      await devtools.send('ServiceWorker.enable');
      const closing = worked;
      const ended = () => closing.close().catch(() => {});
      return {
        add: (key) => call('add', key),
        log: () => call('log'),
        verify: () => call('verify'),
        async kill() {
          kills += 1;
          if (what === 'browser') {
            process.kill(browser, 'SIGKILL');
            killed();
            await gone(all);
            await context.close().catch(() => {});
            context = undefined;
            return;
          }
          // A service worker is stopped by the browser in half of the rounds, and dies with its process in the others.
          if (what === 'service worker' && kills % 2 === 0) await devtools.send('ServiceWorker.stopAllWorkers');
          else {
            for (const pid of renderers) if (alive(pid)) process.kill(pid, 'SIGKILL');
            await gone(renderers);
          }
          killed();
          await ended();
        },
        end: ended,
      };
    },
    async stop() {
      await context?.close();
      await server.close();
      remove(profile);
    },
  };
}

function alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export const VICTIMS = {
  node: nodeVictim,
  workerd: workerdVictim,
  browser: (folder) => chromiumVictim('browser', folder),
  renderer: (folder) => chromiumVictim('renderer', folder),
  'service worker': (folder) => chromiumVictim('service worker', folder),
};
