import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copied } from './copied.mjs';
import { Ledger } from './ledger.mjs';
import { heads } from './mbox.mjs';

const mail = (id, subject) => `From x Mon\nFrom: Ines Vale <ines@x.example>\nTo: me@x.example\nSubject: ${subject}\nMessage-ID: <${id}>\n\nbody\n\n`;
const box = Buffer.from(mail('a@x', '=?utf-8?q?the_boat=C3=A9?=') + mail('b@x', 'Re: paint'));
const said = (fact, is, quote, day) => ({ fact, is, quote, value: quote, category: 'task', day });
const book = new Ledger(
  [
    { message: '<a@x>', lang: 'en', says: [said('f1', 'new', 'green, on Friday', '2025-04-04')] },
    { message: '<b@x>', lang: 'en', says: [said('f1', 'update', 'red then'), said('f2', 'new', 'two tins')] },
  ].map((value, n) => ({ value, where: `f:${n + 1}` })),
);
const fact = (id, messages, ...anyOf) => ({ id, messages, anyOf });
const nothing = { current: [], history: [] };

test('mailbox_headers_are_decoded', () => {
  assert.deepEqual(heads(box), [
    { id: '<a@x>', subject: 'the boaté', people: 'Ines Vale <ines@x.example> me@x.example' },
    { id: '<b@x>', subject: 'Re: paint', people: 'Ines Vale <ines@x.example> me@x.example' },
  ]);
});

test('a_fact_is_quoted_in_one_several_or_no_mails', () => {
  const r = (...anyOf) => copied(box, { ...nothing, current: [fact('f1', ['<a@x>', '<b@x>'], ...anyOf)] }, book);
  const [one, all, none] = [r(['green'], ['4 April'], ['boaté']), r(['boaté'], ['red']), r(['two tins'])];
  assert.deepEqual([one.byOneMail, one.byAllMails], [1, 1]);
  assert.deepEqual([all.byOneMail, all.byAllMails], [0, 1]);
  assert.deepEqual([none.byOneMail, none.byAllMails, none.facts], [0, 0, 1], 'what is said of another fact is not of this one');
});

test('each_version_of_a_history_needs_its_own_mail', () => {
  const r = (...anyOf) => copied(box, { ...nothing, history: [{ fact: 'f1', anyOf, messages: ['<a@x>', '<b@x>'] }] }, book).byTheirMails;
  assert.deepEqual([r(['green'], ['red', 'crimson']), r(['red'], ['green'])], [1, 0]);
});
