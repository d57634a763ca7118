import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { released } from '../../.ci/weights.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  // Allows any endpoint; before-paint.js narrows it to the owner's when the page loads.
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types memfold-worker',
].join('; ');

/**
 * @type {import('vite').Plugin}: adds the policy to the built page; the development server needs
 * inline styles and sockets.
 */
const contentSecurityPolicy = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: () => [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy }, injectTo: 'head-prepend' }],
  },
};

export default defineConfig({
  root: at('.'),
  base: './',
  plugins: [contentSecurityPolicy],
  resolve: {
    alias: {
      'memfold/chrome': at('../../pkg/chrome.js'),
      'memfold/encoder': at('../../pkg/encoder.js'),
      'memfold/live': at('../../pkg/live.js'),
      memfold: at('../../pkg/index.js'),
      'memfold-encoder/head': at('../../pkg-encoder/head.js'),
      'memfold-encoder': at('../../pkg-encoder/index.js'),
    },
  },
  // Known before anything is downloaded.
  define: { ENCODER_BYTES: Object.values(released()).reduce((sum, { bytes }) => sum + bytes, 0) },
  assetsInclude: ['**/*.mbox'],
  worker: { format: 'es' },
  build: { target: 'es2022', outDir: at('./dist'), emptyOutDir: true, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { fs: { allow: [at('../..')] } },
});
