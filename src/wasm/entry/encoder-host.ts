// `memfold/encoder-host`: the worker script of `memfold/encoder` in browsers.
import { serve } from './encoder-serving.js';
import type { Message } from './port.js';

const scope = globalThis as unknown as { postMessage(message: Message): void; onmessage: ((event: MessageEvent<Message>) => void) | null };
const receive = serve((message) => scope.postMessage(message));
scope.onmessage = ({ data }) => receive(data);
