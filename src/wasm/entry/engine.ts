// Runs the engine: one wasm instance for all memories, replaced after a trap (a panic, or an exhausted stack or
// memory). Independent of the engine's methods.
import { MemfoldError } from './error.js';
import type { Engine, Intake as Import } from './generated.js';
import bindings, { type Bindings } from './memfold.js';
import type { Changes } from './changes.js';
import type { Durability, Place } from './place.js';
import { Troubles, type ConfiguredModels } from './troubles.js';
import type { Estimate, MailImportReport, MailReceipt } from './types.js';

/** Loads the wasm file into an instance's bindings. */
export type Load = (engine: Bindings) => unknown;

/** The smallest module with a SIMD instruction. */
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

/** The error for a wasm file that failed to load, with advice. */
function loadError(error: unknown): MemfoldError {
  if (!WebAssembly.validate(SIMD)) return new MemfoldError('unsupported', 'this host has no SIMD in WebAssembly, which the engine needs', { cause: error });
  const said = String((error as Error | undefined)?.message ?? error);
  const policy = /content security policy|unsafe-eval/i.test(said);
  const help = policy
    ? "this page's content security policy has to allow it: script-src 'wasm-unsafe-eval'"
    : "copy memfold_bg.wasm beside the script, or pass it: import wasm from 'memfold/memfold_bg.wasm', then preload({ wasm }); a content security policy has to let it be fetched: connect-src 'self'";
  return new MemfoldError('unsupported', `the engine could not be loaded: ${said} (${help})`, { cause: error });
}

type Promised = { [V in keyof Engine]: Engine[V] extends (...args: any[]) => Promise<unknown> ? V : never }[keyof Engine];
/** The engine's methods that return a promise. */
export type Verbs = Pick<Engine, Promised>;

/** An engine with its instance. */
export type Opened = { instance: Instance; engine: Engine };

/** The progress of an import. */
export interface ImportProgress {
  receipts: MailReceipt[];
  report: MailImportReport;
}

/** A running import of mail. */
export interface Intake {
  push(bytes: Uint8Array): Promise<ImportProgress>;
  finish(): Promise<ImportProgress>;
  estimate(): Promise<Estimate>;
}

/** One opened memory, whether its engine runs here or in a worker. */
export interface Running {
  readonly durability: Durability;
  readonly changes: Pick<Changes, 'subscribe'>;
  /** Fires when the memory closes, to end calls that wait. */
  readonly closing: AbortSignal;
  /** Calls an engine method. */
  call<V extends Promised>(name: V, args: Parameters<Engine[V]>): ReturnType<Engine[V]>;
  /** Starts an import. */
  intake(...args: Parameters<Engine['intake']>): Promise<Intake>;
  /** Empties the memory. */
  clear(): Promise<void>;
  /** Closes the memory and deletes it. */
  destroy(): Promise<void>;
  close(): Promise<void>;
}

type Run = (...args: any[]) => unknown;

const ignoreErrors = (work: () => void) => {
  try {
    work();
  } catch {
    // It has ended already.
  }
};

/** One wasm instance. It is never used again after a trap, since its state may be inconsistent. */
export class Instance {
  /** The trap that ended it. */
  trap: MemfoldError | undefined;
  engine!: Bindings;
  /** The reject functions of running calls, which would never settle after a trap. */
  #rejectors = new Set<(reason: MemfoldError) => void>();
  /** Nested calls on the stack: from `now`, and of any export. */
  #outerCalls = 0;
  #depth = 0;

  /** Starts an instance; `load` returns its exports. */
  static async start(load: Load): Promise<Instance> {
    const made = new Instance();
    made.engine = bindings({ exports: (raw) => made.#wrapExports(raw), imports: (raw) => made.#wrapImports(raw) });
    await load(made.engine);
    return made;
  }

  /** Wraps the exports: an exception from one ends the instance. */
  #wrapExports(raw: WebAssembly.Exports): WebAssembly.Exports {
    const watch =
      (run: Run): Run =>
      (...args) => {
        // A late timer, request or promise of the ended instance.
        if (this.trap) return [];
        this.#depth += 1;
        try {
          return run(...args);
        } catch (error) {
          this.#handleTrap(error);
          // The caller has been informed already; here it would be an unhandled error of the host.
          if (this.#outerCalls === 0 && this.#depth === 1) return [];
          throw error;
        } finally {
          this.#depth -= 1;
        }
      };
    return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, typeof value === 'function' ? watch(value as Run) : value]));
  }

  /** Wraps the imports: stops the instance if it trapped in a nested callback. */
  #wrapImports(raw: WebAssembly.Imports): WebAssembly.Imports {
    const hear =
      (run: Run): Run =>
      (...args) => {
        const value = run(...args);
        if (this.trap) throw this.trap;
        return value;
      };
    const each = (functions: WebAssembly.ModuleImports): WebAssembly.ModuleImports =>
      Object.fromEntries(Object.entries(functions).map(([name, value]) => [name, typeof value === 'function' ? hear(value as Run) : value]));
    return Object.fromEntries(Object.entries(raw).map(([from, functions]) => [from, each(functions)]));
  }

  #handleTrap(cause: unknown): void {
    if (this.trap) return;
    this.trap = new MemfoldError('trapped', `the engine crashed: ${(cause as Error | undefined)?.message ?? cause}`, { cause });
    for (const reject of this.#rejectors) reject(this.trap);
    this.#rejectors.clear();
  }

  /** Runs `work` synchronously. */
  now<T>(work: () => T): T {
    if (this.trap) throw this.trap;
    this.#outerCalls += 1;
    try {
      return work();
    } catch (error) {
      throw this.trap ?? error;
    } finally {
      this.#outerCalls -= 1;
    }
  }

  /** Runs `work` as a promise, which is rejected if the instance traps first. */
  call<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#rejectors.add(reject);
      const settled =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          this.#rejectors.delete(reject);
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

/** Returns the running instance, and starts one if there is none. */
export interface Ready {
  (): Promise<Instance>;
  /** The running instance, if any. */
  loaded(): Instance | undefined;
  /** Sets the source of the wasm file, before it is loaded. */
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
      // The next call retries a failed start, such as one without a network.
      if (starting === mine) starting = undefined;
      throw loadError(error);
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

/** The number of the last commit; 0 if there is none. */
export async function lastCommit(memory: Pick<Running, 'call'>): Promise<number> {
  const [[last]] = await memory.call('log', [{ newestFirst: true, limit: 1 }]);
  return last?.seq ?? 0;
}

/** Tracks running calls, so that closing can wait for them. */
export class RunningCalls {
  readonly #calls = new Set<Promise<unknown>>();

  add<T>(call: Promise<T>): Promise<T> {
    const over = call
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#calls.delete(over));
    this.#calls.add(over);
    return call;
  }

  /** Waits for all running calls, and for those that they start. */
  async over(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls);
  }
}

/**
 * The error for a closed memory.
 * @internal
 */
export const closedError = () => new MemfoldError('closed', 'the memory was closed');

/** An opened memory in this process. After a trap, `begin` reopens it on a new instance; an in-memory store is lost. */
export class LocalMemory implements Running {
  #now: Opened;
  readonly #begin: () => Promise<Opened>;
  readonly #place: Place;
  readonly changes: Changes;
  readonly troubles: Troubles;
  #opening: Promise<void> | undefined;
  readonly #ends = new AbortController();
  readonly #underway = new RunningCalls();
  #ending: Promise<void> | undefined;

  constructor(now: Opened, begin: () => Promise<Opened>, place: Place, changes: Changes, whom: ConfiguredModels) {
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
    return this.#track(() => this.troubles.watch(name, this.#run(name, args) as Promise<unknown>)) as ReturnType<Engine[V]>;
  }

  /** Like `call`, but also allowed while closing. */
  #run<V extends Promised>(name: V, args: Parameters<Engine[V]>): ReturnType<Engine[V]> {
    const run = (engine: Engine) => (engine[name] as (...args: unknown[]) => Promise<unknown>)(...args);
    return this.#with(({ instance, engine }) => instance.call(() => run(engine)).catch(this.#rethrow)) as ReturnType<Engine[V]>;
  }

  /** Rethrows an error. A corrupt database without any table was deleted by another connection, which gets its own error. */
  #rethrow = (error: unknown): never => {
    let gone = false;
    if ((error as MemfoldError | undefined)?.code === 'corrupt') ignoreErrors(() => void (gone = this.#place.gone?.() ?? false));
    throw gone ? new MemfoldError('connection_lost', 'another connection has deleted this memory; open it again', { retryable: true, cause: error }) : error;
  };

  /** Starts a call unless the memory is closing; closing waits for it. */
  #track<T>(work: () => Promise<T>): Promise<T> {
    return this.#ending ? Promise.reject(closedError()) : this.#underway.add(work());
  }

  /** The import ends with the instance that it started on. */
  intake(...args: Parameters<Engine['intake']>): Promise<Intake> {
    return this.#track(() =>
      this.#with(async ({ instance, engine }): Promise<Intake> => {
        const intake: Import = instance.now(() => engine.intake(...args));
        const taken = (receipts: MailReceipt[]): ImportProgress => ({ receipts, report: instance.now(() => intake.report()) });
        return {
          push: (bytes) => this.#track(() => this.troubles.watch('intake', instance.call(() => intake.push(bytes)).then(taken, this.#rethrow))),
          finish: () => this.#track(() => this.troubles.watch('intake', instance.call(() => intake.finish()).then(taken, this.#rethrow))),
          estimate: async () => instance.now(() => intake.estimate()),
        };
      }),
    );
  }

  clear(): Promise<void> {
    return this.#track(async () => {
      // Fails early if the instance trapped or the store is lost.
      await this.#run('log', [{ newestFirst: true, limit: 1 }]);
      if (this.#place.wipe) await this.#place.wipe();
      else this.#now = await this.#begin();
      await this.caughtUp();
      this.changes.cleared();
    });
  }

  /** Makes the engine read what others have written, including an emptied store. */
  caughtUp(): Promise<unknown> {
    return this.#run('list', [{ order: 'newest', limit: 0 }]);
  }

  /** Reopens the engine after the log was replaced, which it cannot detect by the commit number. */
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

  /** Rejects new calls and waits for running ones, then closes the engine. */
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
    // In-memory data is lost with the instance. Reopening would silently return an empty memory.
    if (this.#place.durability.store === 'memory') return Promise.reject(trap);
    const opened = (now: Opened) => {
      this.#now = now;
    };
    this.#opening ??= this.#begin()
      .then(opened)
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening.then(() => this.#with(work));
  }
}
