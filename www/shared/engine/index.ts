// The engine, in the demo's worker or in the extension's service worker. Changes arrive through
// `memories.subscribe`, and live queries repeat after them.
import type { Change, Memories, Stop } from 'memfold';
import type { Hears } from '../types';
import { Live } from 'memfold/live';
import { EngineError } from './error';
import { remote, type Call, type Remote } from './remote';

let send: Call = () => Promise.reject(new EngineError({ code: 'closed', message: 'no engine is connected', retryable: false }));

/** Sets the connection to the engine. */
export const connect = (call: Call): void => void (send = call);

const listeners = new Set<Hears>();

/** Passes on changes that the engine has reported. */
export function emitChanges(changes: Change[]): void {
  for (const hears of [...listeners]) hears(changes);
}

function subscribe(hears: Hears): Stop {
  listeners.add(hears);
  return () => void listeners.delete(hears);
}

/** Most calls are messages to the engine; live queries and listeners run here. */
export type Engine = Omit<Remote<Memories>, 'live' | 'subscribe'> & Pick<Memories, 'live' | 'subscribe'>;

const asked = remote<Memories>((path, args) => send(path, args));
const here: Partial<Memories> = { subscribe, live: new Live({ search: asked.search, list: asked.list, subscribe }) };

export const engine = new Proxy(asked, {
  get: (of, name) => here[name as keyof typeof here] ?? of[name as keyof typeof of],
}) as unknown as Engine;
