// What is measured, in any runtime and each in a process of its own. A task takes and gives plain values; times are in
// milliseconds.
import { bytes } from '../instance.js';
import { exported, question, text, timed } from '../scale.js';
import { peers } from './peers.js';
import { recall, vectors } from './vectors.js';

const page = typeof document !== 'undefined';
const store = page ? 'indexeddb' : 'memory';
const ours = () => import(page ? '../../pkg/index.js' : '../../pkg/node.js');
const QUERIES = 300;

async function once(work) {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The times of work over a database of a thousand records of 2 KB. */
async function withRecords(work) {
  const opening = indexedDB.open('bench-records', 1);
  opening.onupgradeneeded = () => {
    const records = opening.result.createObjectStore('records');
    for (let key = 0; key < 1_000; key += 1) records.put('x'.repeat(2_000), key);
  };
  const db = await settled(opening);
  const times = await timed((n) => work(db, n));
  db.close();
  return times;
}

/** Reads so many records by their keys, in one transaction. */
function read(db, count, n) {
  const records = db.transaction('records').objectStore('records');
  return Promise.all(Array.from({ length: count }, (_, i) => settled(records.get((n * count + i * 97) % 1_000))));
}

let memories;
let asked = 0;

/** What was built last, and what it is asked. */
let built;

/** A digit that no embedder of words sees, so that only the vector of a text says what it is near to. */
const DIGITS = [...'☀☁☂☃☄★☆☇☈☉'];
const named = (n) => [...String(n)].map((digit) => DIGITS[digit]).join('');
const number = (name) => Number([...name].map((sign) => DIGITS.indexOf(sign)).join(''));

/** An embedder that gives the vectors of names, and for other texts what their letters come to. */
function embedder(all, width) {
  const letters = (words) => {
    const v = new Float32Array(width);
    for (let i = 0; i + 1 < words.length; i += 1) {
      let state = words.charCodeAt(i) * 65_537 + words.charCodeAt(i + 1);
      for (let at = 0; at < width; at += 1) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        v[at] += state / 2 ** 31 - 1;
      }
    }
    return v;
  };
  return { model: 'bench', dimensions: width, embed: (texts) => texts.map((words) => all[number(words)] ?? letters(words)) };
}

export const tasks = {
  /** Builds a peer's index. */
  async build({ name, count, width }) {
    const made = vectors(count, width, QUERIES);
    const [millis, search] = await once(() => peers[name](made.rows, width));
    built = { ...made, width, search };
    return millis;
  },

  /** Asks what was built: times, and the share of the truly nearest that it finds. */
  async ask() {
    const { asked: queries, search, width } = built;
    const times = await timed((n) => search(queries[n % QUERIES]));
    return { times, recall: await recall(built, width, search) };
  },

  /** A scan of as many bytes as our codes have, and nothing else. */
  async bare({ count, width, scan }) {
    const source = typeof scan === 'string' ? await (await fetch(scan)).arrayBuffer() : Uint8Array.from(scan);
    const { exports } = (await WebAssembly.instantiate(source)).instance;
    const rows = Math.ceil(count / 4) * 4;
    exports.memory.grow(Math.ceil((rows * width) / 65_536));
    new Uint8Array(exports.memory.buffer).forEach((_, n, all) => (all[n] = (n * 2_654_435_761) >>> 24));
    return timed(() => exports.scan(rows, width));
  },

  /** Reads ten records of 2 KB from IndexedDB by their keys, in one transaction: the least that hits from the disk can cost. */
  reads: () => withRecords((db, n) => read(db, 10, n)),

  /**
   * Reads sixteen records, then writes eight beside the head of what is there, each in one transaction: the least that a decision
   * can cost which compares and writes as many.
   */
  writes: () =>
    withRecords(async (db, n) => {
      await read(db, 16, n);
      const transaction = db.transaction('records', 'readwrite', { durability: 'relaxed' });
      const records = transaction.objectStore('records');
      await settled(records.openKeyCursor(null, 'prev'));
      for (let i = 0; i < 8; i += 1) records.put('x'.repeat(2_000), 1_000 + n * 8 + i);
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
    }),

  /** Imports so many memories into a new store; gives the time and by how many bytes the instance grew. */
  async fill({ count, name, durability }) {
    await memories?.close();
    const { open } = await ours();
    memories = await open({ storage: { store, durability }, name });
    const lines = exported(count);
    const before = bytes();
    const [millis] = await once(() => memories.data.import(lines));
    return { millis, grown: bytes() - before };
  },

  /** Asks whole texts, each with a dozen words. */
  search: () => timed(() => memories.search(text((asked += 7)))),
  /** Asks with three words. */
  brief: () => timed(() => memories.search(question((asked += 7)))),
  /** Decides and commits. */
  decide: () => timed(() => memories.add({ content: `${text((asked += 13))} 변경`, threadId: `y${asked}` })),

  close: async () => (await once(() => memories.close()))[0],

  /** In a page that has loaded nothing yet: the file, the engine's start, the opening of a store, its first search, and what memory both took. */
  async reopen({ name }) {
    const { default: bindings } = await import('../../pkg/memfold.js');
    const [compiled, module] = await once(() => WebAssembly.compileStreaming(fetch(new URL('../../pkg/memfold_bg.wasm', import.meta.url))));
    const own = (functions) => functions;
    const [start] = await once(() => bindings({ exports: own, imports: own }).load({ module_or_path: module }));
    const { open, compare } = await ours();
    // What the package starts is another one; it is there before the store is opened.
    await compare({ content: 'a' }, { content: 'b' });
    const before = bytes();
    const [opened] = await once(async () => (memories = await open({ storage: { store, vectors: 'codes' }, name })));
    const [first] = await once(() => memories.search(text(5)));
    return { compiled, start, opened, first, grown: bytes() - before };
  },

  /** As `build` and `ask`, with vectors of an application's embedder. */
  async meant({ count, width }) {
    const made = vectors(count, width, QUERIES);
    const { open } = await ours();
    memories = await open({ storage: store, name: `bench-meant-${count}`, embedder: embedder([...made.rows, ...made.asked], width) });
    const lines = exported(count, named);
    const [millis] = await once(async () => {
      await memories.data.import(lines);
      const { waiting } = await memories.model.reembed();
      if (waiting > 0) throw new Error(`${waiting} memories have no vector`);
    });
    // A name has no word that could be looked for, so that the question needs a limit to be one.
    const search = async (n) => (await memories.search(named(count + n), { category: 'project' })).map((hit) => number(hit.memory.content));
    const times = await timed((n) => search(n % QUERIES));
    return { millis, times, recall: await recall(made, width, (query) => search(made.asked.indexOf(query))) };
  },
};
