// Stores as they lie in a database, as JSON: to be kept when a format is released, and to be put back for a test.
// `node tests/package/formats.mjs 2` writes tests/cases/formats/2 with the package as it is built.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { installed } from './installed.mjs';

const worker = createRequire(new URL('../../www/worker/package.json', import.meta.url));
export const formats = fileURLToPath(new URL('../cases/formats/', import.meta.url));
const pkg = fileURLToPath(new URL('../../pkg/', import.meta.url));

/** The installed package in Node, with what its page says is installed beside it where Node has no SQLite. */
export async function inNode() {
  const project = await installed();
  const own = await import('node:sqlite').then(
    () => true,
    () => false,
  );
  if (!own) symlinkSync(fileURLToPath(new URL('../../node_modules/better-sqlite3', import.meta.url)), join(project.dir, 'node_modules/better-sqlite3'));
  return { ...project, ...(await import(pathToFileURL(join(project.dir, 'node_modules/memfold/node.js')).href)) };
}

/** A database file, by whichever SQLite there is. */
export async function database(path) {
  const { DatabaseSync } = await import('node:sqlite').catch(() => ({}));
  return DatabaseSync ? new DatabaseSync(path) : new (worker('better-sqlite3'))(path);
}

const bytes = (value) => (value !== null && typeof value === 'object' ? { base64: Buffer.from(value).toString('base64') } : value);
const unbytes = (value) => (value?.base64 === undefined ? value : Buffer.from(value.base64, 'base64'));

/** The tables of a file. */
export async function dumped(path) {
  const db = await database(path);
  const made = db.prepare("SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name").all();
  const rows = (name) =>
    db
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map((row) => Object.values(row).map(bytes));
  const tables = Object.fromEntries(made.filter(({ type }) => type === 'table').map(({ name }) => [name, rows(name)]));
  db.close();
  return { sql: made.map(({ sql }) => sql), tables };
}

/** Puts them into a new file. */
export async function restored(path, { sql, tables }) {
  const db = await database(path);
  for (const statement of sql) db.exec(statement);
  for (const [name, rows] of Object.entries(tables)) {
    for (const row of rows) db.prepare(`INSERT INTO ${name} VALUES (${row.map(() => '?').join(', ')})`).run(...row.map(unbytes));
  }
  db.close();
}

/** In a page: the object stores of a database as JSON, and a database of what that says. */
export function inPage() {
  const wait = (request) => new Promise((done, fail) => ((request.onsuccess = () => done(request.result)), (request.onerror = () => fail(request.error))));
  const TYPES = { Uint8Array, Int8Array, Float32Array, Float64Array, ArrayBuffer };
  const out = (value) => {
    const name = Object.keys(TYPES).find((type) => value instanceof TYPES[type]);
    if (name) return { $: name, base64: btoa(String.fromCharCode(...new Uint8Array(value.buffer ?? value))) };
    if (Array.isArray(value)) return value.map(out);
    return value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, of]) => [key, out(of)])) : value;
  };
  const back = (value) => {
    if (value?.$) {
      const { buffer } = Uint8Array.from(atob(value.base64), (c) => c.charCodeAt(0));
      return value.$ === 'ArrayBuffer' ? buffer : new TYPES[value.$](buffer);
    }
    if (Array.isArray(value)) return value.map(back);
    return value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, of]) => [key, back(of)])) : value;
  };
  globalThis.dump = async (name) => {
    const db = await wait(indexedDB.open(name));
    const stores = {};
    for (const store of db.objectStoreNames) {
      const at = db.transaction(store).objectStore(store);
      const indexes = [...at.indexNames]
        .map((index) => at.index(index))
        .map(({ name: of, keyPath, unique, multiEntry }) => ({ name: of, keyPath, unique, multiEntry }));
      const [keys, values] = [await wait(at.getAllKeys()), await wait(at.getAll())];
      stores[store] = { keyPath: at.keyPath, autoIncrement: at.autoIncrement, indexes, records: values.map((value, n) => [out(keys[n]), out(value)]) };
    }
    const { version } = db;
    db.close();
    return { version, stores };
  };
  globalThis.restore = async (name, { version, stores }) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => {
      for (const [store, { keyPath, autoIncrement, indexes, records }] of Object.entries(stores)) {
        const made = request.result.createObjectStore(store, { keyPath, autoIncrement });
        for (const { name: index, keyPath: path, ...how } of indexes) made.createIndex(index, path, how);
        for (const [key, value] of records) keyPath === null ? made.put(back(value), back(key)) : made.put(back(value));
      }
    };
    (await wait(request)).close();
  };
}

/** A page of a site that has the package. */
export async function page() {
  const site = await serve(pkg, { pages: { '/': '<!doctype html><title>x</title><link rel="icon" href="data:,">' } });
  const browser = await launch();
  const tab = await browser.newPage();
  await tab.addInitScript(inPage);
  await tab.goto(site.url);
  return { tab, close: async () => (await browser.close(), await site.close()) };
}

const MAIL =
  'From: Kim <kim@corp.example>\r\nTo: me@corp.example\r\nMessage-ID: <a@corp.example>\r\nDate: Mon, 5 Jan 2026 10:00:00 +0000\r\nSubject: Hanil\r\n\r\nThe budget for the Hanil project is 50,000 USD. Please send the contract by 30 January 2026.\r\n';

/** A little of everything that is stored. It runs here and in a page. */
async function lived(open, mail) {
  const memories = await open({ owner: ['me@corp.example'], zone: 540 });
  const say = (content, more) => memories.add({ content, threadId: 't', ...more });
  await say('The kickoff meeting is on 22 January at 2 pm in room 3');
  const { entry } = await say('The kickoff meeting was moved to 3 pm');
  await memories.undo(entry.id);
  await memories.redo(entry.id);
  await say('Q1 마케팅 예산은 5000만원으로 정했다', { threadId: 'u', people: ['lee@corp.example'], properties: [{ name: 'quarter', value: 'Q1' }] });
  await memories.importMail(mail);
  const { memory } = await say('The lease ends in May', { threadId: 'v' });
  await memories.delete(memory.id);
  await memories.search('kickoff', { session: 's' });
  await memories.sleep.endSession('s');
  await memories.data.verify();
  const said = { lines: await memories.data.export(), expected: await globalThis.told(memories) };
  await memories.close();
  return said;
}

/** What has to be found again in whatever has opened it. */
export async function told(memories) {
  const all = await memories.list({ includeSuperseded: true });
  const { problems, ...counts } = await memories.data.verify();
  return {
    contents: all.map((m) => `${m.id} ${m.version} ${m.content}`).sort(),
    entries: (await memories.log.list()).map((e) => `${e.id} ${e.decision} ${e.input}`),
    problems,
    counts,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const to = join(formats, process.argv[2] ?? '');
  if (!/\/\d+$/.test(to)) throw new Error('name the number of the format');
  mkdirSync(to, { recursive: true });
  const write = (name, value) => writeFileSync(join(to, name), typeof value === 'string' ? value : `${JSON.stringify(value, null, 1)}\n`);
  const { open, dir, remove } = await inNode();
  Object.assign(globalThis, { told });
  const { lines, expected } = await lived((options) => open({ storage: { path: join(dir, 'x.sqlite') }, ...options }), MAIL);
  write('export.jsonl', lines);
  write('sqlite.json', { expected, ...(await dumped(join(dir, 'x.sqlite'))) });
  const { tab, close } = await page();
  const stored = await tab.evaluate(
    `(async () => { const { open } = await import('/index.js'); globalThis.told = ${told}; const { expected } = await (${lived})((options) => open({ name: 'x', ...options }), ${JSON.stringify(MAIL)}); return { expected, ...(await dump('x')) }; })()`,
  );
  write('indexeddb.json', stored);
  await close();
  remove();
}
