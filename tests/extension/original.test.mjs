// What is read of an original whose charset Gmail could not write down: its header stays, since the checks of the sender stand in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imported } from '../typescript.mjs';

const { legible } = await imported('www/extension/src/gmail.ts');

const CHECK = 'Authentication-Results: mx.google.com;\r\n dmarc=fail (p=NONE) header.from=acme.example';
const head = (subject, type = 'Content-Type: text/plain;\r\n charset=euc-kr\r\nContent-Transfer-Encoding: 8bit\r\nMIME-Version: 1.0') =>
  `Received: by 10.0.0.1\r\n${CHECK}\r\nFrom: Ann <ann@acme.example>\r\nSubject: ${subject}\r\n${type}`;
const SHOWN =
  'From: =?utf-8?B?QW5u?= <ann@acme.example>\r\nSubject: =?utf-8?B?7ZqM7J2Y?=\r\nMessage-ID: <gmail-1@mail.gmail.com>\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n<p>회의는 3월 22일</p>';

test('an original without an invalid byte is read as it is', () => {
  const raw = `${head('Kickoff')}\r\n\r\nThe kickoff is on 22 March.\r\n`;
  assert.equal(legible(raw, SHOWN), raw);
});

for (const [what, body] of [
  ['one invalid byte', 'The kickoff is on 29 March \ufffd.'],
  ['a body in another charset', '\ufffd\ufffd\ufffd\ufffd 3\ufffd\ufffd'],
]) {
  test(`${what} removes no check of the sender`, () => {
    const read = legible(`${head('Kickoff')}\r\n\r\n${body}\r\n`, SHOWN);
    const [header, shown] = read.split('\r\n\r\n');
    assert.ok(header.includes(CHECK) && header.includes('Subject: Kickoff') && header.includes('Received: by 10.0.0.1'), header);
    assert.deepEqual(header.match(/^content-[\w-]+:.*$/gim), ['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: 8bit']);
    assert.equal(header.match(/^mime-version:/gim).length, 1);
    assert.equal(header.match(/^from:/gim).length, 1);
    assert.equal(shown, '<p>회의는 3월 22일</p>');
  });
}

test('a subject that cannot be read is taken from the page, and nothing else is', () => {
  const read = legible(`${head('\ufffd\ufffd')}\r\n\r\nThe kickoff is on 22 March.\r\n`, SHOWN);
  assert.ok(read.includes('Subject: =?utf-8?B?7ZqM7J2Y?=') && read.includes(CHECK) && read.endsWith('The kickoff is on 22 March.\r\n'));
  assert.ok(!read.includes('gmail-1@'));
});

test('a message without a body or with line feeds alone keeps its header', () => {
  for (const raw of ['From: a@b.example\nSubject: \ufffd', `${head('x').replaceAll('\r\n', '\n')}\n\n\ufffd`]) {
    assert.ok(legible(raw, SHOWN).startsWith(raw.slice(0, 12)));
    assert.ok(!legible(raw, SHOWN).includes('gmail-1@'));
  }
});
