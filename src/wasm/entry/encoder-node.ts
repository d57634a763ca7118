// `memfold/encoder` for Node, Bun and Deno: runs in a worker thread, by default with the installed package
// `memfold-encoder`.
import { Worker } from 'node:worker_threads';
import { createEncoderApi, type EncoderFace } from './encoder-face.js';
import { runOverPort } from './encoder-running.js';
import type { WeightsSource } from './encoder-source.js';
import { MemfoldError } from './error.js';
import { Port } from './port.js';

const PACKAGE = 'memfold-encoder';

async function installed(): Promise<WeightsSource> {
  try {
    return ((await import(PACKAGE)) as { default: URL }).default;
  } catch (error) {
    throw new MemfoldError('invalid_field', `\`source\` is missing, and the package ${PACKAGE} is not installed`, { field: 'source', cause: error });
  }
}

export const encoder: EncoderFace = createEncoderApi(async (_, lost) => {
  const worker = new Worker(new URL('./encoder-host-node.js', import.meta.url));
  const port = new Port((message) => worker.postMessage(message));
  const { running, end } = runOverPort(port, () => void worker.terminate(), lost);
  worker.on('message', (message) => port.receive(message));
  worker.on('error', (error) =>
    end(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new MemfoldError('out_of_memory', 'the encoder does not fit into the memory of its worker', { cause: error })
        : new MemfoldError('connection_lost', `the encoder's worker was lost: ${error.message}`, { retryable: true, cause: error }),
    ),
  );
  worker.on('exit', () => end(new MemfoldError('connection_lost', "the encoder's worker has ended", { retryable: true })));
  let waiting = 0;
  // Keeps the process alive only while a call is running.
  const awaited = async <T>(work: Promise<T>): Promise<T> => {
    if ((waiting += 1) === 1) worker.ref();
    try {
      return await work;
    } finally {
      if ((waiting -= 1) === 0) worker.unref();
    }
  };
  return {
    ...running,
    load: (...given) => awaited(running.load(...given)),
    embed: (...given) => awaited(running.embed(...given)),
    judge: (...given) => awaited(running.judge(...given)),
  };
}, installed);

export { MemfoldError } from './error.js';
