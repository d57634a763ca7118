// Runs the encoder in a worker of this document, for the service worker. The first call loads it;
// it stops after a while without calls.
import { encoder, type LoadedEncoder } from 'memfold/encoder';
import type { FromEncoder, ToEncoder } from '../worker/encoder';
import { base64 } from '../worker/keep';

/** Milliseconds without a call until the encoder is stopped. */
const REST = 300_000;

let loading: Promise<LoadedEncoder> | undefined;
let resting: ReturnType<typeof setTimeout> | undefined;

// Trusted Types: only the extension's own scripts may run in workers.
(globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): object } }).trustedTypes?.createPolicy('default', {
  createScriptURL: (url: string) => (new URL(url, location.href).origin === location.origin ? url : null),
});

function loaded(): Promise<LoadedEncoder> {
  clearTimeout(resting);
  resting = setTimeout(() => {
    void loading?.then((was) => was.close()).catch(() => undefined);
    loading = undefined;
  }, REST);
  loading ??= encoder({ source: chrome.runtime.getURL('encoder.bin'), head: chrome.runtime.getURL('head.bin.gz') }).catch((reason) => {
    loading = undefined;
    throw reason;
  });
  return loading;
}

async function answer(asked: ToEncoder['encoder']): Promise<Float32Array[]> {
  const now = await loaded();
  return 'pairs' in asked ? [await now.judge(asked.pairs)] : now.embed(asked.texts, asked);
}

const packed = (list: Float32Array): string => base64(new Uint8Array(list.buffer, list.byteOffset, list.byteLength));

/** Answers only the service worker. */
export function answerEncoder(): void {
  chrome.runtime.onMessage.addListener((message: Partial<ToEncoder>, sender, reply: (answer: FromEncoder) => void) => {
    if (message.encoder === undefined || sender.id !== chrome.runtime.id || sender.tab || sender.url !== chrome.runtime.getURL('worker.js')) return false;
    void answer(message.encoder).then(
      (lists) => reply({ lists: lists.map(packed) }),
      (reason) => reply({ code: String(reason?.code ?? 'failed') }),
    );
    return true;
  });
}
