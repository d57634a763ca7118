// `memfold/worker-host`: the worker script of `memfold/worker`.
import { made } from './browser.js';
import { unique } from './changes.js';
import type { Message } from './port.js';
import { Serving } from './serving.js';

/** Messages to the worker, in addition to calls. */
type Said = Message | { lead: string } | { hello: string } | { bye: true };
type Wire = { postMessage(message: unknown): void; onmessage: ((event: MessageEvent<Said>) => void) | null };
type Heard = { to: string; from: string; message: Message } | { seek: true };

const serving = new Serving(made.run);

/** Calls `work` once the holder of a lock is gone. */
const after = (lock: string, work: () => void): void => void navigator.locks?.request(lock, async () => work());

/** Serves the page at the other end of a message port. */
function serve(wire: Wire): void {
  const { receive, leave } = serving.serve((message) => wire.postMessage(message));
  wire.onmessage = ({ data }) => {
    if ('lead' in data) return lead(data.lead);
    if ('hello' in data) return after(data.hello, leave);
    if ('bye' in data) return leave();
    receive(data);
  };
}

/** Serves every tab with this database open. */
function lead(name: string): void {
  const own = unique();
  const bus = new BroadcastChannel(`memfold/engine/${name}`);
  const pages = new Map<string, ReturnType<Serving['serve']>>();
  bus.onmessage = ({ data }: MessageEvent<Heard>) => {
    if ('seek' in data) return bus.postMessage({ leads: own });
    if (!('to' in data) || data.to !== own) return;
    const { from } = data;
    let page = pages.get(from);
    if (!page) {
      pages.set(from, (page = serving.serve((message) => bus.postMessage({ to: from, from: own, message }))));
      after(`memfold/page/${from}`, () => {
        pages.get(from)?.leave();
        pages.delete(from);
      });
    }
    page.receive(data.message);
  };
  bus.postMessage({ leads: own });
}

const scope = globalThis as unknown as { onconnect?: ((event: MessageEvent) => void) | null } & Wire;
if ('onconnect' in scope) scope.onconnect = ({ ports }) => serve(ports[0]!);
else serve(scope);
