// The unpacked extension in a real Chromium over a Gmail of this machine, and the few things that every test of it does.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchWithExtension } from '../chromium.mjs';
import { buildExtension, folder } from '../../www/extension/build.mjs';
import { serveGmail, thread } from './gmail.mjs';

const require = createRequire(new URL('../../www/package.json', import.meta.url));
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export const axePath = require.resolve('axe-core/axe.min.js');
export const MAIL = 'https://mail.google.com/mail/u/0/';
export const pictures = at('../../www/extension/store/screenshots/');

const newest = (dir) =>
  Math.max(
    ...readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((f) => f.isFile())
      .map((f) => statSync(join(f.parentPath ?? f.path, f.name)).mtimeMs),
  );

let building;
/** Builds the extension unless what is built is newer than its sources. Test files run at once: one builds, the rest wait. */
export async function built() {
  const sources = [at('../../www/extension/src'), at('../../www/extension/public'), at('../../www/shared'), at('../../pkg'), at('../../pkg-encoder')];
  const fresh = () =>
    existsSync(`${folder}/manifest.json`) &&
    statSync(`${folder}/manifest.json`).mtimeMs > Math.max(...sources.map(newest), statSync(at('../../www/extension/manifest.json')).mtimeMs);
  const lock = at('../../www/extension/.building');
  building ??= (async () => {
    for (let waited = 0; !fresh(); waited++) {
      try {
        mkdirSync(lock);
      } catch {
        // Another file builds; a lock that nobody gives up is taken after a minute.
        if (waited > 240) rmSync(lock, { recursive: true, force: true });
        await new Promise((resolve) => setTimeout(resolve, 250));
        continue;
      }
      try {
        if (!fresh()) await buildExtension();
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
    }
    return folder;
  })();
  return building;
}

/** Runs before the worker: an engine that fails at a word in a mail. It traps, never answers, never gives control back, or is full. */
function poison() {
  let full = 3;
  const { Instance } = WebAssembly;
  const poisoned = (instance) => {
    const { exports } = instance;
    if (!exports.intake_push) return instance;
    /** What of an intake was pushed and is not read yet: a mail is read when the next one begins, or at the end. */
    const unread = new Map();
    const fails = (text) => {
      if (globalThis.cured) return false;
      if (text.includes('word-traps')) throw new WebAssembly.RuntimeError('unreachable');
      while (text.includes('word-spins'));
      // An error of the engine's own comes back with its promise; what is thrown out of it is a trap.
      if (text.includes('word-full') && full-- > 0) return Promise.reject({ code: 'storage', message: 'the disk is full', retryable: true });
      return text.includes('word-hangs') && new Promise(() => {});
    };
    const intake_push = (self, at, length) => {
      const text = (unread.get(self) ?? '') + new TextDecoder('latin1').decode(new Uint8Array(exports.memory.buffer, at, length));
      const begins = [...text.matchAll(/^From .* \d\d:\d\d:\d\d .*\d{4}\r?$/gm)].at(-1)?.index ?? 0;
      unread.set(self, text.slice(begins));
      return fails(text.slice(0, begins)) || exports.intake_push(self, at, length);
    };
    const intake_finish = (self) => {
      const text = unread.get(self) ?? '';
      unread.delete(self);
      return fails(text) || exports.intake_finish(self);
    };
    return Object.create(Instance.prototype, { exports: { value: { ...exports, intake_push, intake_finish } } });
  };
  // Of bytes come a module and an instance, of a module that is there already an instance alone.
  const made = (got) => (got instanceof Instance ? poisoned(got) : { module: got.module, instance: poisoned(got.instance) });
  for (const name of ['instantiate', 'instantiateStreaming']) {
    const real = WebAssembly[name];
    WebAssembly[name] = async (...args) => made(await real.apply(WebAssembly, args));
  }
  // Nobody waits for minutes here.
  const { setTimeout: later } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) => later(work, ms >= 120_000 ? 300 : ms, ...rest);
}

/** A copy of the extension whose engine fails at some words. */
export async function poisoned(dir) {
  cpSync(await built(), dir, { recursive: true });
  const path = join(dir, 'worker.js');
  writeFileSync(path, `(${poison})();\n${readFileSync(path, 'utf8')}`);
}

/** Makes that engine whole, as long as its worker runs. */
export const cure = (stage) =>
  stage.context
    .serviceWorkers()
    .at(-1)
    .evaluate(() => (globalThis.cured = true));

/** Stages that a failed test has left open; they would keep its file running. */
const stages = new Set();
after(async () => {
  for (const stage of stages) await stage.close({ clean: false });
});

/** A browser with the extension and a fresh profile. `faults` gathers what must never happen. */
export async function open({ extension, profile, ...options } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'memfold-extension-'));
  const gmail = await serveGmail(dir);
  const path = extension ?? (await built());
  const faults = [];
  const { context, worker } = await launchWithExtension(path, profile ?? join(dir, 'profile'), {
    viewport: { width: 1100, height: 760 },
    locale: 'en-GB',
    timezoneId: 'Asia/Seoul',
    colorScheme: 'light',
    ...options,
    args: [
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--ignore-certificate-errors',
      `--host-resolver-rules=MAP mail.google.com:443 127.0.0.1:${gmail.port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  });
  context.on('page', (page) => {
    page.on('console', (m) => {
      if (m.type() === 'error' && !/status of 404/.test(m.text())) faults.push(`console: ${m.text()}`);
    });
    page.on('pageerror', (e) => faults.push(`uncaught: ${e.message}`));
  });
  const id = new URL(worker.url()).host;
  const stage = {
    context,
    gmail,
    faults,
    id,
    url: (page) => `chrome-extension://${id}/${page}`,
    async close({ clean = true } = {}) {
      if (stages.delete(stage)) {
        await context.close();
        await gmail.close();
        rmSync(dir, { recursive: true, force: true });
      }
      if (clean) assert.deepEqual(faults, []);
    },
  };
  stages.add(stage);
  return stage;
}

export { thread };

/** A tab of Gmail. */
export async function mailbox(stage, query = '') {
  const page = await stage.context.newPage();
  await page.goto(`${MAIL}${query}`);
  await page.locator('#list tr').first().waitFor({ state: 'attached' });
  return page;
}

/** Opens a mail as a click on its row does. */
export async function openMail(page, name) {
  await page.evaluate((hash) => (location.hash = `#inbox/${hash}`), thread(name).hash);
}

const within = (node, wanted) => {
  if (wanted(node)) return node;
  for (const child of [...(node.shadowRoots ?? []), ...(node.children ?? [])]) {
    const found = within(child, wanted);
    if (found) return found;
  }
  return undefined;
};
const words = (node) => (node.nodeType === 3 ? node.nodeValue : (node.children ?? []).map(words).join(''));

/** The words of the chip; its shadow root is closed to the page, so the browser is asked. */
export async function chip(page, expected) {
  const session = await page.context().newCDPSession(page);
  try {
    for (let tries = 0; ; tries++) {
      const { root } = await session.send('DOM.getDocument', { depth: -1, pierce: true });
      const host = within(root, (n) => n.localName === 'memfold-chip');
      const button = host && within(host, (n) => n.localName === 'button');
      const said = button && words(button);
      if (said && (!expected || expected.test(said))) return said;
      if (tries > 300) throw new Error(`the chip says ${JSON.stringify(said)}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  } finally {
    await session.detach();
  }
}

/** Opens a mail and waits until the chip beside its own subject line says what is expected. */
export async function remember(page, name, expected) {
  await openMail(page, name);
  await page.waitForFunction(
    (id) => document.querySelector(`h2[data-thread-perm-id="thread-f:${id}"]`)?.parentElement.querySelector('memfold-chip'),
    thread(name).id,
    { polling: 20 },
  );
  return chip(page, expected);
}

/** One of the extension's pages. */
export async function own(stage, path, options = {}) {
  const page = await stage.context.newPage();
  if (options.width) await page.setViewportSize({ width: options.width, height: options.height ?? 800 });
  await page.goto(stage.url(path));
  await page.locator('h1').first().waitFor();
  return page;
}

/** Asks the worker as a page of the extension does. */
export const ask = (page, verb, ...args) =>
  page.evaluate(
    async ([v, a]) => {
      const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`${v}: no answer within a minute`)), 60_000));
      const answer = await Promise.race([chrome.runtime.sendMessage({ ask: v, args: a }), late]);
      if ('fault' in answer) throw new Error(answer.fault.code);
      return answer.value;
    },
    [verb, args],
  );

/** Stops the service worker as Chrome does when it is idle. */
export async function stopWorker(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await session.detach();
}
