// Days and hours as the page shows them in the reader's zone, of mail on both sides of a change of the clock.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { choose, flat, go, open, profile, visit } from './site.mjs';
import { thorough } from '../tier.mjs';

/** The Sundays on which the clock is changed; Seoul never does. */
const CHANGES = {
  'Europe/London': ['2025-03-30', '2025-10-26'],
  'America/New_York': ['2025-03-09', '2025-11-02'],
  'Australia/Sydney': ['2025-04-06', '2025-10-05'],
  'Asia/Seoul': ['2025-03-30', '2025-10-26'],
};

let site;
let dir;
before(async () => {
  site = await open();
  dir = mkdtempSync(join(tmpdir(), 'zones-'));
});
after(async () => {
  rmSync(dir, { recursive: true, force: true });
  await site?.close();
});

/** A day of the calendar, so many days from another. */
const plus = (day, n) => new Date(Date.parse(`${day}T12:00:00Z`) + n * 86_400_000);
const said = (date, options) => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(date);
const english = (date) => said(date, { weekday: 'long', day: 'numeric', month: 'long' }).replace(',', '');
const korean = (date) => `${date.getUTCMonth() + 1}월 ${date.getUTCDate()}일 ${'일월화수목금토'[date.getUTCDay()]}요일`;
/** As the page's calendar and its memories write a day. */
const inCalendar = (date) => `${said(date, { weekday: 'short' })} ${date.getUTCDate()}`;
const inMemory = (date) => said(date, { year: 'numeric', month: 'short', day: 'numeric' });

/** Nine in the morning of a zone, as the header of a mail has it. */
function dateOf(date, zone) {
  const at = Date.parse(`${date.toISOString().slice(0, 10)}T09:00:00Z`);
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' }).format(at),
  ) ?? [0, '+', '00', '00'];
  return `${said(date, { weekday: 'short', day: '2-digit', month: 'short', year: 'numeric' })
    .replace('Sept', 'Sep')
    .replace(/^(\w+), ?/, '$1, ')} 09:00:00 ${sign}${hours}${minutes}`;
}

/** Mails of the week before a change, each about a day of its own. */
function mailbox(change, zone) {
  const [told, first, second, third, due, open] = [-5, -3, 1, 2, 5, 6].map((n) => plus(change, n));
  const mail = (n, subject, body) =>
    `From mina@north.example Mon Jan  1 00:00:00 2025\nFrom: Mina Park <mina@north.example>\nTo: me@home.example\nSubject: ${subject}\nDate: ${dateOf(told, zone)}\nMessage-ID: <${n}@north.example>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n${body}\n\n`;
  return {
    told,
    text: [
      mail(1, 'Budget review', `The budget review meeting is on ${english(first)} at 2 pm in room 4.`),
      mail(2, 'Depot handover', `The depot handover meeting is on ${english(second)} at 2 pm in the yard.`),
      mail(3, '착수 회의', `착수 회의는 ${korean(third)} 오후 2시에 별관에서 합니다.`),
      mail(4, 'Lease', `Please send the signed lease back by ${english(due)}.`),
      mail(5, 'Garden fair', `The garden fair meeting takes place on ${english(open)} behind the church.`),
    ].join(''),
    days: [
      { name: 'review', on: first, hour: '14:00' },
      { name: 'handover', on: second, hour: '14:00' },
      { name: '착수', on: third, hour: '14:00' },
      { name: 'lease', on: due, hour: '' },
      { name: 'fair', on: open, hour: '' },
    ],
    friday: 'lease',
  };
}

/** What the calendar shows: the week, the day, the hour and the words of each. */
const calendar = (page) =>
  page.locator('.coming-up .week').evaluateAll((weeks) =>
    weeks.flatMap((week, n) =>
      [...week.querySelectorAll('.due > li')].map((li) => ({
        week: n,
        day: li.querySelector('.due-day time').textContent.replace(/\s+/g, ' ').trim(),
        hour: li.querySelector('.due-day .quiet')?.textContent ?? '',
        text: li.querySelector('.memory-text').textContent,
      })),
    ),
  );

for (const [zone, changes] of Object.entries(CHANGES)) {
  for (const [n, change] of changes.entries()) {
    // One change of the clock for each zone, and none of Sydney.
    (n === 0 && zone !== 'Australia/Sydney' ? test : thorough)(`in ${zone} each day and hour is that of the reader, around ${change}`, async () => {
      const { context, faults } = await profile(site, { timezoneId: zone });
      try {
        const { told, text, days, friday } = mailbox(change, zone);
        const path = join(dir, `${zone.replace('/', '-')}-${change}.mbox`);
        writeFileSync(path, text);
        const page = await visit(context, site.url);
        await choose(page, path);
        await page.locator('.run-done').waitFor({ timeout: 60_000 });

        await go(page, 'today');
        await page.locator('.coming-up .week').first().waitFor();
        const shown = await calendar(page);
        const found = days.map(({ name }) => shown.find((due) => due.text.includes(name)));
        // The week of a Tuesday before the change, and the one behind it.
        const week = (on) => (on.getTime() - told.getTime() < 6 * 86_400_000 ? 0 : 1);
        assert.deepEqual(
          found.map((due) => due && [due.week, due.day, due.hour]),
          days.map(({ on, hour }) => [week(on), inCalendar(on), hour]),
          JSON.stringify(shown),
        );

        await flat(page);
        for (const { name, on, hour } of days) {
          const memory = page.locator('.memory').filter({ hasText: name });
          await memory.locator('.memory-head').click();
          const facts = memory.locator('dl.facts');
          await facts.waitFor();
          assert.ok((await facts.textContent()).includes(`${inMemory(on)}${hour && `, ${hour}`}`), `${name}: ${await facts.textContent()}`);
          await memory.locator('.memory-head').click();
        }

        await go(page, 'search');
        for (const question of ['What is due next Friday?', '다음 주 금요일까지 뭘 해야 해?']) {
          await page.locator('input[name=q]').fill(question);
          await page.keyboard.press('Enter');
          // The day of the lease alone: an agenda of it.
          const due = page.locator('.agenda .memory').first();
          await due.waitFor();
          assert.match(await due.textContent(), new RegExp(friday), question);
        }
        assert.deepEqual(faults, []);
      } finally {
        await context.close();
      }
    });
  }
}
