// A visit of twelve tasks of a mailbox's owner, in both languages, on a desk and on a phone: each from Today, counted in
// presses and seconds. `make test-all` lays the pictures of every view and state into .cache/shots, to be looked at.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VIEWS, axePath, countIs, counted, go, open, profile, visit } from './site.mjs';
import { ALL, combinations } from '../tier.mjs';

const shots = fileURLToPath(new URL('../../.cache/shots/', import.meta.url));
const axe = readFileSync(axePath, 'utf8');
/** Presses that any task may take. */
const MOST = 3;

const WORDS = {
  en: {
    locale: 'en-GB',
    owner: 'nora@bellpottery.example',
    workshop: 'Glaze workshop',
    now: /Wednesday 20 May/,
    before: /Wednesday 13 May/,
    who: 'Dana Reed',
    shop: 'orders@kilnandclay.example',
    order: 'KC-4417',
    due: [/names for the badges/, /check-up/, /invoice for order KC-4417/],
    bank: /new account GB00/,
    warning: /Do not pay/,
    forget: 'Forget it',
    putBack: 'Put this back',
    person: 'By person',
    all: /^Forget everything from/,
    undo: 'Undo',
    redo: 'Redo',
    undoImport: 'Undo this import',
    yes: 'Yes, undo',
    replace: 'Replace',
    old: /of £600/,
    note: 'What should be remembered?',
    remember: 'Remember',
    question: 'When does my train to York leave?',
    train: /9:05/,
    search: 'Search',
    download: 'Download',
    both: 'Both are right',
    save: 'Save answer',
    coming: 'Due and coming up',
    questions: 'For you to confirm',
    data: /^Your data/,
  },
  ko: {
    locale: 'ko-KR',
    owner: 'nara@nara-pottery.example',
    workshop: '유약 워크숍',
    now: /5월 20일 수요일/,
    before: /5월 13일 수요일/,
    who: '한도윤',
    shop: 'order@heukgama.example',
    order: 'HG-4417',
    due: [/이름표에 넣을 이름/, /정기 검진/, /84,000원을 5월 15일/],
    bank: /입금 계좌가 변경/,
    warning: /돈을 보내거나/,
    forget: '버리기',
    putBack: '이 내용으로 되돌리기',
    person: '사람별로',
    all: /에게서 온 기억 모두 지우기$/,
    undo: '되돌리기',
    redo: '다시 하기',
    undoImport: '이 가져오기 되돌리기',
    yes: '네, 되돌립니다',
    replace: '바꾸기',
    old: /60만원/,
    note: '무엇을 기억할까요?',
    remember: '기억하기',
    question: '경주 가는 열차 몇 시야?',
    train: /9시 5분/,
    search: '검색',
    download: '내려받기',
    both: '둘 다 맞음',
    save: '답 저장',
    coming: '다가오는 일',
    questions: '확인해 주세요',
    data: /^내 데이터/,
  },
};

let site;
before(async () => {
  mkdirSync(shots, { recursive: true });
  site = await open();
});
after(() => site?.close());

/** A person's presses on a page, counted; what is typed is not. */
function person(page) {
  const counts = { presses: 0 };
  return {
    counts,
    async press(locator) {
      counts.presses++;
      await locator.click();
    },
    nav: (view) => page.locator(`.nav a[href="#/${view}"]`),
  };
}

const heads = (page) => page.locator('.matter').filter({ has: page.locator('.matter-head') });

/** The twelve tasks: what is asked, and how it is done and known to be done. Each leaves things as the next may find them. */
const TASKS = {
  'what time is the workshop now': async ({ page, me, w }) => {
    await me.press(me.nav('memories'));
    const matter = heads(page).filter({ hasText: w.workshop }).first();
    assert.match(await matter.locator('.memory-text').first().textContent(), w.now);
  },
  'who told me': async ({ page, me, w }) => {
    await me.press(me.nav('memories'));
    const said = heads(page).filter({ hasText: w.workshop }).first().locator('.byline-mail').first();
    assert.match(await said.textContent(), new RegExp(w.who));
    await me.press(said);
    assert.match(await page.locator('dialog.mail mark').first().textContent(), w.now);
  },
  'put back the old date': async ({ page, me, w }) => {
    await me.press(me.nav('memories'));
    const matter = heads(page).filter({ hasText: w.workshop }).first();
    await me.press(matter.locator('.matter-head'));
    await me.press(matter.getByRole('button', { name: w.putBack }));
    await page.locator('.toast').waitFor();
    assert.match(
      await heads(page)
        .filter({ hasText: w.workshop })
        .first()
        .locator('.memory-text')
        .allTextContents()
        .then((all) => all.join()),
      w.before,
    );
    assert.doesNotMatch(await heads(page).filter({ hasText: w.workshop }).first().locator('.memory-text').first().textContent(), w.now);
  },
  'take that back again': async ({ page, me, w }) => {
    await page.locator('.toast').waitFor();
    await me.press(page.locator('.toast').getByRole('button', { name: w.redo }));
    await page.locator('.matter .memory-text').filter({ hasText: w.now }).waitFor();
  },
  'forget everything from this shop': async ({ page, me, w }) => {
    const before = await counted(page, 'memories');
    await me.press(me.nav('memories'));
    await me.press(page.getByRole('button', { name: w.person, exact: true }));
    await me.press(page.locator('.person').filter({ hasText: w.shop }).getByRole('button', { name: w.all }));
    await countIs(page, 'memories', before - 2);
    await page.locator('.toast').getByRole('button', { name: w.undo }).click();
    await countIs(page, 'memories', before);
    await page.locator('.ways .chip').first().click();
  },
  'what is due this week': async ({ page, w }) => {
    const week = await page.getByRole('region', { name: w.coming }).locator('.week').first().textContent();
    for (const due of w.due) assert.match(week, due);
  },
  'is this bank mail real': async ({ page, me, w }) => {
    await me.press(me.nav('review'));
    const fraud = page.locator('.review-group-fraud');
    await fraud.waitFor();
    assert.match(await fraud.textContent(), w.bank);
    assert.match(await fraud.textContent(), w.warning);
  },
  'answer that both may stand': async ({ page, me, w }) => {
    const before = await counted(page, 'review');
    const question = page.getByRole('region', { name: w.questions }).locator('.review-doubt').first();
    await me.press(question.getByRole('radio', { name: w.both }));
    await me.press(question.getByRole('button', { name: w.save }));
    await countIs(page, 'review', before - 1);
    await me.press(page.locator('.toast').getByRole('button', { name: w.undo }));
    await countIs(page, 'review', before);
  },
  'what did the budget use to be': async ({ page, me, w }) => {
    await me.press(me.nav('memories'));
    const line = page.locator('.matter').filter({ hasText: /summer fair|여름 장터/ });
    await me.press(line.locator('.matter-head'));
    assert.match((await line.locator('.line s').allTextContents()).join(), w.old);
  },
  'when does my train leave': async ({ page, me, w }) => {
    await page.getByRole('searchbox').fill(w.question);
    await me.press(page.getByRole('button', { name: w.search, exact: true }));
    await page.locator('.hit').first().waitFor();
    assert.match(await page.locator('.hit-text').first().textContent(), w.train);
  },
  'take it all with me': async ({ page, me, w }) => {
    await me.press(me.nav('settings'));
    await me.press(page.getByRole('link', { name: w.data }));
    const download = page.waitForEvent('download');
    await me.press(page.getByRole('button', { name: w.download, exact: true }));
    assert.equal((await download).suggestedFilename(), 'memories.jsonl');
  },
  'undo this import': async ({ page, me, w }) => {
    await me.press(page.getByRole('button', { name: w.undoImport }));
    await me.press(page.getByRole('button', { name: w.yes }));
    await countIs(page, 'memories', 0);
  },
};

const COMBINATIONS = [
  ['en', 1280, 'light'],
  ['en', 390, 'dark'],
  ['ko', 1280, 'light'],
  ['ko', 390, 'dark'],
];

for (const [lang, width, colorScheme] of combinations(COMBINATIONS, 0)) {
  test(`twelve tasks of an owner take three presses at most (${lang}, ${width} px)`, async (t) => {
    const w = WORDS[lang];
    const stage = await profile(site, { locale: w.locale, colorScheme, viewport: { width, height: width < 600 ? 844 : 900 } });
    const page = await visit(stage.context, site.url);
    const shot = async (name, fullPage = true) => {
      if (!ALL) return;
      await page.waitForTimeout(150);
      await page.screenshot({ path: `${shots}${name}-${lang}-${width}.png`, fullPage });
    };
    await shot('empty');
    await page.locator(`#sample-${lang}`).click();
    await page.locator('.run-done').waitFor({ timeout: 60_000 });
    await page.locator('.guide').waitFor();
    // What became of it is in sight, also where it lies beneath what was pressed.
    const top = await page.locator('.run-done').evaluate((e) => e.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 400, `the outcome is ${top} px from the top`);
    for (let step = 1; step <= 6; step++) {
      await page.locator('main h1').waitFor();
      await shot(`guide-${step}`, false);
      await page.locator('.guide .button-primary').click();
    }
    assert.equal(await page.locator('.guide').count(), 0);
    const table = [];
    for (const [name, task] of Object.entries(TASKS)) {
      if (name !== 'take that back again') await go(page, 'today');
      const me = person(page);
      const began = performance.now();
      await task({ page, me, w });
      table.push({ task: name, presses: me.counts.presses, seconds: (performance.now() - began) / 1000 });
      await shot(`task-${table.length}`, false);
      if (await page.locator('dialog[open]').count()) await page.keyboard.press('Escape');
    }
    t.diagnostic(table.map((r) => `${r.presses} presses, ${r.seconds.toFixed(1)} s: ${r.task}`).join('\n'));
    assert.equal(table.length, 12);
    assert.deepEqual(
      table.filter((r) => r.presses > MOST),
      [],
    );
    assert.deepEqual(stage.faults, []);
    await stage.context.close();
  });
}

for (const [lang, width, colorScheme] of combinations(COMBINATIONS)) {
  test(`every view and state is whole, and breaks no rule of accessibility (${lang}, ${width} px)`, async () => {
    const w = WORDS[lang];
    const stage = await profile(site, { locale: w.locale, colorScheme, viewport: { width, height: width < 600 ? 844 : 900 } });
    const page = await visit(stage.context, site.url);
    const found = [];
    const seen = async (name, fullPage = true) => {
      await page.waitForTimeout(150);
      if (ALL) await page.screenshot({ path: `${shots}${name}-${lang}-${width}.png`, fullPage });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      found.push(...violations.map((v) => `${name}: ${v.id} at ${v.nodes[0].target.join(' ')}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) found.push(`${name}: ${wide} px too wide`);
    };
    await page.locator('.drop input[type=file]').setInputFiles({ name: 'photo.mbox', mimeType: 'application/mbox', buffer: Buffer.from([0, 255, 216, 1]) });
    await page.locator('.refused').waitFor();
    await seen('refused');
    await page.locator('.drop input[type=file]').setInputFiles({
      name: 'mails.mbox',
      mimeType: 'application/mbox',
      buffer: Buffer.from('From a Mon Mar 02 09:00:00 +0000 2026\nFrom: a@a.example\nTo: b@b.example\nSubject: Room\n\nRoom 4.\n'),
    });
    await page.locator('.whose').waitFor();
    await seen('whose');
    await page.locator('.whose .button-quiet').click();
    await page.locator(`#sample-${lang}`).click();
    await page.locator('.guide').waitFor();
    await seen('guide');
    await page.locator('.guide .button-icon').click();
    for (const view of VIEWS) {
      await go(page, view);
      if (view === 'search') {
        await page.locator('input[name=q]').fill(w.workshop);
        await page.keyboard.press('Enter');
        await page.locator('.hit').first().waitFor();
      }
      await seen(view);
      if (view === 'inbox') {
        await page.locator('.entry-head').nth(1).click();
        await page.locator('.entry .more summary').first().click();
        await seen('entry-details');
      }
      if (view === 'memories') {
        await heads(page).filter({ hasText: w.workshop }).first().locator('.matter-head').click();
        await page.locator('.memory-head').last().click();
        await seen('matter');
        if (width < 600) await page.keyboard.press('Escape');
        for (const [n, name] of ['people', 'list'].entries()) {
          await page
            .locator('.ways .chip')
            .nth(n + 1)
            .click();
          await seen(name);
        }
        await page.locator('.ways .chip').first().click();
        await page.locator('.byline-mail').first().click();
        await page.locator('dialog.mail .mail-text').waitFor();
        await seen('mail', false);
        await page.keyboard.press('Escape');
      }
      if (view === 'links') {
        await page.locator('.node').first().click();
        await seen('link');
      }
      if (view === 'review') {
        for (const box of await page.locator('.review-pick input').all()) await box.check();
        await seen('several');
        await page.locator('.several .button').first().click();
        await page.locator('.toast').waitFor();
        await seen('answered');
      }
      if (view === 'log') {
        await page.locator('.cell-open button').first().click();
        await seen('log-details');
      }
    }
    // The narrowest phone.
    if (width < 600) {
      await page.setViewportSize({ width: 360, height: 740 });
      for (const view of VIEWS) {
        await go(page, view);
        const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.ok(content <= room, `${view} is ${content} px wide on ${room}`);
        // It is brought there by scrolling, which takes a moment.
        const inSight = page.waitForFunction(() => {
          const entry = document.querySelector('.nav [aria-current]').getBoundingClientRect();
          return entry.left >= 0 && entry.right <= innerWidth;
        });
        assert.ok(await inSight.catch(() => false), `the entry of ${view} is in sight`);
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(stage.faults, []);
    await stage.context.close();
  });
}
