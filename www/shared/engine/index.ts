// The engine, wherever it runs: in the demo's own thread, or in the extension's service worker. What it has written is told to this
// page as `memories.subscribe` tells it, and `live` asks again after it.
import type { Change, Hears, Memories, Stop } from 'memfold';
import { Live } from 'memfold/live';
import { EngineError } from './error';
import { remote, type Call, type Remote } from './remote';

let carry: Call = () => Promise.reject(new EngineError({ code: 'closed', message: 'no engine is named', retryable: false }));

/** Names the way to the engine, before anything is asked. */
export const connect = (call: Call): void => void (carry = call);

const hearers = new Set<Hears>();

/** Passes on what the engine has told, wherever it runs. */
export function hear(changes: Change[]): void {
  for (const hears of [...hearers]) hears(changes);
}

function subscribe(hears: Hears): Stop {
  hearers.add(hears);
  return () => void hearers.delete(hears);
}

/** What is asked is a message to the engine; who follows what it writes is called here. */
export type Engine = Omit<Remote<Memories>, 'live' | 'subscribe'> & Pick<Memories, 'live' | 'subscribe'>;

const asked = remote<Memories>((path, args) => carry(path, args));
const here: Partial<Memories> = { subscribe, live: new Live({ search: asked.search, list: asked.list, subscribe }) };

export const engine = new Proxy(asked, {
  get: (of, name) => here[name as keyof typeof here] ?? of[name as keyof typeof of],
}) as unknown as Engine;
