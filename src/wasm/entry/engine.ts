// The running engine: one instance of the wasm file for all memories, and a fresh one after a trap (a panic, an exhausted
// stack or memory). It knows no method of the engine.
import { MemfoldError } from './error.js';
import type { Engine, Intake as Import } from './generated.js';
import bindings, { type Bindings } from './memfold.js';
import type { Changes } from './changes.js';
import type { Durability, Place } from './place.js';
import { Troubles, type Whom } from './troubles.js';
import type { Estimate, IngestReport, MailReceipt } from './types.js';

/** Gives the wasm file to the bindings of an instance. */
export type Load = (engine: Bindings) => unknown;

/** The smallest module with an instruction of SIMD. */
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

/** Why the wasm file could not be loaded, and what helps. */
function unloaded(error: unknown): MemfoldError {
  if (!WebAssembly.validate(SIMD)) return new MemfoldError('unsupported', 'this host has no SIMD in WebAssembly, which the engine needs', { cause: error });
  const said = String((error as Error | undefined)?.message ?? error);
  const policy = /content security policy|unsafe-eval/i.test(said);
  const help = policy ? "this page's content security policy has to allow it: script-src 'wasm-unsafe-eval'" : "where a bundler does not carry memfold_bg.wasm, import 'memfold/inline', or name the file: open({ wasm }); a content security policy has to let it be fetched: connect-src 'self'";
  return new MemfoldError('unsupported', `the engine could not be loaded: ${said} (${help})`, { cause: error });
}

type Promised = { [V in keyof Engine]: Engine[V] extends (...args: any[]) => Promise<unknown> ? V : never }[keyof Engine];
/** The methods of the engine that give a promise. */
export type Verbs = Pick<Engine, Promised>;

/** An engine, and the instance that it runs on. */
export type Opened = { instance: Instance; engine: Engine };

/** How far an import has come. */
export interface Taken {
  receipts: MailReceipt[];
  report: IngestReport;
}

/** An import of mail under way. */
export interface Intake {
  push(bytes: Uint8Array): Promise<Taken>;
  finish(): Promise<Taken>;
  estimate(): Promise<Estimate>;
}

/** One memory, wherever its engine runs. */
export interface Running {
  readonly durability: Durability;
  readonly changes: Pick<Changes, 'subscribe'>;
  /** Fires when it is closed: what waits for its caller waits no longer. */
  readonly closing: AbortSignal;
  /** Calls a method of the engine. */
  call<V extends Promised>(name: V, args: Parameters<Engine[V]>): ReturnType<Engine[V]>;
  /** Begins an import. */
  intake(...args: Parameters<Engine['intake']>): Promise<Intake>;
  /** Empties the memory. */
  clear(): Promise<void>;
  /** Closes the memory and deletes it. */
  destroy(): Promise<void>;
  close(): Promise<void>;
}

/** What is used of what an instance exports. */
type Exports = { __wbindgen_externrefs?: WebAssembly.Table };
type Run = (...args: any[]) => unknown;

const attempt = (work: () => void) => {
  try {
    work();
  } catch {
    // It was over already.
  }
};

/** One instance. After a trap nothing of it runs any more: whatever it was in the middle of, it cannot be relied on. */
export class Instance {
  /** Why it is down, once it is. */
  trap: MemfoldError | undefined;
  engine!: Bindings;
  #exports: Exports | undefined;
  /** How to reject each call that is under way: nobody else would, once it is down. */
  #open = new Set<(reason: MemfoldError) => void>();
  /** Calls from out here, and calls of any kind, that are on the stack. */
  #inside = 0;
  #depth = 0;

  /** Starts one: `load` gives the wasm file to its bindings, and gives back what it exports. */
  static async start(load: Load): Promise<Instance> {
    const made = new Instance();
    made.engine = bindings({ exports: (raw) => made.#watched(raw), imports: (raw) => made.#heard(raw) });
    made.#exports = (await load(made.engine)) as Exports;
    return made;
  }

  /** What the host calls: the first exception that leaves it is its end. */
  #watched(raw: WebAssembly.Exports): WebAssembly.Exports {
    const watch = (run: Run): Run => (...args) => {
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
    return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, typeof value === 'function' ? watch(value as Run) : value]));
  }

  /** What it calls of the host: where a callback in between was its end, it does not go on. */
  #heard(raw: WebAssembly.Imports): WebAssembly.Imports {
    const hear = (run: Run): Run => (...args) => {
      const value = run(...args);
      if (this.trap) throw this.trap;
      return value;
    };
    const each = (functions: WebAssembly.ModuleImports): WebAssembly.ModuleImports =>
      Object.fromEntries(Object.entries(functions).map(([name, value]) => [name, typeof value === 'function' ? hear(value as Run) : value]));
    return Object.fromEntries(Object.entries(raw).map(([from, functions]) => [from, each(functions)]));
  }

  #fall(cause: unknown): void {
    if (this.trap) return;
    this.trap = new MemfoldError('trapped', `the engine broke down: ${(cause as Error | undefined)?.message ?? cause}`, { cause });
    // What it was writing must not be committed by half, and its connections must not block the next instance.
    const { IDBTransaction, IDBDatabase } = globalThis;
    const held = this.#exports?.__wbindgen_externrefs;
    for (let at = 0; IDBTransaction && at < (held?.length ?? 0); at++) {
      const value: unknown = held!.get(at);
      if (value instanceof IDBTransaction) attempt(() => value.abort());
      if (value instanceof IDBDatabase) attempt(() => value.close());
    }
    for (const reject of this.#open) reject(this.trap);
    this.#open.clear();
  }

  /** What `work` gives at once. */
  now<T>(work: () => T): T {
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
  call<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#open.add(reject);
      const settled = <V>(settle: (value: V) => void) => (value: V) => {
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
export interface Ready {
  (): Promise<Instance>;
  /** The one that runs, if any does. */
  loaded(): Instance | undefined;
  /** Names the wasm file, before it is loaded. */
  use(source: unknown): void;
}

export function running(load: Load): Ready {
  let now: Instance | undefined;
  let starting: Promise<Instance> | undefined;
  let module: WebAssembly.Module | undefined;
  let named: unknown;
  const begin: Load = (engine) => {
    const source = module ?? named;
    return source === undefined ? load(engine) : engine.load({ module_or_path: source as WebAssembly.Module });
  };
  async function ready(): Promise<Instance> {
    const mine = (starting ??= Instance.start(begin));
    let instance: Instance;
    try {
      instance = await mine;
    } catch (error) {
      // A failed start (for one, no network) is tried again by the next call.
      if (starting === mine) starting = undefined;
      throw unloaded(error);
    }
    if (!instance.trap) return (now = instance);
    if (starting === mine) {
      starting = undefined;
      module = instance.engine.module();
    }
    return ready();
  }
  const use = (source: unknown) => {
    if (!starting) named = source;
  };
  return Object.assign(ready, { loaded: () => (now?.trap ? undefined : now), use });
}

/** The number of the last commit; 0 where there is none. */
export async function lastCommit(memory: Pick<Running, 'call'>): Promise<number> {
  const [[last]] = await memory.call('log', [{ newestFirst: true, limit: 1 }]);
  return last?.seq ?? 0;
}

/** Calls under way: whoever closes lets them end first. */
export class Underway {
  readonly #calls = new Set<Promise<unknown>>();

  /** One more. */
  add<T>(call: Promise<T>): Promise<T> {
    const over = call.then(() => undefined, () => undefined).finally(() => this.#calls.delete(over));
    this.#calls.add(over);
    return call;
  }

  /** Whatever is under way has ended, and what it has begun. */
  async over(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls);
  }
}

/**
 * The error of a memory that is closed.
 * @internal
 */
export const closedError = () => new MemfoldError('closed', 'the memory was closed');

/** One memory over whatever instance runs, in its place. `begin` opens it; where it does not last, it ends with its instance. */
export class Held implements Running {
  #now: Opened;
  readonly #begin: () => Promise<Opened>;
  readonly #place: Place;
  readonly changes: Changes;
  readonly troubles: Troubles;
  #opening: Promise<void> | undefined;
  readonly #ends = new AbortController();
  readonly #underway = new Underway();
  #ending: Promise<void> | undefined;

  constructor(now: Opened, begin: () => Promise<Opened>, place: Place, changes: Changes, whom: Whom) {
    this.#now = now;
    this.#begin = begin;
    this.#place = place;
    this.changes = changes;
    this.troubles = new Troubles({ sent: (limit) => this.#run('sent', [limit]), log: (query) => this.#run('log', [query]) }, whom);
  }

  get durability(): Durability {
    return this.#place.durability;
  }

  get closing(): AbortSignal {
    return this.#ends.signal;
  }

  call<V extends Promised>(name: V, args: Parameters<Engine[V]>): ReturnType<Engine[V]> {
    return this.#begun(() => this.troubles.watch(name, this.#run(name, args))) as ReturnType<Engine[V]>;
  }

  /** The same of one that is being closed, too. */
  #run<V extends Promised>(name: V, args: Parameters<Engine[V]>): ReturnType<Engine[V]> {
    const run = (engine: Engine) => (engine[name] as (...args: unknown[]) => ReturnType<Engine[V]>)(...args);
    return this.#with(({ instance, engine }) => instance.call(() => run(engine)).catch(this.#lost)) as ReturnType<Engine[V]>;
  }

  /** Throws what a call has thrown. A database without a single table is not broken: another connection has deleted it. */
  #lost = (error: unknown): never => {
    let gone = false;
    if ((error as MemfoldError | undefined)?.code === 'corrupt') attempt(() => void (gone = this.#place.gone?.() ?? false));
    throw gone ? new MemfoldError('connection_lost', 'another connection has deleted this memory; open it again', { retryable: true, cause: error }) : error;
  };

  /** A call, unless it comes too late; a close waits for it. */
  #begun<T>(work: () => Promise<T>): Promise<T> {
    return this.#ending ? Promise.reject(closedError()) : this.#underway.add(work());
  }

  /** It ends with the instance that it began on. */
  intake(...args: Parameters<Engine['intake']>): Promise<Intake> {
    return this.#begun(() => this.#with(async ({ instance, engine }): Promise<Intake> => {
      const intake: Import = instance.now(() => engine.intake(...args));
      const taken = (receipts: MailReceipt[]): Taken => ({ receipts, report: instance.now(() => intake.report()) });
      return {
        push: (bytes) => this.#begun(() => this.troubles.watch('intake', instance.call(() => intake.push(bytes)).then(taken, this.#lost))),
        finish: () => this.#begun(() => this.troubles.watch('intake', instance.call(() => intake.finish()).then(taken, this.#lost))),
        estimate: async () => instance.now(() => intake.estimate()),
      };
    }));
  }

  clear(): Promise<void> {
    return this.#begun(async () => {
      // One that has broken down, or lost its store, says so.
      await this.#run('log', [{ newestFirst: true, limit: 1 }]);
      if (this.#place.wipe) await this.#place.wipe();
      else this.#now = await this.#begin();
      await this.caughtUp();
      this.changes.cleared();
    });
  }

  /** Sees what others have written, and that they have emptied the store. */
  caughtUp(): Promise<unknown> {
    return this.#run('list', [{ order: 'newest', limit: 0 }]);
  }

  /** Begins again over the same store: an engine that holds another log than what stands there does not see it by the number. */
  async anew(): Promise<void> {
    this.#now = await this.#begin();
  }

  async destroy(): Promise<void> {
    if (this.#ending) throw closedError();
    await (this.#ending = this.#end(() => this.changes.cleared()));
    await this.#place.remove();
  }

  close(): Promise<void> {
    return (this.#ending ??= this.#end().then(() => this.#place.close()));
  }

  /** What is under way ends first; whatever comes after it comes too late. */
  async #end(last?: () => void): Promise<void> {
    this.#ends.abort();
    await this.#underway.over();
    last?.();
    await this.troubles.close();
    if (!this.#now.instance.trap) await this.#run('close', []);
    this.changes.close();
  }

  #with<T>(work: (now: Opened) => Promise<T>): Promise<T> {
    const { trap } = this.#now.instance;
    if (!trap) return work(this.#now);
    // What was in this process alone is gone with the instance: opened anew it would be empty, and nobody would know.
    if (this.#place.durability.store === 'memory') return Promise.reject(trap);
    const opened = (now: Opened) => {
      this.#now = now;
    };
    this.#opening ??= this.#begin().then(opened).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening.then(() => this.#with(work));
  }
}
