// The engine, wherever it runs: in the demo's own thread, or in the extension's service worker.
import type { Memories } from 'memfold';
import { EngineError } from './error';
import { remote, type Call, type Remote } from './remote';

let carry: Call = () => Promise.reject(new EngineError({ code: 'closed', message: 'no engine is named', retryable: false }));

/** Names the way to the engine, before anything is asked. */
export const connect = (call: Call): void => void (carry = call);

export const engine: Remote<Memories> = remote<Memories>((path, args) => carry(path, args));
