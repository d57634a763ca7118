// Calls between two threads, as the page and the engine make them. No browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../pkg/node.js';
import { imported } from '../typescript.mjs';

const { port } = await imported('www/shared/engine/port.ts');
const { asked, remote } = await imported('www/shared/engine/remote.ts');

/** An object on the other side of a channel, as it is asked from this one. */
function across(t, target) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => (port1.close(), port2.close()));
  port(port2, target);
  const end = port(port1);
  return { there: remote(end.call), end };
}

test('a memory is asked by its own verbs and those of its parts, with what is told on the way', async (t) => {
  const memories = await open({ storage: 'memory', policy: 'fast' });
  const { there } = across(t, { memories });
  const [receipts, progress] = [[], []];
  const mail =
    'From: kim@a.example\r\nTo: me@b.example\r\nMessage-ID: <m1@a.example>\r\nSubject: Kick-off\r\nDate: Mon, 12 Jan 2026 09:00:00 +0900\r\n\r\nThe kick-off meeting is on 22 January at 2 pm.\r\n';
  const report = await there.memories.importMail(new Blob([mail]), { onReceipt: (r) => receipts.push(r.subject), onProgress: (p) => progress.push(p.mails) });
  assert.deepEqual([report.mails, receipts, progress.at(-1)], [1, ['Kick-off'], 1]);
  assert.equal((await there.memories.log.list()).length, (await memories.log.list()).length);
  assert.equal((await there.memories.data.verify()).problems.length, 0);
});

test('an error keeps its code, its field and whether it may be tried again', async (t) => {
  const memories = await open({ storage: 'memory' });
  const { there, end } = across(t, { memories, busy: () => Promise.reject(Object.assign(new Error('busy'), { code: 'conflict', retryable: true })) });
  await assert.rejects(there.memories.add({ content: 'x', importance: 2 }), { code: 'invalid_field', field: 'importance', retryable: false });
  await assert.rejects(there.busy(), { code: 'conflict', message: 'busy', retryable: true });
  const never = there.memories.list();
  end.fail({ code: 'engine_stopped', message: 'gone', retryable: true });
  await assert.rejects(never, { code: 'engine_stopped', retryable: true });
});

test('a signal stops the call over there, before it begins and in its midst', async (t) => {
  const { there } = across(t, {
    wait: ({ signal }) =>
      new Promise((_, reject) => {
        const gone = () => reject(Object.assign(new Error('gone'), { code: 'aborted' }));
        if (signal.aborted) gone();
        else signal.addEventListener('abort', gone);
      }),
  });
  await assert.rejects(there.wait({ signal: AbortSignal.timeout(20) }), { code: 'aborted' });
  await assert.rejects(there.wait({ signal: AbortSignal.abort() }), { code: 'aborted' });
});

test('a function is asked from over there, keeps what it is called, and its refusal crosses', async (t) => {
  let analyst;
  const { there } = across(t, { open: (options) => void ({ analyst } = options.model) });
  const answer = Object.assign(
    (question, { signal }) => {
      if (question === 'no') throw Object.assign(new Error('no'), { refusal: 'unreachable' });
      if (question === 'wait') return new Promise((resolve) => signal.addEventListener('abort', () => resolve('gave up')));
      return `${question}!`;
    },
    { model: 'mine', origin: 'https://a.example' },
  );
  await there.open({ model: { analyst: answer } });
  const { signal } = new AbortController();
  assert.deepEqual([analyst.model, analyst.origin, await analyst('yes', { signal })], ['mine', 'https://a.example', 'yes!']);
  assert.equal(await analyst('wait', { signal: AbortSignal.timeout(20) }), 'gave up');
  await assert.rejects(analyst('no', { signal }), { refusal: 'unreachable' });
});

test('nothing but the methods of what is there can be asked, and it is no promise itself', async () => {
  class Part {
    list = () => 'list';
    get broken() {
      return 7;
    }
    named() {
      return this instanceof Part;
    }
  }
  const target = { part: new Part(), plain: {} };
  assert.deepEqual([asked(target, ['part', 'list'], []), asked(target, ['part', 'named'], [])], ['list', true]);
  const paths = [
    [],
    ['part'],
    ['part', 'constructor'],
    ['part', 'broken'],
    ['part', 'toString'],
    ['part', 'list', 'call'],
    ['plain', 'toString'],
    ['plain', 'hasOwnProperty'],
    ['__proto__', 'toString'],
    ['constructor', 'keys'],
    ['nobody'],
  ];
  for (const path of paths) assert.throws(() => asked(target, path, []), { code: 'invalid_input' }, path.join('.'));
  assert.equal(remote(() => assert.fail('called')).then, undefined);
});
