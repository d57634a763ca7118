// Gmail in its many forms: each is read right, or the extension says that it cannot. What is being written is never read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, chip, mailbox, MAIL, open, openMail, own, pictures, remember, thread } from './stage.mjs';
import { thorough } from '../tier.mjs';

let stage;
let panel;
before(async () => {
  stage = await open();
  panel = await own(stage, 'panel.html', { width: 320 });
});
after(() => stage?.close());

const contents = async () => (await ask(panel, 'list', { includeSuperseded: true })).map((m) => m.content);
const said = async () => JSON.stringify([await ask(panel, 'list', { includeSuperseded: true }), await ask(panel, 'log.list', {})]);
const knows = async (words) => (await contents()).some((content) => content.includes(words));
const alone = (name, i) => `[data-legacy-message-id="${BigInt(thread(name).mails[i].id).toString(16)}"]`;

for (const query of ['?flat', '?flat&hl=ko&dark']) {
  thorough(`each message stands alone where conversation view is off (${query})`, async () => {
    const mail = await mailbox(stage, query);
    const [name, words] = query === '?flat' ? ['goals', ['20억', '25억']] : ['parts', ['300', '120']];
    for (const [i, word] of words.entries()) {
      await mail.evaluate((hash) => (location.hash = `#inbox/${hash}`), thread(name).mails[i].hash);
      await mail.locator(alone(name, i)).waitFor();
      await mail.locator('memfold-chip').waitFor();
      await chip(mail, query === '?flat' ? /1 (remembered|updated)/ : /1개 (기억|갱신)/);
      assert.ok(await knows(word), word);
      if (i === 0) assert.ok(!(await knows(words[1])), 'the other was not on the screen');
    }
    await mail.close();
  });
}

for (const [query, words] of [
  ['?split', /1 remembered · 1 updated/],
  ['?split&dark&hl=ko', /1개 기억 · 1개 갱신/],
]) {
  test(`a thread beside the list, ${query}`, async () => {
    const mail = await mailbox(stage, query);
    await remember(mail, 'budget', words);
    assert.equal(await mail.locator('memfold-chip').count(), 1);
    assert.equal(await mail.locator('memfold-chip').evaluate((n) => n.hasAttribute('data-dark')), query.includes('dark'));
    await mail.close();
  });
}

thorough('a window of its own is read, and says so where it cannot', async () => {
  const th = encodeURIComponent(`#thread-f:${thread('dentist').id}`);
  const mail = await stage.context.newPage();
  await mail.goto(`${MAIL}popout?ver=abc&search=inbox&th=${th}&cvid=1`);
  await mail.locator('memfold-chip').waitFor();
  await chip(mail, /1 remembered/);
  assert.ok(await knows('dentist'));
  await mail.goto(`${MAIL}popout?ver=abc&search=inbox&th=${th}&cvid=1&changed`);
  await mail.locator('memfold-chip[data-trouble=changed]').waitFor({ timeout: 15_000 });
  await chip(mail, /cannot read this page/);
  await mail.close();
});

for (const [lang, words] of [
  ['en', /cannot read the page for the printer/],
  ['ko', /인쇄용 화면을 읽지 못합니다/],
]) {
  test(`the page for a printer is not read, which is told on the screen and not on paper (${lang})`, async () => {
    const mail = await stage.context.newPage();
    const before = await said();
    await mail.goto(`${MAIL}?ui=2&view=pt&search=all&permthid=thread-f:${thread('contract').id}&hl=${lang}`);
    await mail.locator('memfold-chip').waitFor();
    await chip(mail, words);
    await mail.screenshot({ path: `${pictures}chip-${lang}-printed.png` });
    await mail.emulateMedia({ media: 'print' });
    assert.equal(await mail.locator('memfold-chip').isVisible(), false);
    assert.equal(await said(), before);
    await mail.close();
  });
}

test('collapsed messages wait, and what the account sent is asked for by its own name', async () => {
  const mail = await mailbox(stage);
  await remember(mail, 'venue', /1 remembered/);
  assert.ok(stage.gmail.asked.some((path) => path.includes(`permmsgid=${thread('venue').mails[1].perm}`)));
  const [sent] = (await ask(panel, 'list', {})).filter((m) => /7,300/.test(m.content));
  assert.equal(sent.sourceId, `<m${thread('venue').mails[1].n}@mail.example>`, 'the original was read');
  assert.ok(!(await knows('Lake House')));
  await mail.locator('#pane .kv .gE:visible').first().click();
  await chip(mail, /[23] remembered|updated/);
  assert.ok(await knows('Lake House'));
  await mail.close();
});

test('what is being written is never read: a draft, an answer, a new mail, a chat', async () => {
  const mail = await mailbox(stage, '?compose');
  await remember(mail, 'venue');
  await openMail(mail, 'unsent');
  await mail.locator('h2:visible', { hasText: 'Unsent' }).waitFor();
  // Longer than the reader is patient with a page that it cannot read: there is nothing to say here.
  await mail.waitForTimeout(9_500);
  assert.equal(await mail.locator('memfold-chip').count(), 0);
  const all = await said();
  for (const words of ['resign', 'called off', 'secret price', 'quoted price', '1,234', '77 euros', 'chat budget']) assert.ok(!all.includes(words), words);
  assert.deepEqual((await ask(panel, 'status')).missing, []);
  await mail.close();
});

for (const [query, label] of [
  ['', 'promotions'],
  ['?hl=ko', '프로모션'],
]) {
  (query ? thorough : test)(`a tab is a label by which mail is left alone (${label})`, async () => {
    const before = await ask(panel, 'settings');
    await ask(panel, 'save', { ...before, ignoreLabels: [label] });
    const mail = await mailbox(stage, query);
    await mail.evaluate((hash) => (location.hash = `#category/promotions/${hash}`), thread('many20').hash);
    await mail.locator('h2:visible', { hasText: thread('many20').subject }).waitFor();
    await mail.waitForTimeout(400);
    assert.ok(!(await knows(thread('many20').subject)));
    assert.equal(await mail.locator('memfold-chip').count(), 0);
    await mail.evaluate((hash) => (location.hash = `#label/Work%2FShop/${hash}`), thread('many21').hash);
    await mail.locator('h2:visible', { hasText: thread('many21').subject }).waitFor();
    await mail.locator('memfold-chip').waitFor();
    await chip(mail, /1 remembered|1개 기억/);
    await ask(panel, 'save', before);
    await mail.close();
  });
}

thorough('every state of the chip, in both languages, as a picture', async () => {
  const before = await ask(panel, 'settings');
  const shot = async (mail, name) =>
    mail
      .locator('.ha:visible')
      .first()
      .screenshot({ path: `${pictures}chip-${name}.png` });
  for (const [lang, words] of [
    [
      'en',
      {
        nothing: /^nothing to remember$/,
        orders: /^gives orders to assistants/,
        paused: /^paused$/,
        until: /^paused until /,
        working: /^reading…$/,
        lacks: / · without the model$/,
      },
    ],
    [
      'ko',
      {
        nothing: /^기억할 내용 없음$/,
        orders: /^AI에게 지시하는 메일/,
        paused: /^일시 중지$/,
        until: /까지 일시 중지$/,
        working: /^읽는 중…$/,
        lacks: / · 모델 없이$/,
      },
    ],
  ]) {
    const mail = await mailbox(stage, lang === 'ko' ? '?hl=ko' : '');
    for (const [name, which] of [
      ['nothing', 'hello'],
      ['orders', 'steer'],
    ]) {
      await remember(mail, which, words[name]);
      await shot(mail, `${lang}-${name}`);
    }
    for (const [name, until] of [
      ['paused', null],
      ['until', Date.now() + 3_600_000],
    ]) {
      await ask(panel, 'pause', { of: 'all', name: '', until });
      await remember(mail, name === 'paused' ? 'hello' : 'budget', words[name]);
      await shot(mail, `${lang}-${name}`);
    }
    await ask(panel, 'unpause', { of: 'all', name: '' });
    stage.gmail.state.slow = 2_500;
    const fresh = lang === 'en' ? 'many30' : 'many31';
    await remember(mail, fresh, words.working);
    await shot(mail, `${lang}-working`);
    stage.gmail.state.slow = 0;
    await chip(mail, /1 remembered|1개 기억/);
    await ask(panel, 'save', { ...before, endpoint: { dialect: 'openai', url: 'http://127.0.0.1:9/v1', model: 'none' } });
    // A mail that is read now: of one that was read before nothing is opened to know it.
    await remember(mail, lang === 'en' ? 'many28' : 'many29', words.lacks);
    await shot(mail, `${lang}-lacks`);
    await ask(panel, 'save', before);
    await mail.close();
  }
});
