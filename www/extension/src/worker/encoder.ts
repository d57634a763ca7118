// The encoder as the engine's embedder. It forwards calls to the offscreen document.
import type { Embedder } from 'memfold';
import type { LoadedEncoder, Pair } from 'memfold/encoder';
import { unbase64 } from './keep';
import { place } from './offscreen';

declare const ENCODER_MODEL: string;

export type ToEncoder = { encoder: { texts: string[]; kind?: 'query' | 'document' } | { pairs: readonly Pair[] } };
/** Lists of `f32` as base64, because messages are JSON. */
export type FromEncoder = { lists: string[] } | { code: string };

const FAULT = 'encoderFault';

/** The last error code; undefined once the encoder works again. */
export const lastFault = async (): Promise<string | undefined> => ((await chrome.storage.session.get(FAULT)) as { [FAULT]?: string })[FAULT];

async function ask(encoder: ToEncoder['encoder']): Promise<Float32Array[]> {
  await place().catch(() => undefined);
  const answer = (await chrome.runtime.sendMessage({ encoder } satisfies ToEncoder).catch(() => undefined)) as FromEncoder | undefined;
  if (!answer || 'code' in answer) {
    const code = answer?.code ?? 'connection_lost';
    await chrome.storage.session.set({ [FAULT]: code });
    throw Object.assign(new Error('the encoder did not answer'), { code });
  }
  await chrome.storage.session.remove(FAULT);
  return answer.lists.map((list) => new Float32Array(unbase64(list).buffer));
}

/** The embedder. The first call loads the files. */
export function embedder(): Embedder {
  const judge: LoadedEncoder['judge'] = async (pairs) => (await ask({ pairs }))[0] ?? new Float32Array();
  const vectors: Embedder = {
    model: ENCODER_MODEL,
    dimensions: 384,
    local: true,
    embed: (texts, { kind }) => ask({ texts, kind }),
  };
  return Object.defineProperty(vectors, 'judge', { value: judge });
}
