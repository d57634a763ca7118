// Every fault at every request: each message ends with one log entry, nothing is lost and no time limit is exceeded.
// endpoint.test.mjs and embeddings.test.mjs check the code of each fault.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installed } from './installed.mjs';
import { some } from '../tier.mjs';
import { BACKUPS, NIGHT, broken, embedded, series, status, stub, vector } from './stub.mjs';

let project;
let open;
before(async () => {
  project = await installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
});
after(() => project.remove());

/** Time limits in milliseconds for one request and for a whole message, with room for a busy machine. */
const [PATIENCE, LONGEST] = [2_500, 12_000];

const NEXT = 'Q1 마케팅 예산은 6000만원으로 정했다';
const said = {
  op: 'update',
  of: 'M1',
  text: NEXT,
  category: 'decision',
  day: null,
  evidence: NEXT,
  analysis: { subjects: ['예산', '예산'], changes: [{ property: '예산', old: '5000만원', new: '6000만원' }], why: '같은 예산입니다', factors: [], sure: 0.9 },
};
const GOOD = JSON.stringify({ entries: [said] });
const wrapped = (content) => JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage: { total_tokens: 40 } });
const say = (content) => (response) => response.end(wrapped(content));
const edited = (edit) => JSON.stringify({ entries: [{ ...said, ...edit }] });
const scripts = (faults) => Object.fromEntries(Object.entries(faults).map(([name, [script]]) => [name, script]));

/** Faults of a model, besides those of its server. */
const CHAT = {
  ...scripts(broken(wrapped(GOOD))),
  takes_no_form: status(400, {}, '{"error":{}}'),
  answers_of_another_kind: (r) => r.end('[null]'),
  is_cut_off_in_the_reply: say(GOOD.slice(0, -30)),
  answers_to_another_schema: say('{"decision":"update","id":1}'),
  makes_up_an_outcome: say(edited({ op: 'merge' })),
  makes_up_a_handle: say(edited({ of: 'M9' })),
  says_a_word_as_a_list: say(GOOD.replace('"update"', '[["update"]]')),
  is_not_a_number: say(GOOD.replace('0.9', 'NaN')),
  sends_five_megabytes: say('x'.repeat(5 << 20)),
  answers_in_another_language: say(GOOD.replace('같은 예산입니다', 'Il s’agit du même budget.')),
  declines: say(null),
  apologises: say("I'm sorry, but I can't help with that."),
  leaks_its_instructions: (r, _, { body }) => say(`${JSON.stringify(body.messages[0].content)} ${GOOD}`)(r),
  advises_to_delete_everything: say('{"reasoning":"Delete everything.","delete":"*"}'),
  advises_to_delete_one: say(edited({ op: 'delete' })),
};

const rows =
  (of) =>
  (r, _, { body }) =>
    r.end(embedded(body.input, of));
/** Faults of an embeddings endpoint, besides those of its server. */
const VECTORS = {
  ...scripts(broken(embedded(['a', 'b']))),
  takes_no_form: status(400, {}, '{"error":{}}'),
  answers_of_another_kind: (r) => r.end('[null]'),
  answers_to_another_schema: (r) => r.end('{"data":"a string"}'),
  gives_a_string_for_a_vector: rows(() => 'AAAAAAAA'),
  gives_words_for_numbers: rows(() => ['0.1', '0.2']),
  leaves_one_out: (r, _, { body }) => r.end(embedded(body.input.slice(1))),
  gives_one_too_many: (r, _, { body }) => r.end(embedded([...body.input, 'x'])),
  gives_them_of_different_lengths: (r, _, { body }) => r.end(embedded(body.input, (t) => vector(t).slice(0, 90 + (body.input.indexOf(t) % 3)))),
  changes_their_length: (r, n, { body }) => r.end(embedded(body.input, (t) => vector(t).slice(n > 1 ? 1 : 0))),
  gives_empty_ones: rows(() => []),
  gives_holes: rows((t) => [null, ...vector(t).slice(1)]),
  is_not_a_number: (r, _, { body }) => r.end(embedded(body.input).replace(/\[\d/, '[NaN')),
  is_beyond_all_numbers: (r, _, { body }) => r.end(embedded(body.input).replace(/\[\d/, '[1e39')),
  gives_vectors_without_direction: rows((t) => vector(t).map(() => 0)),
  gives_the_same_for_all: rows(() => vector('x')),
  nests_them: rows((t) => [vector(t)]),
  sends_five_megabytes: (r) => r.end(`{"data":"${'x'.repeat(5 << 20)}"}`),
  declines: (r) => r.end('{"error":"I am sorry, but I cannot embed that."}'),
  advises_to_delete_everything: (r) => r.end('{"data":[],"delete":"*"}'),
};

const MAIL = [
  'From: 김서연 <kim@a.example>',
  'To: me@b.example',
  'Subject: =?utf-8?B?UTEg66eI7LyA7YyF?=',
  'Date: Tue, 4 Mar 2025 09:00:00 +0900',
  'Message-ID: <m1@a.example>',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Q1 마케팅 예산은 6000만원으로 정했습니다.',
  '',
  '킥오프 미팅은 3월 20일 오후 3시로 변경되었습니다.',
  '',
  '보고서는 3월 18일까지 보내 주세요.',
  '',
].join('\r\n');
const KNOWN = ['Q1 마케팅 예산은 5000만원으로 정했다', '킥오프 미팅은 3월 20일 오후 2시에 한다', '보고서는 3월 15일까지 보낸다'];

/** The places that make requests: faults, option and call, which returns the number of messages. */
const SITES = {
  a_decision: [CHAT, 'model', async (m) => (await m.add({ content: 'Q1 마케팅 예산은 6000만원으로 정했다' }), 1)],
  a_mail: [CHAT, 'model', async (m) => (await m.importMail(MAIL)).drafts],
  a_vector: [VECTORS, 'embedder', async (m) => (await m.add({ content: 'Q1 마케팅 예산은 6000만원으로 정했다' }), 1)],
  the_vectors_of_a_mail: [VECTORS, 'embedder', async (m) => (await m.importMail(MAIL)).drafts],
  re_embedding: [
    VECTORS,
    'embedder',
    async (m) => {
      const report = await m.model.reembed();
      // A fault may affect some texts only; then `waiting` equals `failed`.
      assert.ok(report.stopped !== undefined || report.waiting === report.failed, JSON.stringify(report));
      return 0;
    },
  ],
  a_search: [VECTORS, 'embedder', async (m) => (assert.ok((await m.search('마케팅 예산')).length > 0), 0)],
};

/** Runs one fault at one place and asserts that nothing is lost. */
async function runFault(place, name, script) {
  const [, option, work] = SITES[place];
  const server = await stub(script);
  try {
    const plain = await open({ storage: 'memory' });
    for (const content of KNOWN) await plain.add({ content });
    const memories = await open({
      storage: 'memory',
      policy: 'accurate',
      [option]: { timeout: PATIENCE, dialect: 'openai', url: server.url, model: 'm', key: 'k-123' },
    });
    await memories.data.import(await plain.data.export());
    const before = await memories.log.list();
    const kept = await memories.list({ includeSuperseded: true });
    const start = performance.now();
    const messages = await work(memories);
    const ms = performance.now() - start;
    const all = await memories.log.list();
    // A rejected model reply has its own log entry without input.
    const log = all.slice(before.length).filter(({ input }) => input !== '');
    assert.equal(log.length, messages, 'one entry for each message');
    for (const entry of log) {
      assert.ok(['success', 'skipped'].includes(entry.status) && entry.action === 'consolidate' && entry.decision !== 'DELETE', JSON.stringify(entry));
    }
    const now = await memories.list({ includeSuperseded: true });
    // No answer changes a memory's source type.
    const source = place.includes('mail') ? 'realtime' : 'user_input';
    for (const { id, content } of kept) assert.equal(now.find((m) => m.id === id)?.content, content);
    for (const { id, deletedAt, sourceType, retention } of now) {
      assert.deepEqual([deletedAt, sourceType], [undefined, kept.find((m) => m.id === id)?.sourceType ?? source]);
      assert.notEqual(retention, 'core');
    }
    assert.ok(server.requests.length > 0, 'it was asked');
    assert.ok(ms < LONGEST, `${ms} ms`);
    assert.ok(!JSON.stringify(log).includes('k-123'));
    assert.deepEqual((await memories.data.verify()).problems, []);
    const again = await work(memories);
    if (place.includes('mail')) assert.deepEqual([again, (await memories.log.list()).length], [messages, all.length], 'a second delivery changes nothing');
    await memories.close();
  } catch (error) {
    error.message = `${place}, where it ${name}: ${error.message}`;
    throw error;
  } finally {
    server.close();
  }
}

/** Runs one fault during tagging and folding: rules do both, and the rejection is in the log. */
async function runSleepFault(name, script) {
  const server = await stub(script);
  try {
    const memories = await series(open, { model: { timeout: PATIENCE, dialect: 'openai', url: server.url, model: 'm', key: 'k-123' } });
    const before = (await memories.log.list()).length;
    const start = performance.now();
    const report = await memories.sleep.run(NIGHT);
    const ms = performance.now() - start;
    assert.deepEqual([report.merges, report.folded, report.finished], [1, 5, true], JSON.stringify(report));
    assert.ok(report.skipped.some((s) => ['refused', 'unanswered'].includes(s.why)) && server.requests.length > 0);
    const log = (await memories.log.list()).slice(before);
    const merges = log.filter((e) => e.action === 'merge' && e.status === 'success');
    assert.deepEqual([merges.length, merges[0].analyst], [1, 'local']);
    assert.ok(
      log.every((e) => e.status === 'success' || (e.action === 'merge' && e.touched.length === 0)),
      JSON.stringify(log),
    );
    const [summary] = await memories.search('Borealis');
    for (const note of BACKUPS) for (const fact of note.content.match(/\d+|Dana|Yuki|Lena/g)) assert.ok(summary.memory.content.includes(fact), fact);
    assert.equal((await memories.search('Borealis', { includeArchived: true })).length, 5);
    assert.ok(ms < LONGEST && !JSON.stringify(log).includes('k-123'), `${ms} ms`);
    assert.deepEqual((await memories.data.verify()).problems, []);
    await memories.close();
  } catch (error) {
    error.message = `at rest, where it ${name}: ${error.message}`;
    throw error;
  } finally {
    server.close();
  }
}

/** Tries all faults at once, since most of the time is spent waiting for silent servers. */
async function each(faults, survives) {
  const failed = [];
  const left = Object.entries(faults);
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await survives(...next).catch((error) => failed.push(error));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  if (failed.length > 0) throw new AggregateError(failed, failed.map((e) => e.message).join('\n'));
}

// Each fault at one place of three; `make test-all` tries each at all of them.
const partOf = (faults, n) => Object.fromEntries(some(Object.entries(faults), 3, n));

for (const [n, [place, [faults]]] of Object.entries(SITES).entries()) {
  test(`faults_at_${place}_lose_nothing_and_leave_one_entry_per_message`, () => each(partOf(faults, n), (...fault) => runFault(place, ...fault)));
}

test('faults_in_the_sleep_cycle_lose_nothing_and_fall_back_to_rules', () => each(partOf(CHAT, 2), runSleepFault));
