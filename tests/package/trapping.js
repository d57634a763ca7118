// An engine that breaks down in the middle of its work, in whatever runtime, and what its user then sees. It breaks as it
// would in the field: no memory is left, or memory is garbage. Nothing of the package is made for this.

const instances = [];

/** Sees the instances that are started from here on. */
export function watch() {
  const { instantiate, instantiateStreaming, Instance } = WebAssembly;
  const seen = (instance) => {
    if ('__wbindgen_externrefs' in instance.exports) instances.push(instance.exports);
    return instance;
  };
  WebAssembly.instantiate = async (...given) => {
    const made = await instantiate(...given);
    seen(made.instance ?? made);
    return made;
  };
  if (instantiateStreaming) {
    WebAssembly.instantiateStreaming = async (...given) => {
      const made = await instantiateStreaming(...given);
      seen(made.instance);
      return made;
    };
  }
  WebAssembly.Instance = new Proxy(Instance, { construct: (target, given) => seen(Reflect.construct(target, given)) });
}

/** Takes all the memory that the running instance could still get. */
function exhaust() {
  const { memory } = instances.at(-1);
  for (let step = 65_536; step >= 1; step >>= 1) {
    try {
      for (;;) memory.grow(step);
    } catch {
      // Less will fit.
    }
  }
}

/** Makes garbage of the running instance's memory. */
const garble = () => new Uint8Array(instances.at(-1).memory.buffer).fill(0xff);

const outcome = (work) => work.then(() => 'done', (e) => `${e.name} ${e.code} ${e.retryable}`);
const NOTE = '킥오프 미팅은 1월 22일 오후 2시';
const MAIL = `From: a@b.example\r\nDate: Wed, 14 May 2025 10:20:00 +0900\r\nSubject: x\r\n\r\n${'The review is on 20 May.\r\n'.repeat(300_000)}`;

/** Without memory in the middle of a mail, beside other calls and another memory. */
export async function exhausted({ open, compare }, options, lasts) {
  const memories = await open(options);
  const other = await open({ storage: 'memory' });
  const { memory } = await memories.add({ content: NOTE });
  exhaust();
  const during = await Promise.all([memories.importMail(MAIL), memories.search('킥오프'), memories.list(), other.list(), other.add({ content: 'x y' })].map(outcome));
  const after = [];
  if (lasts) {
    const both = await Promise.all([memories.get(memory.id), memories.list()]);
    after.push(both[0]?.content === NOTE, both[1].length);
    after.push((await memories.add({ content: '보고서는 3월 18일까지 보낸다' })).entry.decision, (await memories.data.verify()).problems.length);
  } else {
    after.push(await outcome(memories.list()), await outcome(memories.get(memory.id)));
  }
  after.push(await outcome(other.list()));
  const fresh = await open({ storage: 'memory' });
  after.push((await fresh.add({ content: NOTE })).entry.decision, (await compare({ content: NOTE }, { content: '보고서는 3월 18일까지 보낸다' })).decision);
  await Promise.all([memories.close(), other.close(), fresh.close()]);
  after.push(await outcome(memories.list()), await outcome(other.list()), instances.length);
  return { during, after };
}

/** With garbage for memory, inside the transaction of a commit. */
export async function garbled({ open }, options) {
  const memories = await open(options);
  await memories.add({ content: NOTE });
  const told = async () => [(await memories.list()).length, (await memories.log.list()).length];
  const before = await told();
  const { openKeyCursor } = IDBObjectStore.prototype;
  let commits = 0;
  IDBObjectStore.prototype.openKeyCursor = function (...given) {
    if (this.transaction.mode === 'readwrite' && (commits += 1) === 1) garble();
    return openKeyCursor.apply(this, given);
  };
  const during = await outcome(memories.add({ content: '보고서는 3월 18일까지 보낸다' }));
  IDBObjectStore.prototype.openKeyCursor = openKeyCursor;
  const after = [await told(), (await memories.data.verify()).problems.length];
  const again = (await memories.add({ content: '보고서는 3월 18일까지 보낸다' })).entry.decision;
  await memories.close();
  // A connection that nobody can close would block this for ever.
  const { name } = (await indexedDB.databases()).find((d) => d.name.includes(options.name));
  const removed = await new Promise((resolve) => Object.assign(indexedDB.deleteDatabase(name), { onsuccess: () => resolve('done'), onblocked: () => resolve('blocked') }));
  return { before, commits, during, after, again, removed };
}

/** With a stack that is used up where the engine asks its host. */
export async function overflowing({ open }) {
  const memories = await open({ storage: 'memory' });
  const { normalize } = String.prototype;
  String.prototype.normalize = function deeper(...given) {
    return `${deeper.apply(this, given)}`;
  };
  // What is not in ASCII is brought to a normal form by the host.
  const during = await Promise.all([memories.add({ content: 'Café é' }), memories.list()].map(outcome));
  String.prototype.normalize = normalize;
  const fresh = await open({ storage: 'memory' });
  return { during, after: (await fresh.add({ content: 'Café é' })).entry.decision };
}
