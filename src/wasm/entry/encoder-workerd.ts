// `memfold/encoder` for Cloudflare Workers: runs in the isolate, with weights from R2 or static assets.
import wasm from './encoder_bg.wasm';
import { createEncoderApi, type EncoderFace } from './encoder-face.js';
import { runInThread } from './encoder-running.js';

export const encoder: EncoderFace = createEncoderApi(async () => runInThread(wasm));

export { MemfoldError } from './error.js';
