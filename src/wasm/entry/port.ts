// Remote calls between pages, workers and tabs. Arguments may contain functions and a signal, nested in plain objects:
// a function named `on…` is a one-way callback, any other returns a result, and a signal aborts the call.
import { MemfoldError, typed } from './error.js';
import type { Code } from './types.js';

/** An error as sent to the other side. */
interface Fault {
  code: Code;
  message: string;
  retryable: boolean;
  field?: string;
  dependents?: string[];
  /** For a model call: the refusal code. */
  refusal?: string;
}

/** The placeholder of a function or signal. */
type Placeholder = { $hears: string } | { $asks: number; with: object } | { $signal: true };
type Asked = (...args: unknown[]) => unknown;
type Done = { done: number; value: unknown } | { done: number; fault: Fault };
export type Message =
  | { call: number; verb: string | number; args: unknown[] }
  | { stop: number }
  | { heard: [call: number, name: string, args: unknown[]] }
  | Done;

const ONE_WAY = /^on[A-Z]/;
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
/** Maps functions and signals, nested in lists and plain objects; other values are unchanged. */
function mapValues(value: unknown, change: (name: string, value: unknown) => unknown, name = ''): unknown {
  const changed = change(name, value);
  if (changed !== value) return changed;
  if (Array.isArray(value)) return value.map((item) => mapValues(item, change));
  return isPlain(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapValues(item, change, key)])) : value;
}

function faultOf(reason: unknown): Fault {
  const { refusal } = (reason ?? {}) as { refusal?: unknown };
  const { code, message, retryable, field, dependents } = typed(reason);
  return {
    code,
    message,
    retryable,
    ...(field !== undefined && { field }),
    ...(dependents && { dependents }),
    ...(typeof refusal === 'string' && { refusal }),
  };
}

function errorOf({ code, message, refusal, ...more }: Fault): MemfoldError {
  return Object.assign(new MemfoldError(code, message, more), refusal === undefined ? {} : { refusal });
}

/** One end of a connection. `send` posts a message to the other end; pass its messages to `receive`. */
export class Port {
  readonly #send: (message: Message) => void;
  readonly #verbs: Record<string, Asked>;
  #last = 0;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void; hears: Map<string, Asked> }>();
  readonly #running = new Map<number, AbortController>();
  /** Functions that the other side may call. */
  readonly #callbacks = new Map<number, Asked>();

  /** `verbs` are the functions that the other end may call. */
  constructor(send: (message: Message) => void, verbs: Record<string, Asked> = {}) {
    this.#send = send;
    this.#verbs = verbs;
  }

  call(verb: string | number, args: unknown[]): Promise<unknown> {
    const id = ++this.#last;
    const hears = new Map<string, Asked>();
    const signals: AbortSignal[] = [];
    const standing = (name: string, value: unknown): unknown => {
      if (value instanceof AbortSignal) {
        signals.push(value);
        return { $signal: true } satisfies Placeholder;
      }
      if (typeof value !== 'function') return value;
      if (ONE_WAY.test(name)) {
        hears.set(name, value as Asked);
        return { $hears: name } satisfies Placeholder;
      }
      const $asks = ++this.#last;
      this.#callbacks.set($asks, value as Asked);
      return { $asks, with: { ...value } } satisfies Placeholder;
    };
    const given = args.map((arg) => mapValues(arg, standing));
    const stop = (): void => this.#send({ stop: id });
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, hears });
      this.#send({ call: id, verb, args: given });
    });
    for (const signal of signals) {
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    }
    return answer.finally(() => signals.forEach((signal) => signal.removeEventListener('abort', stop)));
  }

  /** Handles a message from the other end. */
  receive(message: Message): void {
    if ('call' in message) return void this.#run(message.call, message.verb, message.args);
    if ('stop' in message) return this.#running.get(message.stop)?.abort();
    if ('heard' in message) {
      const [id, name, args] = message.heard;
      this.#waiting.get(id)?.hears.get(name)?.(...args);
      return;
    }
    const call = this.#waiting.get(message.done);
    this.#waiting.delete(message.done);
    if ('fault' in message) call?.reject(errorOf(message.fault));
    else call?.resolve(message.value);
  }

  /** Rejects all waiting calls and aborts all running ones. */
  fail(error: MemfoldError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const stop of this.#running.values()) stop.abort();
  }

  async #run(id: number, verb: string | number, args: unknown[]): Promise<void> {
    const stop = new AbortController();
    this.#running.set(id, stop);
    const arrived = (_: string, value: unknown): unknown => {
      if (!isPlain(value)) return value;
      const stand = value as Partial<{ $hears: string; $asks: number; with: object; $signal: true }>;
      if (stand.$signal) return stop.signal;
      if (stand.$asks !== undefined) return Object.assign((...given: unknown[]) => this.call(stand.$asks!, given), stand.with);
      if (stand.$hears === undefined) return value;
      return (...heard: unknown[]): void => this.#send({ heard: [id, stand.$hears!, heard] });
    };
    let end: Done;
    try {
      const work = typeof verb === 'number' ? this.#callbacks.get(verb) : Object.hasOwn(this.#verbs, verb) ? this.#verbs[verb] : undefined;
      if (!work) throw new MemfoldError('invalid_input', `unknown method ${verb}`);
      end = { done: id, value: await work(...args.map((arg) => mapValues(arg, arrived))) };
    } catch (reason) {
      end = { done: id, fault: faultOf(reason) };
    }
    this.#running.delete(id);
    this.#send(end);
  }
}
