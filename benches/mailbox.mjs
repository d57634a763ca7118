// A mailbox of any size, made as it is read: mails of many kinds in Korean and English, some with large attachments.
const NOTES = [
  (n) => [
    `Review of P-${n % 997}`,
    `Hi,\r\n\r\nThe review of project P-${n % 997} is on ${(n % 28) + 1} March at 3 pm in room ${n % 53}.\r\nPlease bring the figures.\r\n\r\nBest,\r\nKim\r\n`,
  ],
  (n) => [
    `P-${n % 997} 예산`,
    `안녕하세요, 팀장님.\r\n\r\nP-${n % 997} 과제 예산은 ${((n * 7) % 900) + 100}만원으로 확정되었습니다.\r\n감사합니다.\r\n\r\n나의 iPhone에서 보냄\r\n`,
  ],
  (n) => [
    `Re: Report ${n % 997}`,
    `Please send the report for project P-${n % 997} by ${(n % 28) + 1} March.\r\n\r\nOn Mon, Mar 3, 2025 at 9:10 AM Me <me@b.example> wrote:\r\n> Which report do you need?\r\n> And until when?\r\n`,
  ],
  (n) => [`P-${n % 997} 납품`, `납품은 3월 ${(n % 28) + 1}일 예정이며 수량은 ${((n * 7) % 900) + 100}개입니다.\r\n확인 부탁드립니다.\r\n`],
  () => ['Re: lunch', 'Thanks, sounds good! See you there.\r\n'],
  (n) => [
    `Weekend sale ${n}`,
    `Up to ${(n % 60) + 10}% off until Sunday. Free shipping on all orders.\r\n\r\nUnsubscribe here.\r\n`,
    'List-Unsubscribe: <https://shop.example/u>\r\n',
  ],
];

/** The n-th mail as mbox, with `attached` bytes of a file that nobody reads. */
export function mail(n, attached = 0) {
  const [subject, body, more = ''] = NOTES[n % NOTES.length](n);
  const encoded = `=?UTF-8?B?${btoa(String.fromCharCode(...new TextEncoder().encode(subject)))}?=`;
  const time = `${String(Math.floor(n / 60) % 24).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00`;
  const head = `From ${n}@xxx Tue Mar 04 ${time} +0000 2025\r\nX-GM-THRID: ${1_000_000 + (n >> 1)}\r\nFrom: Kim <kim${n % 53}@a.example>\r\nTo: me@b.example\r\nSubject: ${encoded}\r\nDate: Tue, 4 Mar 2025 ${time} +0900\r\nMessage-ID: <${n}@a.example>\r\n${more}MIME-Version: 1.0\r\n`;
  const text = `Content-Type: text/plain; charset=utf-8\r\n\r\n${body}`;
  if (attached === 0) return `${head}${text}\r\n`;
  const line = `${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3'.slice(0, 76)}\r\n`;
  const file = line.repeat(Math.ceil(attached / line.length));
  return `${head}Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n${text}\r\n--b${n}\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${file}--b${n}--\r\n\r\n`;
}

/** So many mails at once. */
export const mailbox = (mails) => new TextEncoder().encode(Array.from({ length: mails }, (_, n) => mail(n)).join(''));

/** A stream of about `total` bytes, as a Takeout has them: every tenth mail carries a file of a megabyte and a half. */
export function stream(total) {
  const encoder = new TextEncoder();
  let [n, sent] = [0, 0];
  return new ReadableStream({
    pull(controller) {
      if (sent >= total) return controller.close();
      const bytes = encoder.encode(mail(n, n % 10 === 9 ? 1_500_000 : 0));
      n += 1;
      sent += bytes.length;
      controller.enqueue(bytes);
    },
  });
}
