// The page's connection to the engine, which runs in a worker.
import { connect } from '../../../shared/engine';
import { port, type Port } from '../../../shared/engine/port';
import { remote, type Call } from '../../../shared/engine/remote';
import type { Thread } from './worker';
import workerUrl from './worker.ts?worker&url';

let running: Port | undefined;

/** The only script URL that Trusted Types allow: this page's worker. */
function scriptAddress(url: string): string {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } }).trustedTypes;
  return types ? types.createPolicy('memfold-worker', { createScriptURL: (u: string) => u }).createScriptURL(url) : url;
}

function started(): Port {
  const worker = new Worker(scriptAddress(workerUrl), { type: 'module', name: 'memfold' });
  const end = port(worker);
  worker.onerror = (event) => {
    event.preventDefault();
    end.fail({ code: 'engine_stopped', message: event.message || 'the worker did not start', retryable: true });
  };
  return end;
}

const call: Call = (path, args) => (running ??= started()).call(path, args);

/** The worker's own functions. */
export const thread = remote<Thread>(call);
connect((path, args) => call(['memories', ...path], args));
