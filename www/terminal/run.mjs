// `make run`: the sample inbox in the terminal, then the demo page.
import { existsSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as memfold from '../../pkg/node.js';
import { ASKING, serve } from '../serve.mjs';
import { consolidateInbox } from './inbox.mjs';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const port = Number(process.env.PORT ?? 4173);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`PORT is ${process.env.PORT}, which is not a port`);
  process.exit(2);
}

const { me, asOf } = JSON.parse(readFileSync(at('tests/inbox/sample.expect.json'), 'utf8'));
const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(asOf);
const zone = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
const memories = await consolidateInbox(memfold, readFileSync(at('tests/inbox/sample.mbox')), { owner: [me], zone });
await memories.close();

const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: at('www'), stdio: ['ignore', 2, 2] });
if (status !== 0 || !existsSync(at('www/demo/dist/index.html'))) {
  console.error('the demo page could not be built');
  process.exit(1);
}
const { url } = await serve(at('www/demo/dist'), { port, pagePolicy: ASKING });
console.log(`\nThe demo is at ${url}/  (Ctrl+C ends it)`);
