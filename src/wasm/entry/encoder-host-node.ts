// The worker script of `memfold/encoder` for Node's worker threads.
import { createReadStream } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { serve } from './encoder-serving.js';
import { MemfoldError } from './error.js';

/** Streams a file from disk. */
async function* read(address: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(address.startsWith('file:') ? new URL(address) : address, { highWaterMark: 256 * 1024 });
  } catch (error) {
    throw new MemfoldError('invalid_field', `the file ${address} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const receive = serve(
  (message) => parentPort!.postMessage(message),
  async (address) => read(address),
);
parentPort!.on('message', receive);
