// The encoder that the package brings, for `--search --embedder tests/eval/e5.mjs`. `make encoder` makes its weights.
import { encoder } from '../../pkg/encoder-node.js';
import { readFile } from 'node:fs/promises';

const loaded = await encoder({ source: await readFile(new URL('../../pkg-encoder/encoder.bin', import.meta.url)), worker: false });

export default (texts, call) => loaded.embed(texts, call);
