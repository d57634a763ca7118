// A pause has an end: of everything, of a sender, of a label; it is shown, ends by itself or by a press, and outlives the worker.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ask, axePath, chip, mailbox, open, own, openMail, pictures, remember, stopWorker, thread } from './stage.mjs';
import { thorough } from '../tier.mjs';

let stage;
let mail;
let panel;
before(async () => {
  stage = await open();
  mail = await mailbox(stage);
  panel = await own(stage, 'panel.html', { width: 320 });
});
after(() => stage?.close());

const contents = async () => (await ask(panel, 'list', {})).map((m) => m.content);
const pauses = async () => (await ask(panel, 'settings')).pauses;
const beside = async (name) => {
  await remember(mail, name);
  await panel.evaluate(() => (location.hash = '#/inbox'));
  await panel
    .locator('.thread-subject')
    .filter({ hasText: thread(name).subject })
    .waitFor();
};
async function until(what) {
  for (let tries = 0; !(await what()); tries++) {
    assert.ok(tries < 600, `it did not come to ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
/** Lets the clock that waits for the next end strike now. */
const strike = () => panel.evaluate(() => chrome.alarms.create('pause', { when: Date.now() + 20 }));

thorough('for an hour, until tomorrow, until it is turned on: each with its end', async () => {
  await remember(mail, 'budget', /1 remembered · 1 updated/);
  for (const [name, end] of [
    ['for an hour', (now) => now + 3_600_000],
    ['until tomorrow', (now) => Date.parse(`${new Date(now + 9 * 3_600_000 + 86_400_000).toISOString().slice(0, 10)}T00:00:00+09:00`)],
    ['until I turn it on', () => null],
  ]) {
    await panel.locator('.pause-all summary').click();
    await panel.locator('.pause-all').getByRole('button', { name, exact: true }).click();
    await panel.locator('.pauses').filter({ hasText: 'Everything is paused' }).waitFor();
    const [{ of, until: at }, ...more] = await pauses();
    assert.deepEqual([of, more], ['all', []]);
    const wanted = end(Date.now());
    if (wanted === null) assert.equal(at, null);
    else assert.ok(Math.abs(at - wanted) < 60_000, `${name}: ${at} is not near ${wanted}`);
    const alarm = await panel.evaluate(() => chrome.alarms.get('pause'));
    assert.equal(alarm?.scheduledTime ?? null, at);
    await openMail(mail, 'dentist');
    await mail.waitForFunction(
      (id) => document.querySelector(`h2[data-thread-perm-id="thread-f:${id}"]`)?.parentElement.querySelector('memfold-chip'),
      thread('dentist').id,
    );
    await chip(mail, at === null ? /^paused$/ : /^paused until /);
    assert.ok(!(await contents()).some((c) => /dentist/i.test(c)));
    await panel.locator('.pauses').getByRole('button', { name: 'Turn on again' }).click();
    await panel.locator('.pauses').waitFor({ state: 'detached' });
    await remember(mail, 'budget', /1 remembered · 1 updated/);
  }
});

test('a pause ends by itself, also where the worker was stopped meanwhile', async () => {
  await ask(panel, 'pause', { of: 'all', name: '', until: Date.now() + 1_500 });
  await panel.locator('.pauses').waitFor();
  assert.match(await panel.locator('.pauses').textContent(), /until \d+ \w+ \d{4}/);
  await openMail(mail, 'dentist');
  await chip(mail, /^paused until /);
  await stopWorker(panel);
  // The alarm wakes the worker, which takes the pause away and tells the page.
  await until(async () => (await panel.evaluate(async () => (await chrome.storage.local.get('settings')).settings.pauses.length)) === 0);
  await panel.locator('.pauses').waitFor({ state: 'detached' });
  await remember(mail, 'budget');
  await remember(mail, 'dentist', /1 remembered/);
});

test('one that is over counts for nothing, even if nobody has taken it away', async () => {
  await panel.evaluate(async () => {
    const { settings } = await chrome.storage.local.get('settings');
    await chrome.storage.local.set({ settings: { ...settings, pauses: [{ of: 'all', name: '', until: Date.now() - 1 }] } });
  });
  assert.deepEqual((await ask(panel, 'status')).pauses, []);
  await remember(mail, 'contract', /1 remembered/);
  await strike();
  await until(async () => (await pauses()).length === 0);
});

test('a sender and a label are paused from the mail, for a time', async () => {
  await beside('goals');
  await panel.locator('.alone summary').click();
  await panel.locator('.alone').getByLabel('for an hour').check();
  await panel
    .locator('.alone')
    .getByRole('button', { name: /^Pause 김민준/ })
    .click();
  await panel
    .locator('.toast')
    .filter({ hasText: /Paused until/ })
    .waitFor();
  assert.deepEqual(
    (await pauses()).map((p) => [p.of, p.name]),
    [['sender', 'kim@hanbit.example']],
  );
  await openMail(mail, 'kickoff');
  await mail.waitForFunction(
    (id) => document.querySelector(`h2[data-thread-perm-id="thread-f:${id}"]`)?.parentElement.querySelector('memfold-chip'),
    thread('kickoff').id,
  );
  await chip(mail, /^paused until /);
  // Another sender is read, and of a thread of two what the other wrote.
  await remember(mail, 'many1', /1 remembered/);
  await panel.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await pauses()).length === 0);
  await remember(mail, 'kickoff', /1 remembered/);
  await beside('many1');
  await ask(panel, 'pause', { of: 'label', name: 'private', until: null });
  await ask(panel, 'pause', { of: 'label', name: 'Trips', until: Date.now() + 3_600_000 });
  await openMail(mail, 'travel');
  await mail.waitForFunction(
    (id) => document.querySelector(`h2[data-thread-perm-id="thread-f:${id}"]`)?.parentElement.querySelector('memfold-chip'),
    thread('travel').id,
  );
  await chip(mail, /^paused until /);
  await until(async () => (await panel.locator('.pauses li').count()) === 2);
});

thorough('what is paused reads well in both languages and takes no more room than there is', async () => {
  const axe = readFileSync(axePath, 'utf8');
  for (const [lang, words] of [
    ['ko', /라벨 일시 중지됨/],
    ['en', /The label Trips is paused/],
  ]) {
    await panel.evaluate((choice) => localStorage.setItem('memfold-demo', JSON.stringify(choice)), { lang, theme: 'light' });
    await panel.reload();
    await panel.locator('.pauses').filter({ hasText: words }).waitFor();
    await panel.locator('.pause-all summary').click();
    await panel.evaluate(`${axe};0`);
    const { violations } = await panel.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(
      violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target)}`),
      [],
    );
    assert.ok((await panel.evaluate(() => document.documentElement.scrollWidth)) <= 320);
    await panel.screenshot({ path: `${pictures}pause-${lang}.png`, fullPage: true });
  }
});

test('nonsense is not kept, and saving other options keeps what is paused', async () => {
  const now = await ask(panel, 'settings');
  const saved = await ask(panel, 'save', {
    ...now,
    pauses: [...now.pauses, { of: 'everything', name: 'x', until: 5 }, { of: 'sender', name: '', until: null }, { of: 'all', name: '', until: 'soon' }],
  });
  assert.deepEqual(saved.pauses, now.pauses);
  const options = await own(stage, 'options.html', { width: 760 });
  await options.locator('.pauses li').first().waitFor();
  await ask(panel, 'unpause', { of: 'label', name: 'Trips' });
  await options.locator('#save').click();
  await options.locator('form .done').filter({ hasText: 'Saved.' }).waitFor();
  assert.deepEqual(
    (await pauses()).map((p) => p.name),
    ['private'],
  );
  await options.close();
});
