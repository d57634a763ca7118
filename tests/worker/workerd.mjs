// The Worker as wrangler bundles it, in workerd with its objects on disk, and those who may call it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { built, copied } from '../built.mjs';
import { vector } from '../package/stub.mjs';

const worker = fileURLToPath(new URL('../../www/worker/', import.meta.url));
// The packages of wrangler itself, among them the bundler.
const { resolve } = createRequire(createRequire(join(worker, 'package.json')).resolve('wrangler'));
export const load = (name) => import(pathToFileURL(resolve(name)).href);
export const { Miniflare } = (await load('miniflare')).default;
const jose = await load('jose');

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
export const temporary = (name) => mkdtempSync(join(tmpdir(), `memfold-${name}-`));

/** What `wrangler deploy` would upload, in a directory of its own. */
export async function bundled() {
  const bundle = await built('worker', ['www/worker', 'pkg'], (dir) => {
    execFileSync(join(worker, '../../node_modules/.bin/wrangler'), ['deploy', '--dry-run', '--outdir', dir], {
      cwd: worker,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
    });
  });
  return copied(bundle, temporary('worker'));
}

/** Beside what is uploaded: a way for a test to reach into an object, which no route has. */
const REACH = `
import worker, { MemoryObject as Real } from './index.js';
const GLOBAL = globalThis;
/** An engine that fails at a word in a mail, as a script says: it traps, never answers, or never gives control back. */
const { Instance } = WebAssembly;
const poisoned = (module, imports) => {
  const { exports } = new Instance(module, imports);
  const has = (word, bytes) => typeof word === 'string' && new TextDecoder().decode(bytes).includes(word);
  const value = { ...exports, ...(exports.intake_push && { intake_push(self, at, length) {
    const bytes = new Uint8Array(exports.memory.buffer, at, length);
    if (has(GLOBAL.traps, bytes)) throw new WebAssembly.RuntimeError('unreachable');
    while (has(GLOBAL.spins, bytes));
    return has(GLOBAL.hangs, bytes) ? new Promise(() => {}) : exports.intake_push(self, at, length);
  } }) };
  return Object.create(Instance.prototype, { exports: { value } });
};
WebAssembly.Instance = function (module, imports) { return poisoned(module, imports); };
WebAssembly.Instance.prototype = Instance.prototype;
// After a trap, an instance anew of the same module.
WebAssembly.instantiate = async (module, imports) => poisoned(module, imports);
/** With a script that says so, nobody waits for minutes. */
const { setTimeout: later } = GLOBAL;
GLOBAL.setTimeout = (work, ms, ...rest) => later(work, GLOBAL.impatient && ms >= 60_000 ? 50 : ms, ...rest);
/** Workers AI by its published interface (\`wrangler types\`), with their limits, as a script says. */
class Ai {
  async run(model, inputs, options) {
    (GLOBAL.asked ??= []).push({ model, inputs });
    if (!(options.signal instanceof AbortSignal)) throw new Error('no signal');
    if (GLOBAL.down?.includes(model)) throw new Error('AiError: 3040: Capacity temporarily exceeded');
    if (inputs.text) {
      if (!Array.isArray(inputs.text) || inputs.text.length > 100) throw new Error('AiError: 5006');
      return { shape: [inputs.text.length, 96], data: inputs.text.map(vector), pooling: 'cls' };
    }
    if (inputs.response_format.type !== 'json_schema' || inputs.messages.some((m) => typeof m.content !== 'string')) throw new Error('AiError: 5006');
    return GLOBAL.replies.shift();
  }
}
${vector}
/** Sets and shows the script. */
function scripted(set) {
  Object.assign(GLOBAL, set);
  return { asked: (GLOBAL.asked ?? []).splice(0), replies: GLOBAL.replies?.length ?? 0 };
}
export class MemoryObject extends Real {
  constructor(ctx, env) { super(ctx, env.SCRIPTED ? { ...env, AI: new Ai() } : env); }
  sql(query) { return this.ctx.storage.sql.exec(query).toArray(); }
  // Not by its own name: that one is the platform's.
  ring() { return this.alarm().then(() => 'done', (error) => error.message); }
  // As the platform does at any time: the object begins anew over its storage.
  restart() { this.ctx.abort('restarted'); }
  forgetKey(key) { return this.ctx.storage.delete(key); }
  async count(prefix) { return (await this.ctx.storage.list({ prefix })).size; }
  due() { return this.ctx.storage.getAlarm(); }
}
export default {
  ...worker,
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.startsWith('/reach/')) return worker.fetch(request, env, ctx);
    const object = env.MEMORY.getByName(searchParams.get('owner'));
    const [, , what] = pathname.split('/');
    if (what === 'script') return Response.json(scripted(await request.json()));
    if (what === 'mail') {
      // A message as Email Routing hands it over, larger than the local handler takes.
      // Read before it may be refused, or its sender is cut off in mid-sentence.
      const raw = new Blob([await request.arrayBuffer()]);
      let rejected;
      const message = { from: 'kim@corp.example', to: searchParams.get('query'), headers: new Headers(), raw: raw.stream(), rawSize: raw.size, setReject: (reason) => (rejected = reason) };
      return Response.json(await worker.email(message, env, ctx).then(() => rejected ?? 'taken', (error) => error.message));
    }
    return Response.json((await (what === 'sql' ? object.sql(searchParams.get('query')) : what === 'restart' ? object.restart().catch(() => 'restarted') : what === 'count' ? object.count(searchParams.get('query')) : what === 'kv' ? object.forgetKey(searchParams.get('query')) : what === 'alarm' ? object.ring() : object.due())) ?? null);
  },
};`;

/** Starts workerd over the bundle. `said` collects what it logs. */
export async function start(bundle, { state = join(bundle, 'state'), bindings = {}, said = [], ...options } = {}) {
  writeFileSync(join(bundle, 'reach.js'), REACH);
  const module = (type, name) => ({ type, path: join(bundle, name), contents: readFileSync(join(bundle, name)) });
  const wasm = readdirSync(bundle).filter((name) => name.endsWith('.wasm'));
  const mf = new Miniflare({
    modulesRoot: bundle,
    modules: [module('ESModule', 'reach.js'), module('ESModule', 'index.js'), ...wasm.map((name) => module('CompiledWasm', name))],
    compatibilityDate: '2026-04-01',
    durableObjects: { MEMORY: { className: 'MemoryObject', useSQLite: true } },
    durableObjectsPersist: state,
    bindings: { TOKENS: tokens('alice', 'bob'), ...bindings },
    host: '127.0.0.1',
    unsafeTriggerHandlers: true,
    handleRuntimeStdio(stdout, stderr) {
      for (const stream of [stdout, stderr]) {
        stream.setEncoding('utf8');
        stream.on('data', (text) => said.push(text));
      }
    },
    ...options,
  });
  const url = String(await mf.ready).replace(/\/$/, '');
  const reach = async (what, owner, query = '', body = undefined) =>
    (await fetch(`${url}/reach/${what}?${new URLSearchParams({ owner, query })}`, { method: body === undefined ? 'GET' : 'POST', body })).json();
  return { mf, url, said, reach, stop: () => mf.dispose() };
}

/** A token of each owner is their name with a tail. */
export const tokenOf = (owner) => `${owner}-token-0123456789`;
export const tokens = (...owners) => Object.fromEntries(owners.map((owner) => [sha256(tokenOf(owner)), owner]));

/** Asks a route: `[status, body]`. */
export async function ask(url, token, method, path, body, headers = {}) {
  const json = body !== undefined && typeof body === 'object' && !(body instanceof Uint8Array);
  const response = await fetch(`${url}${path}`, {
    method,
    body: json ? JSON.stringify(body) : body,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...(json ? { 'content-type': 'application/json' } : {}), ...headers },
  });
  const text = await response.text();
  try {
    return [response.status, JSON.parse(text), response];
  } catch {
    return [response.status, text, response];
  }
}

/** An issuer of JWTs with its keys at an address. */
export async function issuer() {
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bindings = { JWKS_URL: `http://127.0.0.1:${server.address().port}/jwks`, JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'memfold' };
  const sign = (claims = {}, { key = privateKey, header = {} } = {}) =>
    new jose.SignJWT({ iss: bindings.JWT_ISSUER, aud: bindings.JWT_AUDIENCE, sub: 'carol', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
      .setIssuedAt()
      .setExpirationTime(claims.exp ?? '5m')
      .sign(key);
  return { bindings, sign, jwk, close: () => (server.closeAllConnections(), server.close()) };
}

export { jose };
/** A line of how far a long run is, where it is long (`make soak`). */
export const progress = (line) => void (process.env.MEMFOLD_SOAK && process.stderr.write(`  ${line}\n`));
/** What a run has found, as its last line. */
export const figure = (line) => void process.once('exit', () => process.stderr.write(`${line}\n`));
export const remove = (dir) => rmSync(dir, { recursive: true, force: true });
