// The encoder that the package brings, with its head, for `--encoder`. `node .ci/build.mjs` lays both files in pkg-encoder.
import { readFile } from 'node:fs/promises';
import { Unusable } from './input.mjs';

const file = (name) =>
  readFile(new URL(`../../pkg-encoder/${name}`, import.meta.url)).catch((e) => {
    throw new Unusable(`--encoder: ${e.message}`);
  });

/** What `make` gives of each item, in order; what was made once is kept. */
async function each(kept, keys, make) {
  const missing = [...keys.keys()].filter((n) => !kept.has(keys[n]) && keys.indexOf(keys[n]) === n);
  const made = missing.length === 0 ? [] : await make(missing);
  missing.forEach((n, i) => kept.set(keys[n], made[i]));
  return keys.map((key) => kept.get(key));
}

/** The encoder as an embedder. Several runs over one mailbox ask the same: each text and pair is looked at once. */
export function remembering({ model, dimensions, embed, judge }) {
  const [vectors, judgements] = [new Map(), new Map()];
  return {
    model,
    dimensions,
    embed: (texts, { kind }) =>
      each(
        vectors,
        texts.map((text) => `${kind} ${text}`),
        (missing) =>
          embed(
            missing.map((n) => texts[n]),
            { kind },
          ),
      ),
    async judge(pairs) {
      const four = (logs, n) => [...logs.slice(4 * n, 4 * n + 4)];
      const ask = async (missing) => {
        const logs = await judge(missing.map((n) => pairs[n]));
        return missing.map((_, i) => four(logs, i));
      };
      return (
        await each(
          judgements,
          pairs.map((pair) => JSON.stringify(pair)),
          ask,
        )
      ).flat();
    },
  };
}

/** The encoder with its head, out of this package. */
export async function encoderOf() {
  const { encoder } = await import('../../pkg/encoder-node.js');
  return remembering(await encoder({ source: await file('encoder.bin'), head: await file('head.bin.gz'), worker: false }));
}

/** The package, in which every memory and every comparison has this embedder. */
export const withEmbedder = (memfold, embedder) => ({
  ...memfold,
  open: (options) => memfold.open({ ...options, embedder }),
  compare: (existing, next, options) => memfold.compare(existing, next, { ...options, embedder }),
});
