// `memfold/encoder` for Cloudflare Workers: runs in the isolate, with weights from R2 or static assets.
import wasm from './encoder_bg.wasm';
import { face, type EncoderFace } from './encoder-face.js';
import { here } from './encoder-running.js';

export const encoder: EncoderFace = face(async () => here(wasm));

export { MemfoldError } from './error.js';
