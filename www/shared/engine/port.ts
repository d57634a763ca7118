// Calls between two threads. Options may contain functions and a signal: `on…` functions are
// one-way callbacks, other functions return a result, and a signal aborts the call.
import { EngineError, faultOf, type Fault } from './error';
import { asked, type Call } from './remote';

/** Milliseconds to collect callbacks, so that a fast run does not flood the other thread. */
const COLLECT_MS = 80;
const HEARS = /^on[A-Z]/;

type Done = { done: number; value: unknown } | { done: number; fault: Fault };
type Message =
  | { call: number; path: readonly string[] | number; args: unknown[] }
  | { stop: number }
  | { heard: [call: number, name: string, args: unknown[]][] }
  | Done;

/** The placeholder of a function or a signal. */
type Placeholder = { $hears: string } | { $asks: number; with: object } | { $signal: true };
type Asked = (...args: unknown[]) => unknown;
type PendingCall = { resolve(value: unknown): void; reject(reason: Error): void; hears: Map<string, Asked> };

/** The connection to the other thread. */
export interface Wire {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

export interface Port {
  call: Call;
  /** Rejects all calls, because the other side is gone. */
  fail(fault: Fault): void;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** One end of a connection; `target` is what the other end may call. */
export function port(wire: Wire, target: object = {}): Port {
  let last = 0;
  const waiting = new Map<number, PendingCall>();
  const running = new Map<number, AbortController>();
  /** Functions that the other end may call. */
  const callbacks = new Map<number, Asked>();
  let queued: [number, string, unknown[]][] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const say = (message: Message): void => wire.postMessage(message);

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (queued.length > 0) say({ heard: queued });
    queued = [];
  }

  function call(path: readonly string[] | number, args: unknown[]): Promise<unknown> {
    const id = ++last;
    const hears = new Map<string, Asked>();
    let signal: AbortSignal | undefined;
    const crossing = (name: string, value: unknown): unknown => {
      if (value instanceof AbortSignal) {
        signal = value;
        return { $signal: true } satisfies Placeholder;
      }
      if (isPlain(value)) return Object.fromEntries(Object.entries(value).map(([of, inner]) => [of, crossing(of, inner)]));
      if (typeof value !== 'function') return value;
      if (HEARS.test(name)) {
        hears.set(name, value as Asked);
        return { $hears: name } satisfies Placeholder;
      }
      const $asks = ++last;
      callbacks.set($asks, value as Asked);
      return { $asks, with: { ...value } } satisfies Placeholder;
    };
    const given = args.map((arg) => (isPlain(arg) ? crossing('', arg) : arg));
    const stop = (): void => say({ stop: id });
    const answer = new Promise<unknown>((resolve, reject) => {
      waiting.set(id, { resolve, reject, hears });
      say({ call: id, path, args: given });
    });
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    return answer.finally(() => signal?.removeEventListener('abort', stop));
  }

  /** Replaces a placeholder by a function or a signal. */
  function arrived(id: number, value: unknown, signal: AbortSignal): unknown {
    if (!isPlain(value)) return value;
    const stand = value as Partial<{ $hears: string; $asks: number; with: object; $signal: true }>;
    if (stand.$signal) return signal;
    if (stand.$asks !== undefined) {
      const { $asks } = stand;
      return Object.assign((...args: unknown[]) => call($asks, args), stand.with);
    }
    if (stand.$hears === undefined) return Object.fromEntries(Object.entries(value).map(([of, inner]) => [of, arrived(id, inner, signal)]));
    const name = stand.$hears;
    return (...args: unknown[]): void => {
      queued.push([id, name, args]);
      timer ??= setTimeout(flush, COLLECT_MS);
    };
  }

  async function run(id: number, path: readonly string[] | number, args: unknown[]): Promise<void> {
    const stop = new AbortController();
    running.set(id, stop);
    let end: Done;
    try {
      const given = args.map((arg) => arrived(id, arg, stop.signal));
      end = { done: id, value: await (typeof path === 'number' ? callbacks.get(path)?.(...given) : asked(target, path, given)) };
    } catch (reason) {
      end = { done: id, fault: faultOf(reason) };
    }
    running.delete(id);
    flush();
    say(end);
  }

  wire.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('call' in data) return void run(data.call, data.path, data.args);
    if ('stop' in data) return running.get(data.stop)?.abort();
    if ('heard' in data) {
      for (const [id, name, args] of data.heard) waiting.get(id)?.hears.get(name)?.(...args);
      return;
    }
    const call = waiting.get(data.done);
    waiting.delete(data.done);
    if ('fault' in data) call?.reject(new EngineError(data.fault));
    else call?.resolve(data.value);
  };

  return {
    call,
    fail(fault) {
      for (const { reject } of waiting.values()) reject(new EngineError(fault));
      waiting.clear();
    },
  };
}
