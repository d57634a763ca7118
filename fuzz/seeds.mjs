// Writes the seed corpora from the tests' data: fuzz/corpus/<target>/, one file a seed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const bytes = (path) => readFileSync(new URL(path, root));
const lines = (path) => bytes(path).toString().split('\n').filter(Boolean).map((l) => JSON.parse(l));
const listed = (dir) => (existsSync(new URL(dir, root)) ? readdirSync(new URL(dir, root)).map((f) => `${dir}/${f}`) : []);

function put(target, data) {
  const dir = new URL(`fuzz/corpus/${target}/`, root);
  mkdirSync(dir, { recursive: true });
  writeFileSync(new URL(createHash('sha1').update(data).digest('hex'), dir), data);
}

const mbox = bytes('tests/inbox/sample.mbox');
const mails = mbox.toString('latin1').split(/^From .*\r?\n/m).slice(1);
for (const mail of mails) put('mime', Buffer.from(mail, 'latin1'));
for (const { raw } of lines('tests/cases/broken_mail.jsonl')) put('mime', Buffer.from(raw, 'latin1'));
for (let n = 0; n + 3 <= mails.length; n += 3) {
  const three = mails.slice(n, n + 3).map((m) => `From 1@x Tue Mar 04 00:20:13 +0000 2025\r\n${m}`);
  put('mbox', Buffer.concat([Buffer.from([n + 1]), Buffer.from(three.join('\n'), 'latin1')]));
}
put('mbox', Buffer.concat([Buffer.from([7]), Buffer.from('From a@b Tue Mar  4 00:20:13 2025\nSubject: 1\n\n>From x\n\nFrom a@b Tue Mar  4 00:20:14 2025\nSubject: 2\n\ny\n')]));
for (const file of listed('tests/cases').filter((f) => /\/mail.*\.jsonl$/.test(f))) {
  for (const { html, body, calendar, subject } of lines(file)) {
    if (html) put('html', html);
    if (body) put('html', `<p>${body.replaceAll('\n', '<br>')}</p>`);
    if (calendar) put('mime', `From: a@b.example\r\nContent-Type: text/calendar\r\n\r\n${calendar}`);
    if (calendar) put('invite', calendar);
    if (body) ['quotes', 'words'].forEach((target) => put(target, body));
    if (body) put('statements', `${subject ?? 'x'}\n${body}`);
  }
}
const fields = (d) => [d.content, d.subject, d.threadId, d.people?.join('\u0001'), d.entities?.join('\u0001'), d.category, d.occurredAt, d.statedAt];
for (const file of listed('tests/eval/pairs').filter((f) => f.endsWith('.jsonl'))) {
  lines(file).filter((_, n) => n % 20 === 0).forEach((p) => put('pair', [...fields(p.existing), ...fields(p.new ?? p.next)].map((f) => f ?? '').join('\0')));
}
for (const { reply } of lines('tests/cases/mail_replies.jsonl')) put('reply', reply);
for (const { body } of mails.map((mail) => ({ body: mail.slice(mail.search(/\r?\n\r?\n/)) }))) put('quotes', Buffer.from(body, 'latin1'));
const unfolded = (ics) => ics.replaceAll(/\r?\n/g, '\r\n');
put('invite', unfolded('BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VTIMEZONE\nTZID:W\nBEGIN:STANDARD\nTZOFFSETTO:-0330\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\nUID:1@x\nDTSTART;TZID=W:20250410T083000\nDTEND:20250410T020000Z\nSUMMARY:a\n b\\, c\nLOCATION:d\nORGANIZER;CN="Kim; HR":MAILTO:hr@a.example\nATTENDEE:mailto:b@a.example\nRRULE:FREQ=WEEKLY\nSTATUS:CANCELLED\nSEQUENCE:2\nEND:VEVENT\nEND:VCALENDAR'));
for (const target of readdirSync(new URL('fuzz/targets', root)).map((f) => f.replace('.rs', ''))) for (const file of listed(`fuzz/findings/${target}`)) put(target, bytes(file));
