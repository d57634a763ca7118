// The command line: output, exit codes and the MCP tools over stdio and HTTP.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundled } from '../../www/cli/build.mjs';
import { inNode } from './formats.mjs';
import { stub } from './stub.mjs';

const www = createRequire(new URL('../../www/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(www.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

const engine = new URL('../../pkg/node.js', import.meta.url).href;
const { open } = await import(engine);
const INBOX = fileURLToPath(new URL('../inbox/sample.mbox', import.meta.url));

let dir;
let program;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'memfold-cli-'));
  writeFileSync(join(dir, 'package.json'), '{"version":"9.9.9"}');
  writeFileSync(join(dir, 'program.mjs'), (await bundled('program.mjs', engine)).code);
  program = await import(pathToFileURL(join(dir, 'program.mjs')).href);
});
after(() => rmSync(dir, { recursive: true, force: true }));

/** A simulated machine. Its file is one in-memory engine that outlives the commands. */
function machine() {
  let kept;
  const opened = [];
  const opens = async (options) => {
    opened.push(options);
    kept ??= await open({ zone: 540, ...options, storage: 'memory' });
    return Object.assign(Object.create(kept), { close: async () => {} });
  };
  const bound = async (options) => {
    const memories = await opens(options);
    return new Proxy(kept, { get: (of, name) => (name === 'close' ? memories.close : typeof of[name] === 'function' ? of[name].bind(of) : of[name]) });
  };
  const run = async (args, more = {}) => {
    const said = { out: '', err: '' };
    const to = (name) => ({ write: (text, done) => ((said[name] += text), done?.(), true) });
    const status = await program.run(['--file', join(dir, 'x.sqlite'), ...args], { open: bound, env: {}, stdout: to('out'), stderr: to('err'), ...more });
    return { status, ...said, json: () => JSON.parse(said.out) };
  };
  return { run, opened };
}

test('days_and_hours_use_the_zone_option', async () => {
  const { run, opened } = machine();
  await run(['--zone', 'Europe/London', 'add', 'The depot meeting is on 2 April 2026 at 2 pm.']);
  assert.equal(opened[0].zone, 'Europe/London');
  for (const [zone, day] of [
    ['Europe/London', '2026-04-02'],
    ['Pacific/Auckland', '2026-04-03'],
    ['-10:00', '2026-04-02'],
    ['780', '2026-04-03'],
  ]) {
    const { out } = await run(['--zone', zone, 'search', 'depot meeting']);
    assert.ok(out.includes(` ${day}`), `${zone}: ${out}`);
  }
  const wrong = await run(['--zone', 'Middle/Earth', 'search', 'depot']);
  assert.deepEqual([wrong.status, /no time zone/.test(wrong.err)], [2, true], wrong.err);
});

test('an_imported_mbox_can_be_searched_shown_exported_and_checked', async () => {
  const { run } = machine();
  const first = await run(['import', INBOX, '--owner', 'suhyun.bae@daoncold.example']);
  assert.equal(first.status, 0);
  // A slow machine prints progress lines.
  assert.match(first.err, /^(\d+ mails, \d+ statements \d+ %\n)*$/);
  const [, waits] = /mails +created +updated +linked +skipped +seen before +to review\n─.*\n +66 .* (\d+)\n$/.exec(first.out);
  assert.equal(Number(waits), (await run(['log', '-n', '500'])).out.match(/ {2}to review\n/g).length);
  const again = await run(['--json', 'import', INBOX]);
  const { mails, created, replayed } = again.json();
  assert.deepEqual([mails, created, replayed > 40], [66, 0, true]);

  const found = (await run(['--json', 'search', '의약품 콜드체인 예산', '-n', '2'])).json();
  assert.equal(found.length, 2);
  const { id, content } = found[0].memory;
  assert.ok((await run(['search', '의약품 콜드체인 예산'])).out.includes(id));
  const shown = await run(['show', id]);
  assert.ok(shown.out.startsWith(content) && /\ndecisions\n {2}\d{4}-\d\d-\d\d {2}(CREATE|LINK|UPDATE)/.test(shown.out), shown.out);
  assert.deepEqual(Object.keys((await run(['--json', 'show', id])).json()), ['memory', 'versions', 'decisions', 'related']);

  const log = (await run(['--json', 'log', '-n', '3', '--decision', 'UPDATE'])).json();
  assert.ok(log.length > 0 && log.length <= 3 && log.every((e) => e.decision === 'UPDATE'));
  assert.match((await run(['log', '-n', '1'])).out, /^\d{4}-\d\d-\d\d \d\d:\d\d {2}/);
  const whole = (await run(['export'])).out;
  assert.equal((await run(['export', join(dir, 'all.jsonl')])).status, 0);
  assert.equal(readFileSync(join(dir, 'all.jsonl'), 'utf8'), whole);
  assert.ok(whole.includes(content));
  const checked = await run(['check']);
  assert.deepEqual([checked.status, /: no problems\n$/.test(checked.out)], [0, true], checked.out);
});

test('an_export_can_be_imported_and_undone', async () => {
  const from = machine();
  await from.run(['add', 'The lease ends in May 2027']);
  const lines = (await from.run(['export'])).out;
  writeFileSync(join(dir, 'copy.jsonl'), `\ufeff${lines}`);
  for (const [args, more] of [
    [['import', join(dir, 'copy.jsonl')]],
    [['import', '-'], { stdin: Readable.from([...lines].map((letter) => Buffer.from(letter))) }],
  ]) {
    const to = machine();
    const first = await to.run(args, more);
    const [, entry] = /memories +links +log entries +known already\n─.*\n +1 +0 +1 +0\nmemfold undo (\S+) /.exec(first.out);
    assert.deepEqual([first.status, first.err, (await to.run(['export'])).out.includes('The lease ends in May 2027')], [0, '', true]);
    assert.equal((await to.run(['undo', entry])).status, 0);
    const again = await to.run(['--json', 'import', join(dir, 'copy.jsonl')]);
    assert.equal(again.status, 0);
  }
  const { status, err } = await machine().run(['--json', 'import', '--dry-run', join(dir, 'copy.jsonl')]);
  assert.deepEqual([status, JSON.parse(err).error.code], [2, 'invalid_input']);
  writeFileSync(join(dir, 'cut.jsonl'), lines.slice(0, -40));
  assert.match((await machine().run(['import', join(dir, 'cut.jsonl')])).err, /line \d+ is truncated \(invalid_input\)/);
});

test('a_note_updates_a_memory_and_undo_reverts_it', async () => {
  const { run } = machine();
  await run(['add', 'The kickoff meeting is on 22 January at 2 pm in room 3']);
  assert.match((await run(['add', 'The kickoff meeting was moved to 3 pm'])).out, /^UPDATE {2}.*3 pm/);
  const [entry] = (await run(['--json', 'log', '--limit', '1'])).json();
  assert.match((await run(['undo', entry.id])).out, /^undone: /);
  const twice = await run(['--json', 'undo', entry.id]);
  assert.deepEqual([twice.status, JSON.parse(twice.err).error.code], [2, 'already_undone']);
  assert.match((await run(['search', 'When is the kickoff?'])).out, /2 pm/);
  assert.equal((await run(['add', 'Thank you!'])).status, 0);
});

test('a_dry_run_reports_changes_and_writes_nothing', async () => {
  const { run } = machine();
  const dry = await run(['import', '--dry-run', '-'], { stdin: Readable.from([readFileSync(INBOX)]) });
  assert.equal(dry.status, 0);
  assert.match(dry.out, /\nCREATE {2}/);
  assert.deepEqual((await run(['--json', 'log'])).json(), []);
});

test('an_interrupted_import_keeps_its_progress_and_resumes', async () => {
  const { run } = machine();
  const interrupts = new PassThrough();
  const bytes = readFileSync(INBOX);
  async function* slowly() {
    yield bytes.subarray(0, 100_000);
    interrupts.emit('SIGINT');
    yield bytes.subarray(100_000);
  }
  const stopped = await run(['import', '-'], { stdin: Readable.from(slowly()), interrupts });
  assert.equal(stopped.status, 130);
  assert.match(stopped.err, /stopped after \d+ mails/);
  assert.equal(interrupts.listenerCount('SIGINT'), 0);
  const { replayed, created } = (await run(['--json', 'import', INBOX])).json();
  assert.ok(replayed > 0 && created > 0, `${replayed} ${created}`);
});

test('verbose_imports_report_each_mail_on_stderr', async () => {
  const { run } = machine();
  const { status, out, err } = await run(['--json', 'import', '-v', INBOX]);
  const lines = err
    .trim()
    .split('\n')
    .filter((text) => /^mail \d+ {2}/.test(text));
  assert.deepEqual([status, lines.length, JSON.parse(out).mails], [0, 66, 66]);
  assert.match(lines[0], /^mail 1 {2}(-|(CREATE|UPDATE|LINK|SKIP)(, (CREATE|UPDATE|LINK|SKIP))*) {2}\S/);
  const broken = await run(['import', '--verbose', '-'], { stdin: Readable.from([Buffer.from('From a@b.example Thu Feb 20 09:00:00 2025\n\n')]) });
  assert.match(broken.err, /^mail 1 {2}invalid_mail /);
  assert.equal(broken.status, 1);
});

test('context_prints_lines_for_a_prompt_within_its_tokens', async () => {
  const { run } = machine();
  await run(['add', 'The lease of the workshop ends on 3 May 2027 \u001b[31m']);
  const { out, status } = await run(['context', 'When does the lease end?']);
  assert.match(out, /^\[1\] \d{4}-\d\d-\d\d: "The lease of the workshop ends on 3 May 2027[^\u001b\n]*" \((?:happens|until) 2027-05-03\)\n$/);
  const { text, sources } = (await run(['--json', 'context', 'When does the lease end?', '--tokens', '200'])).json();
  assert.deepEqual([status, `${text}\n`, Object.keys(sources)], [0, out, ['1']]);
  const none = await run(['context', 'When does the lease end?', '--tokens', '5']);
  assert.deepEqual([none.status, none.out], [1, 'nothing was found\n']);
  assert.equal((await run(['context', 'lease', '--tokens', '0'])).status, 2);
  const empty = await run(['--json', 'context', ' ']);
  assert.deepEqual([empty.status, JSON.parse(empty.err).error.field], [2, 'question']);
});

test('each_verb_has_help_with_an_example_and_help_opens_nothing', async () => {
  const { run, opened } = machine();
  const help = (await run(['--help'])).out;
  const verbs = [...help.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, verb]) => verb).filter((verb) => verb !== 'help');
  assert.deepEqual(verbs, [
    'import',
    'reread',
    'add',
    'search',
    'context',
    'ask',
    'list',
    'show',
    'review',
    'erase',
    'log',
    'undo',
    'export',
    'check',
    'mcp',
    'serve',
  ]);
  for (const verb of verbs) {
    const { status, out, err } = await run([verb, '--help']);
    assert.deepEqual([verb, status, err], [verb, 0, '']);
    assert.match(out, new RegExp(`^Usage: memfold ${verb}[^]*\nExample: memfold ${verb}`), verb);
  }
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  assert.deepEqual([...new Set([...page.matchAll(/^\| `([a-z]+)[ `]/gm)].map(([, verb]) => verb))], verbs);
  assert.match(help, /Exit status: 0 /);
  assert.equal((await run([])).status, 2);
  assert.deepEqual(opened, []);
});

test('errors_exit_with_2_and_a_code', async () => {
  const { run, opened } = machine();
  const both = async (args, code) => {
    const [asJson, asText] = [await run(['--json', ...args]), await run(args)];
    assert.deepEqual([args, asJson.status, asText.status, asJson.out, asText.out], [args, 2, 2, '', '']);
    assert.equal(JSON.parse(asJson.err).error.code, code, `${args}`);
    assert.match(asText.err, new RegExp(`^memfold: .*\\(${code}\\)\n$`), `${args}`);
  };
  for (const args of [
    ['serch', 'x'],
    ['search'],
    ['search', 'x', '-n', '0'],
    ['log', '--decision', 'MAYBE'],
    ['add', 'x', '--endpoint', 'http://localhost:1/v1'],
    ['add', 'x', '--colour'],
    ['log', '--scope', 'alice'],
    ['log', '--scope', 'user='],
    ['review', 'x', 'maybe'],
    ['ask', 'x', '-n', '31'],
    ['serve', '--port', '70000'],
  ]) {
    await both(args, 'invalid_input');
  }
  assert.deepEqual(opened, []);
  const id = crypto.randomUUID();
  for (const [args, code] of [
    [['import', dir], 'invalid_input'],
    [['import', join(dir, 'none.mbox')], 'not_found'],
    [['show', id], 'not_found'],
    [['undo', 'x'], 'invalid_field'],
    [['list', '--from', 'soon'], 'invalid_field'],
    [['review', id], 'invalid_input'],
    [['review', id, 'accept'], 'not_found'],
    [['erase'], 'invalid_input'],
    [['erase', '--yes', id], 'not_found'],
    [['erase', '--request', 'x', '--yes'], 'invalid_input'],
    [['erase', '--request', 'x', id], 'invalid_input'],
    [['export', join(dir, 'none/x.jsonl')], 'storage'],
    [['ask', 'x'.repeat(999)], 'invalid_field'],
  ])
    await both(args, code);
  assert.deepEqual([(await run(['--version'])).out, (await run(['search', 'nothing at all'])).status, (await run(['list'])).status], ['9.9.9\n', 1, 1]);
});

test('list_filters_orders_and_pages', async () => {
  const { run } = machine();
  for (const note of ['The dentist is on 12 March 2026 at 10', 'The lease ends on 30 June 2027', 'The boiler was serviced on 3 February 2026'])
    await run(['add', note]);
  const contents = async (...args) => (await run(['--json', 'list', ...args])).json().map((memory) => memory.content.split(' ')[1]);
  assert.deepEqual(
    [await contents(), await contents('--oldest', '-n', '2')],
    [
      ['boiler', 'lease', 'dentist'],
      ['dentist', 'lease'],
    ],
  );
  assert.deepEqual([await contents('--from', '2026-03-01'), await contents('--from', '2026-03-01', '--to', '2026-04-01')], [['lease', 'dentist'], ['dentist']]);
  const [first] = (await run(['--json', 'list', '--oldest', '-n', '1'])).json();
  assert.deepEqual(await contents('--oldest', '--after', first.id), ['lease', 'boiler']);
  const { out } = await run(['list', '--to', '2026-04-01', '--from', '2026-03-01']);
  assert.match(out, /^2026-03-12 {2}The dentist is on 12 March 2026 at 10\n {12}\S+ · meeting · owner@localhost\n$/);
});

test('reread_lets_a_model_read_imported_mails_again', async () => {
  let lines;
  /** An engine that begins with what the last one has kept. */
  const kept = {
    open: async (options) => {
      const memories = await open({ ...options, storage: 'memory' });
      if (lines) await memories.data.import(lines);
      const close = memories.close.bind(memories);
      memories.close = async () => {
        lines = await memories.data.export();
        await close();
      };
      return memories;
    },
  };
  const run = (args) => machine().run(args, kept);
  const file = join(dir, 'heron.mbox');
  const fact = 'The Heron budget is 10M KRW.';
  writeFileSync(
    file,
    `From x Thu Jan  1 00:00:00 2025\nFrom: Kim <kim@a.example>\nTo: me@b.example\nSubject: Heron\nDate: Tue, 14 Jan 2025 09:00:00 +0000\nMessage-ID: <1@a.example>\n\n${fact}\n`,
  );
  const reply = { entries: [{ op: 'new', text: 'Heron: budget 10M KRW.', category: 'project', evidence: fact }] };
  const server = await stub((response) =>
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: JSON.stringify(reply) } }], usage: { total_tokens: 40 } })),
  );
  try {
    const contents = async () => (await run(['--json', 'list'])).json().map(({ content }) => content);
    await run(['import', file, '--owner', 'me@b.example']);
    assert.equal((await contents()).length, 1);
    const refused = await run(['reread', file]);
    assert.deepEqual([refused.status, /--endpoint/.test(refused.err)], [2, true], refused.err);
    const again = await run(['reread', file, '--owner', 'me@b.example', '--endpoint', server.url, '--model', 'm']);
    assert.deepEqual([again.status, /gave way/.test(again.out), await contents()], [0, true, ['Heron: budget 10M KRW.']], again.out + again.err);
  } finally {
    server.close();
  }
});

test('ask_prints_the_headline_of_the_best_source_or_the_hits', async () => {
  const note = 'The kickoff of Heron is on 22 January at 2 pm';
  let reply = { memories: ['M1'] };
  const server = await stub((response) =>
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: JSON.stringify(reply) } }], usage: { total_tokens: 40 } })),
  );
  const { run } = machine();
  const hosted = {
    open: async (options) => {
      const memories = await open({ ...options, storage: 'memory' });
      await memories.add({ content: note, subject: 'Heron' });
      return memories;
    },
  };
  const ask = (...args) => run(['ask', 'When is the kickoff of Heron?', ...args], hosted);
  const model = ['--endpoint', server.url, '--model', 'm'];
  try {
    const answered = await ask(...model);
    assert.match(answered.out, /^Heron · kickoff 22 January · 2 pm\n0\.\d\d {2}The kickoff of Heron/);
    assert.equal(answered.status, 0);
    assert.deepEqual(Object.keys((await ask(...model, '--json')).json()).sort(), ['hits', 'model', 'sources']);
    reply = { memories: [] };
    const unknown = await ask(...model);
    assert.deepEqual([unknown.status, /^no stored memory answers this; found by search:\n0\.\d\d/.test(unknown.out)], [1, true], unknown.out);
    const closed = await ask('--endpoint', 'http://127.0.0.1:1/v1', '--model', 'm');
    assert.match(closed.out, /^the model gave no usable answer \(unreachable\); found by search:\n0\.\d\d/);
    const plain = await ask();
    assert.deepEqual([plain.status, /^no model is set .*; found by search:\n0\.\d\d {2}The kickoff/.test(plain.out)], [0, true], plain.out);
  } finally {
    server.close();
  }
});

test('erase_shows_memories_first_and_erases_only_named_ids_with_yes', async () => {
  const { run } = machine();
  const id = (await run(['--json', 'add', 'The lease of the workshop ends in May 2027'])).json().receipts[0].memory.id;
  await run(['add', 'The dentist is on 12 March at 10']);
  const seen = await run(['erase', '--request', 'forget everything about the lease']);
  assert.deepEqual([seen.status, seen.out.endsWith(`nothing was erased; to erase this for good:\nmemfold erase --yes ${id}\n`)], [1, true], seen.out);
  const preview = (await run(['--json', 'erase', id])).json();
  assert.deepEqual([preview.erased, preview.memories.map((m) => m.id), (await run(['show', id])).status], [false, [id], 0]);
  // One unknown id: nothing is erased.
  assert.equal((await run(['erase', '--yes', id, crypto.randomUUID()])).status, 2);
  assert.equal((await run(['show', id])).status, 0);
  const gone = await run(['erase', '--yes', id]);
  assert.deepEqual([gone.status, gone.out], [0, 'erased for good: 1\n']);
  const lines = (await run(['export'])).out;
  assert.deepEqual([lines.includes('lease'), lines.includes('dentist'), (await run(['check'])).status], [false, true, 0]);
  assert.equal((await run(['erase', '--request', 'forget everything about the lease'])).status, 1);
});

test('review_lists_questions_and_applies_the_owners_verdict', async () => {
  const { run } = machine();
  assert.deepEqual([(await run(['review'])).out, (await run(['--json', 'review'])).json()], ['nothing to review\n', { questions: [], changes: [] }]);
  await run(['import', INBOX, '--owner', 'suhyun.bae@daoncold.example']);
  const { questions } = (await run(['--json', 'review'])).json();
  assert.ok(questions.length >= 2);
  const [one, two] = questions.map(({ entry }) => entry.id);
  const { out } = await run(['review', '-n', '1']);
  assert.ok(out.includes(`memfold review ${one} accept|reject\n`) && !out.includes(two), out);
  for (const [id, verdict] of [
    [one, 'accept'],
    [two, 'reject'],
  ])
    assert.equal((await run(['review', id, verdict])).status, 0);
  const left = (await run(['--json', 'review'])).json().questions.map(({ entry }) => entry.id);
  assert.deepEqual([left.includes(one), left.includes(two)], [false, false]);
});

test('a_model_is_used_only_if_named_and_its_key_comes_from_the_environment', async () => {
  const { run, opened } = machine();
  await run(['add', 'x', '--endpoint', 'http://localhost:1/v1', '--model', 'qwen3', '--daily-tokens', '0'], { env: { MEMFOLD_KEY: 'sk-1' } });
  assert.deepEqual(opened[0].model, { dialect: 'openai', url: 'http://localhost:1/v1', model: 'qwen3', key: 'sk-1', mask: false, dailyTokens: 0 });
  await run(['check']);
  assert.equal(opened[1].model, undefined);
});

test('no_command_prints_stored_terminal_escape_sequences', async () => {
  const { run } = machine();
  // A window title, hidden text, a bell, an eight-bit sequence and bidirectional controls.
  const evil = 'The \u001b]0;owned\u0007 boiler \u001b[8mhidden\u001b[0m is \u0007 serviced \u009b31m on 3 March \u202eyaM\u202c at 10 am\u2066.';
  const spoken = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  const note = await run(['--json', 'add', evil]);
  const { id } = note.json().receipts[0].memory;
  assert.equal(note.json().receipts[0].memory.content, evil, 'JSON says it whole');
  const mbox = `From a@b.example Thu Feb 20 09:00:00 2025\nFrom: "Eve \u001b[2J" <eve@evil.example>\nTo: me@example.org\nSubject: \u001b]0;x\u0007 boiler\nMessage-ID: <1\u001b@x.example>\nDate: Thu, 20 Feb 2025 09:00:00 +0000\n\n${evil}\n\nFrom a@b.example Thu Feb 20 09:00:00 2025\nX-Odd: \u001b[1m\n\n`;
  const outputs = [
    note,
    await run(['import', '-', '--dry-run'], { stdin: Readable.from([Buffer.from(mbox)]) }),
    await run(['import', '-'], { stdin: Readable.from([Buffer.from(mbox)]) }),
  ];
  outputs.push(await run(['import', '-v', '-', '--account', 'second'], { stdin: Readable.from([Buffer.from(mbox)]) }));
  const verbs = [
    ['search', 'boiler'],
    ['ask', 'boiler'],
    ['list'],
    ['show', id],
    ['review'],
    ['erase', id],
    ['erase', '--request', 'forget the boiler'],
    ['log'],
    ['check'],
    ['add', evil],
    ['show', evil],
    ['undo', evil],
    ['review', evil, 'accept'],
    ['list', '--from', evil],
    [evil],
    ['list', evil],
  ];
  for (const args of verbs) outputs.push(await run(args), await run(['--json', ...args]));
  assert.ok(
    outputs.some((o) => o.out.includes('boiler') && o.out.includes('\\u001b')),
    'it is shown, written out',
  );
  // A stored line break cannot add a line that looks like one of ours.
  const forged = await run(['add', 'The rent is 900 euros\nmemfold erase --yes everything']);
  for (const { out } of [forged, await run(['list']), await run(['log'])]) assert.doesNotMatch(out, /^memfold/m);
  for (const { out, err } of outputs) for (const line of `${out}\n${err}`.split('\n')) assert.doesNotMatch(line, spoken);
});

test('a_strangers_change_is_listed_with_both_values_and_can_be_confirmed_or_reverted', async () => {
  const mail = (from, date, id, text) =>
    [
      `From x Sat Feb  1 09:00:00 2025`,
      `From: ${from}`,
      'To: me@acme.example',
      'Subject: Workshop',
      `Date: ${date}`,
      `Message-ID: <${id}@mail.example>`,
      '',
      text,
      '',
      '',
    ].join('\r\n');
  const box =
    mail('ann@harbour.example', 'Sat, 01 Feb 2025 09:00:00 +0000', 1, 'The rent of the workshop is 900 euros a month.') +
    mail('eve@elsewhere.example', 'Tue, 04 Feb 2025 09:00:00 +0000', 2, 'The rent of the workshop has been raised to 950 euros a month.');
  writeFileSync(join(dir, 'rent.mbox'), box);
  for (const [word, now] of [
    ['confirm', /950/],
    ['revert', /900/],
  ]) {
    const { run } = machine();
    await run(['import', join(dir, 'rent.mbox'), '--owner', 'me@acme.example']);
    const listed = async () => (await run(['--json', 'review'])).json().changes;
    const [change] = await listed();
    assert.deepEqual([change.reportedBy, /950/.test(change.memory.content), /900/.test(change.confirmed)], [['eve@elsewhere.example'], true, true]);
    const told = await run(['review']);
    assert.match(told.out, /950 euros[^]*confirmed: .*900 euros[^]*reported by eve@elsewhere\.example/);
    assert.match((await run(['search', 'rent of the workshop'])).out, /950 euros[^]*not confirmed, reported by eve@elsewhere\.example; before: .*900 euros/);
    assert.ok(told.out.includes(`memfold review ${change.memory.id} confirm|revert\n`));
    assert.equal((await run(['review', change.memory.id, word])).status, 0);
    const { memory } = (await run(['--json', 'search', 'rent of the workshop'])).json()[0];
    assert.match(memory.content, now);
    assert.deepEqual([memory.confirmation, memory.confirmedContent, await listed()], [undefined, undefined, []]);
    assert.match((await run(['review', memory.id, word])).err, /already_settled/);
    const [entry] = (await run(['--json', 'log', '-n', '1'])).json();
    await run(['undo', entry.id]);
    assert.equal((await listed()).length, 1);
  }
});

test('an_mcp_client_can_remember_recall_and_hide_in_two_steps_over_stdio', async () => {
  writeFileSync(
    join(dir, 'serve.mjs'),
    `
    import { open } from ${JSON.stringify(engine)};
    import { run } from './program.mjs';
    process.exitCode = await run(['--file', 'x.sqlite', 'mcp'], { open: (options) => open({ ...options, storage: 'memory' }) });`,
  );
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: ['serve.mjs'], cwd: dir }));
  const tool = async (name, args) => {
    const {
      content: [{ text }],
      isError,
    } = await client.callTool({ name, arguments: args });
    return isError && !text.startsWith('{') ? { error: text } : JSON.parse(text);
  };
  const recall = async (args) => {
    const {
      content: [{ text }, ids],
      isError,
    } = await client.callTool({ name: 'recall', arguments: args });
    return isError ? { error: text } : { text, sources: JSON.parse(ids.text) };
  };
  try {
    assert.deepEqual((await client.listTools()).tools.map((t) => t.name).sort(), ['ask', 'forget', 'history', 'recall', 'remember', 'review', 'why']);
    assert.equal(client.getServerVersion().version, '9.9.9');
    assert.match(String((await recall({ query: 'x'.repeat(999) })).error), /query[^]*998|998[^]*query/);
    const { decision, memory } = await tool('remember', { content: 'The contract with Corran Bay ends on 30 June' });
    assert.equal(decision, 'CREATE');
    const found = await recall({ query: 'When does the Corran Bay contract end?' });
    assert.match(found.text, /^\[1\] \d{4}-\d\d-\d\d: "The contract with Corran Bay ends on 30 June"/);
    assert.deepEqual([found.sources, await recall({ query: 'observatory' })], [{ 1: memory.id }, { text: 'No memory was found.', sources: {} }]);
    assert.equal((await tool('why', { id: memory.id })).decisions[0].decision, 'CREATE');
    // A tool cannot choose the source type.
    assert.match(String((await tool('remember', { content: 'x', sourceType: 'user_input' })).error), /Unrecognized key/);
    const asked = await tool('forget', { request: 'forget everything about the Corran Bay contract' });
    assert.deepEqual(
      asked.memories.map((m) => m.id),
      [memory.id],
    );
    assert.deepEqual((await recall({ query: 'Corran Bay' })).sources, found.sources, 'naming hides nothing');
    assert.equal((await tool('forget', { confirmation: crypto.randomUUID() })).error.code, 'not_found');
    const asOf = new Date().toISOString();
    assert.deepEqual((await recall({ query: 'Corran Bay', asOf })).sources, found.sources);
    assert.equal((await tool('forget', { confirmation: asked.confirmation })).hidden, 1);
    assert.equal((await tool('forget', { confirmation: asked.confirmation })).error.code, 'not_found');
    assert.equal((await tool('history', { id: memory.id })).error.code, 'not_found');
    assert.deepEqual((await recall({ query: 'Corran Bay', asOf })).sources, {}, 'what is hidden is hidden from a look at the past');
  } finally {
    await client.close();
  }
});

test('serve_answers_mcp_over_http_only_with_its_token', async () => {
  const { run } = machine();
  const interrupts = new PassThrough();
  const started = async (args, env = {}) => {
    let line;
    const first = new Promise((resolve) => (line = resolve));
    const ended = run(['--json', 'serve', '--port', '0', ...args], { env, interrupts, stdout: { write: (text) => line(JSON.parse(text)) } });
    return { ...(await first), ended };
  };
  const { url, token, ended } = await started([]);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const authorization = `Bearer ${token}`;
  const call = (at, init) => fetch(at, { method: 'POST', body: '{}', ...init }).then(async (r) => [r.status, (await r.json()).error?.code]);
  for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: token }]) assert.deepEqual(await call(url, { headers }), [401, 'unauthorized']);
  assert.deepEqual(await call(url, { method: 'GET', body: undefined, headers: { authorization } }), [405, 'method_not_allowed']);
  assert.deepEqual(await call(`${url}/x`, { headers: { authorization } }), [404, 'not_found']);
  const accept = 'application/json, text/event-stream';
  assert.equal((await call(url, { body: ' '.repeat(300_000), headers: { authorization, accept, 'content-type': 'application/json' } }))[0], 413);
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [401, null]);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }));
  const tool = async (name, args) => JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);
  assert.equal((await tool('remember', { content: 'The contract with Corran Bay ends on 30 June' })).decision, 'CREATE');
  assert.match((await client.callTool({ name: 'recall', arguments: { query: 'Corran Bay' } })).content[0].text, /^\[1\] .*30 June/);
  const asked = await tool('forget', { request: 'forget everything about the Corran Bay contract' });
  assert.equal((await tool('forget', { confirmation: asked.confirmation })).hidden, 1, 'both steps reach one server');
  await client.close();
  const taken = await run(['--json', 'serve', '--port', new URL(url).port]);
  assert.deepEqual([taken.status, JSON.parse(taken.err).error.field], [2, 'port']);
  interrupts.emit('SIGINT');
  assert.equal((await ended).status, 0);
  await assert.rejects(fetch(url));
  // A token of the environment is not printed.
  const own = await started([], { MEMFOLD_TOKEN: 'secret' });
  assert.deepEqual(
    [own.token, await call(own.url, { headers: { authorization: 'Bearer secret', accept, 'content-type': 'application/json' } }).then(([status]) => status)],
    [undefined, 400],
  );
  interrupts.emit('SIGTERM');
  assert.equal((await own.ended).status, 0);
});

test('the_installed_command_stores_everything_in_one_file_in_the_home_folder', async () => {
  const { dir: project, remove } = await inNode();
  const env = { ...process.env, HOME: join(project, 'home'), USERPROFILE: join(project, 'home'), MEMFOLD_FILE: undefined };
  const memfold = async (...args) => {
    const {
      stdout,
      stderr,
      code = 0,
    } = await promisify(execFile)(join(project, 'node_modules/.bin/memfold'), args, { cwd: project, env, encoding: 'utf8' }).catch((error) => error);
    return { status: code, out: stdout, err: stderr };
  };
  try {
    const mails = readFileSync(INBOX, 'utf8').split(/^(?=From )/m);
    writeFileSync(join(project, 'mail.mbox'), mails.slice(0, 6).join(''));
    assert.match((await memfold('import', 'mail.mbox')).out, /\n +6 /);
    assert.ok(existsSync(join(project, 'home/.memfold/memories.sqlite')));
    // The first commands of the documentation.
    const [, block] = /^```sh\n([^]*?)^```/m.exec(readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8'));
    const commands = block
      .trim()
      .split('\n')
      .map((text) => [...text.replace('npx memfold ', '').matchAll(/"(.*?)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word));
    assert.equal(commands.length, 5);
    for (const args of commands) {
      const { status, out, err } = await memfold(...args);
      assert.ok(status < 2 && (out !== '' || args[0] === 'export'), `${args} ${err}`);
    }
    assert.match(readFileSync(join(project, 'copy.jsonl'), 'utf8'), /^\{"header"/);
    const found = JSON.parse((await memfold('--json', 'search', '예산')).out);
    assert.ok(found.length > 0);
    assert.equal((await memfold('check')).status, 0);
    // Several scopes in one file: an empty scope does not make the choice ambiguous.
    const file = join(project, 'several.sqlite');
    const of = async (scope, ...args) => {
      const { status, out, err } = await memfold('--file', file, ...scope, '--json', ...args);
      return status < 2 ? (JSON.parse(out).length ?? 'done') : JSON.parse(err).error;
    };
    const alice = ['--scope', 'user=alice', '--scope', 'app=notes'];
    assert.deepEqual([await of(alice, 'log'), await of([], 'log')], [0, 0]);
    assert.equal(await of(alice, 'add', 'The lease ends in May 2027'), 'done');
    const { code, field, message } = await of([], 'search', 'lease');
    assert.deepEqual([code, field, /--scope user=NAME/.test(message)], ['invalid_field', 'storage.scope', true], message);
    assert.deepEqual([await of(alice, 'search', 'lease'), await of(['--scope', 'none'], 'search', 'lease')], [1, 0]);
    // A reader that closes the pipe early, like `head`.
    const log = spawn(process.execPath, [join(project, 'node_modules/memfold/cli.js'), 'log'], { cwd: project, env });
    let said = '';
    log.stderr.on('data', (text) => (said += text));
    log.stdout.destroy();
    assert.deepEqual([await once(log, 'close'), said], [[0, null], '']);
    const server = spawn(process.execPath, [join(project, 'node_modules/memfold/cli.js'), '--json', 'serve', '--port', '0'], { cwd: project, env });
    const { url } = JSON.parse(await once(server.stdout, 'data'));
    assert.equal((await fetch(url, { method: 'POST' })).status, 401);
    server.kill('SIGTERM');
    assert.deepEqual(await once(server, 'close'), [0, null]);
    const folder = await memfold('--file', project, 'check');
    assert.deepEqual([folder.status, /\(invalid_field\)\n$/.test(folder.err)], [2, true], folder.err);
    assert.match((await memfold('--file', join(project, 'none/x.sqlite'), 'check')).err, /a folder that is not there/);
    writeFileSync(join(project, 'text.sqlite'), 'this is no database, and it is long enough to be seen as none. '.repeat(40));
    const text = await memfold('--file', 'text.sqlite', 'check');
    assert.deepEqual([text.status, /^memfold: .*\((?:corrupt|storage|invalid_field)\)\n$/.test(text.err)], [2, true], text.err);
  } finally {
    remove();
  }
});
