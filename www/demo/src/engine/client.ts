// The page's side of the engine: every verb returns a promise, and the page's thread never computes.
import workerUrl from './worker.ts?worker&url';
import type { Question } from 'memfold';
import { EngineError } from './error';
import type { Engine, Event, FromEngine, ToEngine, Verb } from './protocol';

/** Answers what the engine asks a model; a rejection may have a `refusal`, a code for the log. */
type Answer = (question: Question, signal: AbortSignal) => Promise<unknown>;
let answers: Answer | undefined;
export const answerWith = (answer: Answer): void => void (answers = answer);

const questions = new Map<number, AbortController>();

async function answered(id: number, question: Question): Promise<void> {
  const gone = new AbortController();
  questions.set(id, gone);
  try {
    running().postMessage({ answered: id, reply: await answers?.(question, gone.signal) } satisfies ToEngine);
  } catch (reason) {
    running().postMessage({ answered: id, refusal: String((reason as { refusal?: unknown })?.refusal) } satisfies ToEngine);
  } finally {
    questions.delete(id);
  }
}

type Call = { resolve(value: unknown): void; reject(reason: Error): void; onEvent?: ((event: Event) => void) | undefined };
type Options = { signal?: AbortSignal; onEvent?: (event: Event) => void };

const calls = new Map<number, Call>();
let worker: Worker | undefined;
let last = 0;

/** The one script address that Trusted Types let through: this page's own worker. */
function scriptAddress(url: string): string {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } })
    .trustedTypes;
  return types ? types.createPolicy('memfold-worker', { createScriptURL: (u: string) => u }).createScriptURL(url) : url;
}

function running(): Worker {
  if (worker) return worker;
  worker = new Worker(scriptAddress(workerUrl), { type: 'module', name: 'memfold' });
  worker.onmessage = ({ data }: MessageEvent<FromEngine>) => {
    if ('asked' in data) return void answered(data.question, data.asked);
    if ('gone' in data) return questions.get(data.question)?.abort();
    const call = calls.get(data.id);
    if (!call) return;
    if ('event' in data) return call.onEvent?.(data.event);
    calls.delete(data.id);
    if ('fault' in data) call.reject(new EngineError(data.fault));
    else call.resolve(data.value);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    const fault = new EngineError({ code: 'engine_stopped', message: event.message || 'the worker did not start', retryable: true });
    for (const call of calls.values()) call.reject(fault);
    calls.clear();
  };
  return worker;
}

/** Calls one verb of the engine. */
export function ask<V extends Verb>(verb: V, args: Parameters<Engine[V]>, { signal, onEvent }: Options = {}) {
  const id = ++last;
  const abort = () => running().postMessage({ abort: id } satisfies ToEngine);
  return new Promise<ReturnType<Engine[V]>>((resolve, reject) => {
    calls.set(id, { resolve: resolve as Call['resolve'], reject, onEvent });
    signal?.addEventListener('abort', abort, { once: true });
    running().postMessage({ id, verb, args } satisfies ToEngine);
  }).finally(() => signal?.removeEventListener('abort', abort));
}
