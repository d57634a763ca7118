// The running engine: one instance of the wasm file for all memories, and a fresh one after a trap (a panic, an exhausted
// stack or memory). It knows no method of the engine.
import { MemfoldError } from './error.js';
import { speedUp } from './kernels.js';
import bindings from './memfold.js';

const attempt = (work) => {
  try {
    work();
  } catch {
    // It was over already.
  }
};

/** One instance. After a trap nothing of it runs any more: whatever it was in the middle of, it cannot be relied on. */
class Instance {
  /** Why it is down, once it is. */
  trap;
  /** By what vectors are scanned. */
  scan;
  #exports;
  /** How to reject each call that is under way: nobody else would, once it is down. */
  #open = new Set();
  /** Calls from out here, and calls of any kind, that are on the stack. */
  #inside = 0;
  #depth = 0;

  /** Starts one: `load` gives the wasm file to its bindings, and gives back what it exports. */
  static async start(load, kernels) {
    const made = new Instance();
    made.engine = bindings({ exports: (raw) => made.#watched(raw), imports: (raw) => made.#heard(raw) });
    made.#exports = await load(made.engine);
    made.scan = speedUp(made.#exports.memory, made.engine.useKernel, kernels);
    return made;
  }

  /** What the host calls: the first exception that leaves it is its end. */
  #watched(raw) {
    const watch = (run) => (...args) => {
      // A timer, a request or a promise that it once waited for.
      if (this.trap) return [];
      this.#depth += 1;
      try {
        return run(...args);
      } catch (error) {
        this.#fall(error);
        // Whoever called it from the outside has been told; to the host it would be an error that nobody handles.
        if (this.#inside === 0 && this.#depth === 1) return [];
        throw error;
      } finally {
        this.#depth -= 1;
      }
    };
    return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, typeof value === 'function' ? watch(value) : value]));
  }

  /** What it calls of the host: where a callback in between was its end, it does not go on. */
  #heard(raw) {
    const hear = (run) => (...args) => {
      const value = run(...args);
      if (this.trap) throw this.trap;
      return value;
    };
    const each = (functions) => Object.fromEntries(Object.entries(functions).map(([name, value]) => [name, typeof value === 'function' ? hear(value) : value]));
    return Object.fromEntries(Object.entries(raw).map(([from, functions]) => [from, each(functions)]));
  }

  #fall(cause) {
    if (this.trap) return;
    this.trap = new MemfoldError('trapped', `the engine broke down: ${cause?.message ?? cause}`, { cause });
    // What it was writing must not be committed by half, and its connections must not block the next instance.
    const { IDBTransaction, IDBDatabase } = globalThis;
    const held = this.#exports?.__wbindgen_externrefs;
    for (let at = 0; IDBTransaction && at < (held?.length ?? 0); at++) {
      const value = held.get(at);
      if (value instanceof IDBTransaction) attempt(() => value.abort());
      if (value instanceof IDBDatabase) attempt(() => value.close());
    }
    for (const reject of this.#open) reject(this.trap);
    this.#open.clear();
  }

  /** What `work` gives at once. */
  now(work) {
    if (this.trap) throw this.trap;
    this.#inside += 1;
    try {
      return work();
    } catch (error) {
      throw this.trap ?? error;
    } finally {
      this.#inside -= 1;
    }
  }

  /** A promise of what `work` gives, which is rejected where the instance breaks down before. */
  call(work) {
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      const settled = (settle) => (value) => {
        this.#open.delete(reject);
        settle(value);
      };
      try {
        Promise.resolve(this.now(work)).then(settled(resolve), settled(reject));
      } catch (error) {
        settled(reject)(error);
      }
    });
  }
}

/** A way to the instance that runs; it starts one where none does. */
export function running(load, kernels) {
  let [starting, module] = [];
  return async function ready() {
    const mine = (starting ??= Instance.start((engine) => (module ? engine.load({ module_or_path: module }) : load(engine)), kernels));
    let instance;
    try {
      instance = await mine;
    } catch (error) {
      // A failed start (for one, no network) is tried again by the next call.
      if (starting === mine) starting = undefined;
      throw new MemfoldError('unsupported', `the engine could not be loaded: ${error?.message ?? error}`, { cause: error });
    }
    if (!instance.trap) return instance;
    if (starting === mine) [starting, module] = [undefined, instance.engine.module()];
    return ready();
  };
}

/** One memory over whatever instance runs. `again` opens it on a fresh one; without it, it ends with its instance. */
export class Held {
  #now;
  #again;
  #opening;
  #closed = false;

  constructor(now, again) {
    this.#now = now;
    this.#again = again;
  }

  get scan() {
    return this.#now.instance.scan;
  }

  /** Calls a method of the engine. */
  call(name, args) {
    return this.#with(({ instance, engine }) => instance.call(() => engine[name](...args)));
  }

  /** Begins an import, which ends with the instance that it began on. */
  intake(...args) {
    return this.#with(async ({ instance, engine }) => {
      const intake = instance.now(() => engine.intake(...args));
      return {
        push: (bytes) => instance.call(() => intake.push(bytes)),
        finish: () => instance.call(() => intake.finish()),
        report: () => instance.now(() => intake.report()),
        estimate: () => instance.now(() => intake.estimate()),
      };
    });
  }

  async close() {
    if (!this.#now.instance.trap) await this.call('close', []);
    this.#closed = true;
  }

  #with(work) {
    const { trap } = this.#now.instance;
    if (!trap) return work(this.#now);
    if (this.#closed) return Promise.reject(new MemfoldError('closed', 'the memory was closed'));
    if (!this.#again) return Promise.reject(trap);
    const opened = (now) => {
      this.#now = now;
    };
    this.#opening ??= this.#again().then(opened).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening.then(() => this.#with(work));
  }
}
