// The campaigns of `make endurance`, `make kills` and `make hubs`, small: the generated mailbox, its questions, and a run of each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thorough } from '../tier.mjs';
import { answered, measured } from './campaign.mjs';
import { HOSTS } from './hosts.mjs';
import { partitioned } from './hubs.mjs';
import { killed } from './kills.mjs';
import { Mailbox } from './mailbox.mjs';

const textsOf = (options) => [...new Mailbox(options).mails()].map(({ text }) => text);

test('a_seed_gives_the_same_mailbox_and_a_short_one_is_the_beginning_of_a_long_one', () => {
  const [short, long, other] = [textsOf({ seed: 3, mails: 150 }), textsOf({ seed: 3, mails: 400 }), textsOf({ seed: 4, mails: 150 })];
  assert.deepEqual(long.slice(0, 150), short);
  assert.ok(short.filter((text) => other.includes(text)).length === 0);
});

test('mails_are_varied', () => {
  const bodies = textsOf({ mails: 2_000 }).map((text) => text.replace(/[\s\S]*?\r\n\r\n/, ''));
  // The server delivers a few mails twice; short series and offers repeat themselves, as they do in life.
  assert.ok(new Set(bodies).size > 0.95 * bodies.length, `${new Set(bodies).size} different bodies`);
});

test('the_ledger_names_the_mails_that_state_a_fact_and_its_last_value', () => {
  const box = new Mailbox({ mails: 5_000 });
  const bodies = new Map();
  for (const { n, text } of box.mails()) {
    const parts = text.split(/Content-Transfer-Encoding: base64\r\n\r\n/).slice(1);
    bodies.set(n, parts.map((part) => Buffer.from(part.split('\r\n\r\n')[0], 'base64').toString()).join('\n'));
  }
  const questions = box.questions();
  assert.equal(questions.length, 500);
  assert.ok(questions.filter(({ changes }) => changes > 0).length === 250);
  for (const question of questions) {
    const hits = [{ content: bodies.get(question.mails.at(-1)), subject: '' }];
    assert.ok(answered(question, hits), `${question.question} ${hits[0].content}`);
    assert.ok(!answered({ ...question, any: ['no such value'] }, hits));
  }
});

test('two_hundred_mails_are_imported_and_answer_their_questions', async () => {
  const found = await measured(HOSTS.node, { mails: 200, seed: 1 });
  assert.deepEqual([found.mails, found.failed, found.problems], [200, 0, 0]);
  assert.ok(found.questions > 100);
  assert.ok(found.smallHits > 0.85 * found.questions, `${found.smallHits} of ${found.questions} in the small store`);
  assert.ok(found.hits >= 0.95 * found.smallHits, `${found.hits} in the whole store, ${found.smallHits} in the small one`);
});

test('kills_of_node_lose_and_double_nothing', async () => {
  const { kills, written, unanswered } = await killed('node', 3);
  assert.ok(kills === 3 && written > 0 && unanswered > 0);
});

thorough('a_hub_and_three_clients_agree_after_two_days_apart', async () => {
  const { memories, adds, broken } = await partitioned({ hours: 48 });
  assert.ok(memories > 50 && adds > 50 && broken > 0);
});
