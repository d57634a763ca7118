// `memfold/encoder` for browsers: sentence embedding on the device, in a worker.
import { createEncoderApi, type EncoderFace } from './encoder-face.js';
import { runInThread, runOverPort } from './encoder-running.js';
import { inflated } from './encoder-serving.js';
import { MemfoldError } from './error.js';
import { Port, type Message } from './port.js';

const made = (): Worker => new Worker(new URL('./encoder-host.js', import.meta.url), { type: 'module', name: 'memfold encoder' });

/**
 * Loads multilingual-e5-small for Korean and English: semantic vectors for `open({ embedder })` and, with a head, pair
 * classification. It runs in a worker; where the host has none (an extension's service worker), in this thread.
 */
export const encoder: EncoderFace = createEncoderApi(async (make, lost) => {
  if (make === false || typeof Worker !== 'function') return runInThread(await inflated());
  const worker = (make ?? made)() as Worker;
  const port = new Port((message) => worker.postMessage(message));
  const { running, end } = runOverPort(port, () => worker.terminate(), lost);
  let runs = false;
  worker.onmessage = ({ data }: MessageEvent<Message>) => {
    runs = true;
    port.receive(data);
  };
  worker.onerror = (event) => {
    // The error is reported below; otherwise it would also reach the page's global error handler.
    event.preventDefault();
    const why = event.message || 'its script was not found';
    if (runs) end(new MemfoldError('connection_lost', `the encoder's worker was lost: ${why}`, { retryable: true }));
    else
      end(
        new MemfoldError(
          'unsupported',
          `the encoder's worker could not be started: ${why} (if the bundler leaves it out, create it: encoder({ worker: () => new Worker(…) }))`,
        ),
      );
  };
  return running;
});

export type { EncoderFace, EncoderOptions, LoadedEncoder, Pair, StoredWeights, WeightsSource } from './encoder-face.js';
export { MemfoldError } from './error.js';
