// `memfold/encoder` for Cloudflare Workers: in the isolate itself, with weights out of R2 or the assets.
import wasm from './encoder_bg.wasm';
import { face, type EncoderFace } from './encoder-face.js';
import { here } from './encoder-running.js';

export const encoder: EncoderFace = face(async () => here(wasm));

export { MemfoldError } from './error.js';
