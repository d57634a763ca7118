// Mails that crash the object or the engine: attempts are counted in advance, and after three the mail is quarantined.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { open } from '../../pkg/node.js';
import { imported } from '../typescript.mjs';
import { ask, bundled, remove, start, temporary, tokenOf } from './workerd.mjs';

const { messagesOf } = await imported('www/worker/src/mbox.ts');

const TYPE = { 'content-type': 'message/rfc822' };
const WORD = 'poisoned-word';
const FROM = 'From kim@corp.example Mon Jan 12 09:00:00 2026\r\n';
const mail = (id, text) =>
  `From: Kim <kim@corp.example>\r\nTo: alice@in.example\r\nSubject: ${id}\r\nMessage-ID: <${id}@corp.example>\r\nDate: Mon, 12 Jan 2026 09:00:00 +0900\r\n\r\n${text}\r\n`;
const BAD = mail('bad', `The budget of the ${WORD} project is 9,000 USD.`);
const TEXTS = [
  'The invoice for the lamps is due on 3 March 2026.',
  'The dentist is on 9 April at 10:30 on Pine Street.',
  'Please send the contract of Corran Bay by 20 January.',
  'The choir rehearses in the Garden Hall on Thursday at 7 pm.',
];
const good = (n) => mail(`good${n}`, TEXTS[n]);

let bundle;
before(async () => {
  bundle = await bundled();
});
after(() => remove(bundle));

async function over(t, given) {
  const state = given ?? temporary('postroom');
  const worker = await start(bundle, { state, bindings: { MAILBOXES: { 'alice@in.example': 'alice' } } });
  t.after(() => worker.stop().catch(() => {}));
  if (!given) t.after(() => remove(state));
  return {
    ...worker,
    call: (...rest) => ask(worker.url, tokenOf('alice'), ...rest),
    script: (set) => worker.reach('script', '', '', JSON.stringify(set)),
    send: (raw) => worker.reach('mail', 'alice', 'alice@in.example', raw).catch((error) => error.message),
    rows: () => worker.reach('sql', 'alice', 'SELECT state, tries, code FROM mail ORDER BY state').catch(() => []),
  };
}
const until = async (what, wanted) => {
  for (let n = 0; ; n += 1) {
    const found = await what();
    if (wanted(found)) return found;
    assert.ok(n < 300, JSON.stringify(found));
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};
const tried = (worker, n) => until(worker.rows, (rows) => rows.some((row) => row.tries === n));
const contents = async (call) => (await call('GET', '/v1/memories'))[1].map((m) => m.content).sort();
/** Kills the workerd that this process started. */
function killed() {
  const lines = execFileSync('ps', ['-o', 'pid=,comm=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  for (const [pid, name] of lines.map((line) => line.trim().split(/\s+/))) if (name === 'workerd') process.kill(Number(pid), 'SIGKILL');
}

test('a_mail_that_stops_the_object_three_times_is_quarantined_and_others_are_read', async (t) => {
  const worker = await over(t);
  const { call } = worker;
  await worker.script({ hangs: WORD });
  let under = worker.send(BAD);
  await tried(worker, 1);
  await worker.reach('restart', 'alice');
  // The sending server is asked to retry, but the mail is stored already.
  assert.notEqual(await under, 'taken');
  assert.equal(await worker.send(good(0)), 'taken');
  assert.equal((await contents(call)).length, 1);
  assert.ok((await worker.reach('due', 'alice')) < Date.now() + 61_000, 'somebody comes back for it');
  for (const n of [2, 3]) {
    under = n === 2 ? worker.reach('alarm', 'alice').catch(() => 'restarted') : worker.send(BAD);
    await tried(worker, n);
    await worker.reach('restart', 'alice');
    assert.notEqual(await under, 'done');
    assert.equal(await worker.send(good(n)), 'taken');
  }
  assert.deepEqual((await call('GET', '/v1/mail/aside'))[1], []);
  assert.equal(await worker.reach('alarm', 'alice'), 'done');
  const [status, [aside, ...more]] = await call('GET', '/v1/mail/aside');
  assert.deepEqual([status, aside.tries, aside.code, aside.account, aside.bytes, more], [200, 3, 'stopped', 'alice@in.example', BAD.length, []]);
  assert.equal((await contents(call)).length, 3);
  assert.equal((await call('GET', `/v1/mail/aside/${aside.id}`))[1], BAD);
  assert.ok(worker.said.join('').includes('"event":"mail_aside"'));
  // A redelivery is accepted but not read.
  assert.equal(await worker.send(BAD), 'taken');

  await worker.script({ hangs: null });
  const [, report] = await call('POST', `/v1/mail/aside/${aside.id}/retry`);
  assert.deepEqual([report.mails, report.drafts, report.failed], [1, 1, []]);
  assert.deepEqual([(await call('GET', '/v1/mail/aside'))[1], await worker.rows()], [[], []]);
  assert.ok((await contents(call)).some((c) => c.includes(WORD)));
  assert.deepEqual((await call('GET', '/v1/check'))[1].problems, []);
});

test('attempts_are_counted_on_disk_first_and_the_rest_of_a_mailbox_is_read_once', async (t) => {
  const mbox = [0, 1, 2, 3]
    .map(good)
    .toSpliced(2, 0, BAD)
    .map((m) => `${FROM}${m}\r\n`)
    .join('');
  const state = temporary('killed');
  t.after(() => remove(state));
  for (let n = 1; n <= 3; n += 1) {
    const worker = await over(t, state);
    assert.deepEqual((await worker.rows()).map((row) => row.tries).filter((tries) => tries === n - 1).length, n === 1 ? 0 : n === 2 ? 5 : 1);
    // The engine never yields, so only data already on disk survives.
    await worker.script({ spins: WORD });
    const under = worker.call('POST', '/v1/mail', mbox, TYPE).then(
      () => 'answered',
      () => 'cut off',
    );
    await until(
      () =>
        fetch(`${worker.url}/health`, { signal: AbortSignal.timeout(500) }).then(
          () => 'answers',
          () => 'busy',
        ),
      (state) => state === 'busy',
    );
    killed();
    assert.equal(await under, 'cut off');
    await worker.stop().catch(() => {});
  }
  const worker = await over(t, state);
  await worker.script({ spins: WORD });
  const [status, report] = await worker.call('POST', '/v1/mail', mbox, TYPE);
  assert.deepEqual([status, report.mails, report.drafts], [200, 5, 4], JSON.stringify(report));
  const [{ index, start, end, code, aside }, ...more] = report.failed;
  assert.deepEqual([index, code, mbox.slice(start, end), more], [2, 'set_aside', `${FROM}${BAD}\r\n`, []]);
  assert.equal((await contents(worker.call)).length, 4);
  const keys = (await worker.call('GET', '/v1/log'))[1].map((e) => e.key);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal((await worker.call('GET', `/v1/mail/aside/${aside}`))[1], `${FROM}${BAD}\r\n`);
  assert.deepEqual(
    (await worker.rows()).map((row) => row.state),
    ['aside'],
  );
});

test('a_mail_that_traps_the_engine_is_quarantined_at_once_and_stays_dropped', async (t) => {
  const worker = await over(t);
  const { call } = worker;
  await worker.script({ traps: WORD });
  const [status, report] = await call('POST', '/v1/mail', [BAD, good(0), good(1)].map((m) => `${FROM}${m}\r\n`).join(''), TYPE);
  assert.deepEqual([status, report.mails, report.drafts, report.failed.map((f) => [f.index, f.code])], [200, 3, 2, [[0, 'set_aside']]]);
  assert.equal(await worker.send(BAD), 'taken');
  const [, aside] = await call('GET', '/v1/mail/aside');
  assert.deepEqual(
    aside.map((a) => [a.tries, a.account, a.code === 'stopped']),
    [
      [3, 'alice@in.example', false],
      [3, undefined, false],
    ],
  );
  // A retry fails again.
  assert.equal((await call('POST', `/v1/mail/aside/${aside[0].id}/retry`))[1].failed[0].aside, aside[0].id);
  assert.deepEqual(await call('DELETE', `/v1/mail/aside/${aside[0].id}`).then(([s, b]) => [s, b]), [200, { dropped: aside[0].id }]);
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/retry'],
  ])
    assert.equal((await call(method, `/v1/mail/aside/${aside[0].id}${path}`))[0], 404);
  await worker.script({ traps: null });
  assert.equal(await worker.send(BAD), 'taken');
  assert.ok(!(await contents(call)).some((c) => c.includes(WORD)), 'its owner has dropped it');
  assert.equal((await call('GET', '/v1/mail/aside'))[1].length, 1);
  assert.equal(await worker.send(good(2)), 'taken');
  assert.equal((await contents(call)).length, 3);
});

test('a_mail_that_never_finishes_times_out_and_later_ones_are_read', async (t) => {
  const worker = await over(t);
  await worker.script({ hangs: WORD, impatient: true });
  const [, report] = await worker.call('POST', '/v1/mail', [BAD, good(0)].map((m) => `${FROM}${m}\r\n`).join(''), TYPE);
  assert.deepEqual([report.drafts, report.failed.map((f) => f.code)], [1, ['set_aside']]);
  assert.deepEqual(
    (await worker.call('GET', '/v1/mail/aside'))[1].map((a) => a.code),
    ['timeout'],
  );
});

test('failures_unrelated_to_a_mail_are_not_counted_and_the_mail_waits', async (t) => {
  const worker = await over(t);
  await worker.call('GET', '/v1/memories');
  await worker.reach(
    'sql',
    'alice',
    "CREATE TRIGGER full BEFORE INSERT ON memfold_log BEGIN SELECT RAISE(ABORT, 'database or disk is full: SQLITE_FULL'); END",
  );
  for (let n = 0; n < 5; n += 1) {
    assert.equal(await worker.send(good(n % 2)), 'taken');
    assert.equal((await worker.call('POST', '/v1/mail', good(3), TYPE))[0], 507);
  }
  assert.deepEqual(
    (await worker.rows()).map(({ state, tries }) => [state, tries]),
    [
      ['waiting', 0],
      ['waiting', 0],
    ],
  );
  assert.ok((await worker.reach('due', 'alice')) < Date.now() + 61_000);
  await worker.reach('sql', 'alice', 'DROP TRIGGER full');
  assert.equal(await worker.reach('alarm', 'alice'), 'done');
  assert.deepEqual([(await contents(worker.call)).length, await worker.rows()], [2, []]);
});

test('a_mail_with_thousands_of_nested_parts_does_not_block_others', async (t) => {
  const worker = await over(t);
  const head = mail('nested', '').split('\r\n\r\n')[0];
  const nested = `${head}\r\n${'Content-Type: message/rfc822\r\n\r\nFrom: a@b.example\r\nSubject: x\r\n'.repeat(4_000)}Content-Type: text/plain\r\n\r\nhi\r\n`;
  // If the engine does not survive the mail, the object is restarted like on the platform.
  for (let n = 0; n < 4; n += 1) {
    const under = worker.send(nested);
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 4_000).unref());
    if ((await Promise.race([under, late])) === 'taken') break;
    await worker.reach('restart', 'alice');
    await under;
  }
  assert.equal(await worker.send(nested), 'taken');
  assert.equal(await worker.send(good(0)), 'taken');
  assert.equal((await contents(worker.call)).filter((c) => c.includes('lamps')).length, 1);
});

test('the_worker_splits_a_mailbox_like_the_engine', async () => {
  const text = (bytes) => Buffer.from(bytes).toString('latin1');
  const bom = '\ufeff';
  const lines = [
    FROM,
    `\n${FROM}`,
    `\r\n${FROM}`,
    'From 1@xxx Tue Mar 04 00:20:13 +0000 2025\n',
    'From here on 10:30 in 2026\r\n',
    'From Mon to Fri in Jan 09:00 2026\r\n',
    '>From a Mon Jan 12 09:00:00 2026\r\n',
    'From x Mon Jan 12 2026\r\n',
    ' From kim Mon Jan 12 09:00:00 2026\r\n',
    '\r\n',
    '\n',
    '\u000b\n',
    ' \n',
    `${good(0)}\r\n`,
    `${good(1)}\r\n`,
    'Subject: x\r\n',
    'The audit is on 3 February 2026.\r\n',
    bom,
  ];
  let state = 5;
  const any = (below) => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % below;
  const boxes = Array.from({ length: 150 }, () => Array.from({ length: 1 + any(20) }, () => lines[any(lines.length)]).join(''));
  boxes.push(readFileSync(new URL('../inbox/sample.mbox', import.meta.url), 'latin1'), '', '\r\n', good(0), FROM);
  let cut = 0;
  for (const box of boxes) {
    const bytes = Buffer.from(box, box.includes(bom) ? 'utf8' : 'latin1');
    const pieces = messagesOf(bytes);
    if (pieces.length > 0) assert.equal(pieces.map((p) => text(p.bytes)).join(''), text(bytes));
    const memories = await open({ storage: 'memory' });
    const whole = await memories.importMail(bytes, { dryRun: true });
    let [mails, drafts] = [0, 0];
    for (const piece of pieces) {
      const part = await memories.importMail(piece.bytes, { dryRun: true });
      [mails, drafts] = [mails + part.mails, drafts + part.drafts];
    }
    assert.equal(mails, whole.mails, JSON.stringify(box.slice(0, 500)));
    // Beside the other mails, a minor sentence may change a memory.
    assert.ok(drafts <= whole.drafts, JSON.stringify(box.slice(0, 500)));
    cut += pieces.length;
    await memories.close();
  }
  assert.ok(cut > 1.5 * boxes.length, `${cut} pieces`);
});
