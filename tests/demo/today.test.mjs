// Today, the home of the page: how it begins, what an import leaves on it, what is due and changed, questions, search, and the way around.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, choose, countIs, counted, go, loadSample, profile, staged, visit } from './site.mjs';
import { thorough } from '../tier.mjs';

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

/** The sample of a potter, taken in from Today, without its guide. */
async function potter(page, lang = 'en') {
  await page.locator(`#sample-${lang}`).click();
  await page.locator('.run-done').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: lang === 'en' ? 'Close the guide' : '안내 닫기' }).click();
}

const mbox = (mails) =>
  Buffer.from(
    mails
      .map(
        ({ id, from = 'Mina Park <mina@north.example>', subject, date, text }) =>
          `From x@xxx Mon Jan  1 00:00:00 2026\nFrom: ${from}\nTo: me@home.example\nSubject: ${subject}\nDate: ${date}\nMessage-ID: <${id}@north.example>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n${text}\n\n`,
      )
      .join(''),
  );
const file = (name, mails) => ({ name: `${name}.mbox`, mimeType: 'application/mbox', buffer: mbox(mails) });

test('before the first mail Today says what it is for and offers a file or a sample', async () => {
  const page = await visit(context, site.url, 'today');
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Today');
  await page.getByRole('region', { name: 'Your mail, down to what matters' }).waitFor();
  assert.equal(await page.getByLabel('Choose files').count(), 1);
  for (const name of ['Nora’s mailbox, in English', 'Nara’s mailbox, in Korean']) assert.equal(await page.getByRole('button', { name }).isEnabled(), true);
  assert.equal(await page.getByRole('searchbox').count(), 0, 'there is nothing to ask yet');
  await page.getByRole('link', { name: 'Or write a note yourself' }).click();
  await page.getByLabel('What should be remembered?').waitFor();
});

thorough('the menu has four entries, at the foot of a phone, and every older address still leads somewhere', async () => {
  const other = await profile(site, { viewport: { width: 390, height: 844 } });
  const page = await visit(other.context, `${site.url}`, '');
  const menu = page.getByRole('navigation', { name: 'Sections' });
  assert.deepEqual(
    (await menu.getByRole('link').allTextContents()).map((text) => text.trim()),
    ['Today', 'Everything', 'Review', 'Settings'],
  );
  const box = await menu.boundingBox();
  assert.ok(Math.abs(box.y + box.height - 844) < 2, `it ends at ${box.y + box.height}`);
  assert.equal(await page.locator('.shell').getAttribute('data-view'), 'today');
  const sections = { search: 'Today', inbox: 'Today', links: 'Everything', log: 'Settings', rest: 'Settings', evaluate: 'Settings', data: 'Settings' };
  for (const [view, section] of Object.entries(sections)) {
    await go(page, view);
    assert.equal((await menu.locator('[aria-current=true]').textContent()).trim(), section, view);
  }
  await go(page, 'settings');
  for (const name of [/^Your data/, /^Mail and notes/, /^Log/, /^Graph/, /^Tidying up/, /^Playground/])
    assert.equal(await page.getByRole('region', { name: 'Advanced' }).getByRole('link', { name }).count(), 1, String(name));
  assert.deepEqual(other.faults, []);
  await other.context.close();
});

test('an import ends on Today: three findings, what taught nothing, what is due and what changed', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  await page.locator('.shell[data-view=today]').waitFor();
  const card = page.getByRole('region', { name: 'Progress' });
  assert.equal(await card.getByRole('region', { name: 'Most useful' }).locator('.memory').count(), 3);
  const silent = card.getByText(/^\d+ mails taught nothing: look$/);
  const n = Number(/\d+/.exec(await silent.textContent())[0]);
  await silent.click();
  assert.ok(n > 5 && n < 66, `${n} of 66`);
  assert.ok((await card.locator('details[open] li').count()) >= Math.min(n, 50));
  await page.getByRole('region', { name: 'Due and coming up' }).getByRole('heading', { name: 'This week' }).waitFor();
  const changes = page.getByRole('region', { name: 'What changed' });
  assert.equal(await changes.locator('.changed').count(), 5);
  await changes.getByRole('button', { name: /^Show \d+ more$/ }).click();
  assert.ok((await changes.locator('.changed').count()) > 5);
});

test('what changed shows the old value, the new one, who said so and when; what is due comes by week, later folded', async () => {
  const page = await visit(context, site.url, 'today');
  await potter(page);
  const changes = page.getByRole('region', { name: 'What changed' }).getByRole('listitem');
  const workshop = changes.filter({ hasText: 'Glaze workshop' });
  assert.match(await workshop.locator('del').textContent(), /Wednesday 13 May/);
  assert.match(await workshop.locator('ins').textContent(), /Wednesday 20 May/);
  // Names of people are read after the memories.
  await workshop.locator('.byline', { hasText: /Dana Reed.*27 Apr 2026/ }).waitFor();
  const due = page.getByRole('region', { name: 'Due and coming up' });
  assert.deepEqual(await due.getByRole('heading', { level: 3 }).allTextContents(), ['This week', 'Next week']);
  assert.deepEqual(await due.locator('.week').first().locator('.due-day time').allTextContents(), ['Tue 12', 'Thu 14', 'Fri 15', 'Fri 15']);
  const later = due.locator('details');
  assert.equal(await later.locator('.memory').count(), 0);
  await later.getByText('Later (1)').click();
  assert.match(await later.locator('.memory').textContent(), /27 May/);
});

test('only what changed since the last visit is listed, and a reload is no visit', async () => {
  const page = await visit(context, site.url, 'today');
  await potter(page);
  const lines = () => page.getByRole('region', { name: 'What changed' }).locator('.changed');
  await page.reload();
  await lines().first().waitFor();
  assert.equal(await lines().count(), 3);
  // A day goes by.
  await page.addInitScript(() => {
    const visit = JSON.parse(localStorage.getItem('memfold-visit'));
    if (sessionStorage.getItem('slept') || !visit) return;
    sessionStorage.setItem('slept', '1');
    localStorage.setItem('memfold-visit', JSON.stringify({ ...visit, at: visit.at - 86_400_000 }));
  });
  await page.reload();
  await page.getByText('Nothing has changed since your last visit.').waitFor();
  await choose(
    page,
    file('moved', [
      {
        id: 'm1',
        from: 'Dana Reed <dana@oakroom.example>',
        subject: 'Name badges',
        date: 'Mon, 11 May 2026 09:00:00 +0100',
        text: 'The names for the badges are due by Saturday 16 May instead of Thursday 14 May.',
      },
      {
        id: 'm2',
        from: 'Priya Shah <priya@bellpottery.example>',
        subject: 'Budget of the summer fair',
        date: 'Mon, 11 May 2026 10:00:00 +0100',
        text: 'The budget of the summer fair has been raised from £750 to £820.',
      },
    ]),
  );
  await page.locator('.run-done').waitFor();
  const n = await lines().count();
  assert.ok(n >= 1 && n <= 2, `${n} changes`);
  for (const text of await lines().allTextContents()) assert.match(text, /badges|budget/i);
});

test('five questions at most are asked on Today; each is answered and taken back there, the others are in Review', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  const waiting = await counted(page, 'review');
  const region = page.getByRole('region', { name: 'For you to confirm' });
  await region.locator('.review').first().waitFor();
  const shown = await region.locator('.review').count();
  assert.ok(shown >= 1 && shown <= 5, `${shown} of ${waiting}`);
  // Only what has two values is asked here.
  const values = await region.locator('.review-doubt').evaluateAll((cards) => cards.map((card) => card.querySelectorAll('.value-lead').length));
  assert.deepEqual([...new Set(values)], [2]);
  const question = region.locator('.review-doubt').first();
  await answer(question, 'Both are right');
  await countIs(page, 'review', waiting - 1);
  await page.getByRole('region', { name: 'What was just done' }).getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'review', waiting);
  await region.getByRole('link', { name: /may be fraud$/ }).click();
  await page.getByRole('heading', { name: 'Possible fraud' }).waitFor();
});

test('a reported change is a question between the reported and the confirmed value', async () => {
  const page = await visit(context, site.url);
  const mail = (n, from, text) =>
    `From ${n}@xxx Mon Mar 02 09:00:00 +0000 2026\r\nFrom: ${from}\r\nTo: Nora <nora@quince.example>\r\nSubject: Heron\r\nDate: Mon, 0${n} Mar 2026 09:00:00 +0000\r\nMessage-ID: <${n}@heron.example>\r\n\r\n${text}\r\n\r\n`;
  await choose(page, {
    name: 'heron.mbox',
    mimeType: 'application/mbox',
    buffer: Buffer.from(
      mail(2, 'Dana <dana@corran.example>', 'The Heron budget is 50,000 euros.') +
        mail(3, 'Piet <piet@maple.example>', 'The Heron budget has changed from 50,000 to 60,000 euros.'),
    ),
  });
  await page.locator('.run-done').waitFor({ timeout: 60_000 });
  await go(page, 'review');
  const change = page.locator('.review-change').first();
  await change.waitFor();
  const waiting = await counted(page, 'review');
  assert.equal(await change.getByRole('radio').count(), 2);
  await answer(change, /newest/);
  await countIs(page, 'review', waiting - 1);
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'review', waiting);
});

test('Ctrl with K leads to the box from every view, and a question to at most five answers', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  for (const view of ['memories', 'review', 'settings', 'log', 'search', 'today']) {
    await go(page, view);
    await page.keyboard.press('Control+k');
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'q');
  }
  await page.keyboard.type('What do I know about the loggers?');
  await page.keyboard.press('Enter');
  await page.locator('.shell[data-view=search]').waitFor();
  await page.locator('.hit').first().waitFor();
  assert.ok((await page.locator('.hit').count()) <= 5);
  assert.equal(await page.getByLabel('Asked on').isVisible(), false);
  await page.getByRole('button', { name: 'Filters' }).click();
  assert.equal(await page.getByLabel('Asked on').isVisible(), true);
});

test('a question about a span of time is answered with an agenda', async () => {
  const page = await visit(context, site.url, 'today');
  await potter(page);
  for (const question of ['What is there next week?', '다음 주에 뭐 있어?']) {
    await page.getByRole('searchbox').fill(question);
    await page.keyboard.press('Enter');
    const agenda = page.getByRole('region', { name: '18 May to 24 May' });
    await agenda.waitFor();
    assert.deepEqual(await agenda.locator('.due-day time').allTextContents(), ['Wed 20', 'Sat 23'], question);
  }
  await page.getByRole('searchbox').fill('When does my train to York leave?');
  await page.keyboard.press('Enter');
  await page.locator('.hit').first().waitFor();
  assert.equal(await page.getByRole('region', { name: /May to/ }).count(), 0);
});

test('a fact is one line with who and when, and opens in place; on a phone it opens as a sheet', async () => {
  const page = await visit(context, site.url, 'today');
  await potter(page);
  await go(page, 'memories');
  const fact = page.locator('.memory').filter({ hasText: 'Wednesday 20 May' });
  assert.doesNotMatch(await fact.locator('.memory-text').textContent(), /13 May/);
  // The page reads the names of addresses after the facts.
  await fact.locator('.memory-meta').getByText('Dana Reed').waitFor();
  assert.match(await fact.locator('.memory-meta').textContent(), /unconfirmed.*Dana Reed.*27 Apr 2026.*1 earlier value/);
  await fact.getByRole('button', { expanded: false }).first().click();
  await fact.locator('.timeline del').getByText('13 May').first().waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await fact.getByText('Why is this here?').click();
  await fact.locator('.explanation-box').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const sheet = page.getByRole('dialog', { name: 'Glaze workshop' });
  await sheet.waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await fact.getByRole('button', { expanded: false }).first().click();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'detached' });
});

thorough('no other state is named than current, unconfirmed and outdated', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  const named = new Set();
  for (const view of ['today', 'memories']) {
    await go(page, view);
    await page.locator('.memory').first().waitFor();
    if (view === 'memories') for (const head of await page.locator('.matter-head').all()) await head.click();
    for (const text of await page.locator('.memory-meta .badge, .matter-meta .badge:not(.badge-due), .line .badge').allTextContents()) named.add(text);
  }
  for (const state of named) assert.match(state, /^(unconfirmed|outdated|May be fraud(: look)?)$/);
  assert.ok(named.has('unconfirmed'), [...named].join());
  // An earlier version that a search finds is outdated.
  await go(page, 'search');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Older versions too').check();
  await page.getByRole('searchbox').fill('실증사업 예산');
  await page.keyboard.press('Enter');
  await page.locator('.hit .badge').getByText('outdated', { exact: true }).first().waitFor();
});

thorough('what one decision writes is read alone, and not everything anew', async () => {
  await context.addInitScript(() => {
    globalThis.calls = [];
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (message?.path?.[0] === 'memories') globalThis.calls.push(message.path.slice(1).join('.'));
      return postMessage.call(this, message, ...rest);
    };
  });
  const page = await visit(context, site.url);
  await loadSample(page);
  const known = await counted(page, 'memories');
  await go(page, 'inbox');
  await page.evaluate(() => void (globalThis.calls.length = 0));
  await page.getByLabel('What should be remembered?').fill('The spare key of the boat house lies with Moira.');
  await page.getByRole('button', { name: 'Remember', exact: true }).click();
  await countIs(page, 'memories', known + 1);
  await page.waitForTimeout(300);
  const calls = await page.evaluate(() => globalThis.calls);
  assert.ok(calls.includes('get'), calls.join());
  assert.ok(!calls.includes('list'), calls.join());
});

thorough('Today is worded in Korean as in English', async () => {
  const other = await profile(site, { locale: 'ko-KR' });
  const page = await visit(other.context, site.url, 'today');
  await page.getByRole('region', { name: '메일에서 중요한 것만 기억합니다' }).waitFor();
  await potter(page, 'ko');
  for (const name of ['다가오는 일', '바뀐 내용', '확인해 주세요']) await page.getByRole('region', { name }).waitFor();
  assert.match(await page.locator('.changed').filter({ hasText: '여름 장터 예산' }).locator('.changed-values').textContent(), /60만원.*75만원/);
  assert.equal(await page.getByRole('group', { name: '유약 워크숍: 언제인가요?' }).count(), 1);
  assert.deepEqual(other.faults, []);
  await other.context.close();
});
