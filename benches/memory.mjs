// Part of `make bench`: peak memory while a generated mailbox (200 MB; MEMFOLD_MAILBOX_MB) is streamed into a memory.
import { existsSync, readFileSync } from 'node:fs';
import { bytes } from './instance.js';
import { stream } from './mailbox.mjs';

const total = Number(process.env.MEMFOLD_MAILBOX_MB ?? 200) * 1e6;
const mb = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
const { open } = await import('../pkg/node.js');
const memories = await open({ storage: 'memory', owner: ['me@b.example'] });

const before = process.memoryUsage.rss();
let peak = before;
const start = performance.now();
const report = await memories.importMail(stream(total), {
  onProgress: () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  },
});
const seconds = (performance.now() - start) / 1000;

// The system counts more finely than a sample after each chunk.
const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
const most = Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? 0) * 1024 || peak;
console.log(
  `${mb(report.next.bytes)} streamed: ${report.mails} mails, ${report.drafts} memories, ${report.failed.length} failed, ${seconds.toFixed(0)} s (${(report.mails / seconds).toFixed(0)} mails/s)`,
);
console.log(`peak memory of the process ${mb(most)} (${mb(before)} before), of the WebAssembly instance ${mb(bytes())}`);
if (report.failed.length > 0) process.exitCode = 1;
await memories.close();
