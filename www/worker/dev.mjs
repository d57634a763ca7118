// Runs the Worker locally in workerd with a token for one owner, and prints how to call it.
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = fileURLToPath(new URL('../../.cache/worker/', import.meta.url));
const state = process.env.STATE ?? join(cache, 'state');
const bundle = join(cache, 'bundle');
mkdirSync(bundle, { recursive: true });
execFileSync(join(here, '../../node_modules/.bin/wrangler'), ['deploy', '--dry-run', '--outdir', bundle], {
  cwd: here,
  stdio: ['ignore', 'ignore', 'inherit'],
});

const { main, ...config } = JSON.parse(readFileSync(join(here, 'wrangler.jsonc'), 'utf8').replace(/^\s*\/\/.*$/gm, ''));
const module = (type, name) => ({ type, path: join(bundle, name), contents: readFileSync(join(bundle, name)) });
const wasm = readdirSync(bundle).filter((name) => name.endsWith('.wasm') && readFileSync(join(bundle, 'index.js'), 'utf8').includes(name));
const token = process.env.TOKEN ?? `demo-${randomUUID()}`;
const worker = new Miniflare({
  modulesRoot: bundle,
  modules: [module('ESModule', 'index.js'), ...wasm.map((name) => module('CompiledWasm', name))],
  compatibilityDate: config.compatibility_date,
  durableObjects: { MEMORY: { className: 'MemoryObject', useSQLite: true } },
  durableObjectsPersist: state,
  bindings: { ...config.vars, TOKENS: { [createHash('sha256').update(token).digest('hex')]: 'demo' }, MAILBOXES: { 'demo@memfold.example': 'demo' } },
  host: '127.0.0.1',
  port: Number(process.env.PORT ?? 8_787),
  unsafeTriggerHandlers: true,
});
const url = String(await worker.ready).replace(/\/$/, '');
const auth = `-H 'authorization: Bearer ${token}'`;
console.log(`
memfold runs at ${url} (its memory is in ${relative(process.cwd(), state)}; stop it with Ctrl-C)

  curl ${url}/v1/memories ${auth} -H 'content-type: application/json' -d '{"content":"킥오프 미팅은 1월 22일 오후 2시","threadId":"t1"}'
  curl ${url}/v1/memories ${auth} -H 'content-type: application/json' -d '{"content":"킥오프 미팅은 오후 3시로 변경되었습니다","threadId":"t1"}'
  curl ${url}/v1/search ${auth} -H 'content-type: application/json' -d '{"text":"킥오프 몇 시야?"}'
  curl ${url}/v1/mail ${auth} -H 'content-type: message/rfc822' --data-binary @tests/inbox/sample.mbox
  curl ${url}/v1/log?newestFirst=true\\&limit=3 ${auth}
  curl ${url}/openapi.json

  export MEMFOLD_URL=${url} MEMFOLD_TOKEN=${token}   # for www/worker/examples
`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => worker.dispose().finally(() => process.exit(0)));
