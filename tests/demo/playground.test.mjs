// The playground: what it gives to the engine, and what it shows of the result, in both languages and on a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as memfold from '../../pkg/node.js';
import { imported } from '../typescript.mjs';
import { axePath, counted, profile, staged, visit } from './site.mjs';
import { combinations } from '../tier.mjs';

const { tryOut } = await imported('www/demo/src/playground/trying.ts');
const { isRaw, mailOf, answerable } = await imported('www/demo/src/playground/scene.ts');
const { EXAMPLES, KINDS } = await imported('www/demo/src/examples.ts');
const BLANK = { kind: 'note', text: '', from: '', subject: '', day: '2026-05-01', answers: false };
const scene = ({ first, next }, mode = 'balanced') => ({ first: { ...BLANK, ...first }, next: { ...BLANK, ...next }, mode });
const SEOUL = 540;

/** What becomes of the second of two, in order. */
const decided = async (of, mode) => (await tryOut(memfold, scene(of, mode), SEOUL)).outcomes.map(({ receipt: { entry } }) => entry.decision);

const WANTED = {
  update: ['UPDATE'],
  link: ['CREATE_AND_LINK'],
  skip: ['SKIP'],
  create: ['CREATE'],
  several: ['UPDATE', 'CREATE_AND_LINK'],
  own: ['UPDATE'],
  fraud: ['CREATE_AND_LINK'],
};

test('every example is decided as its name says, in both languages', async () => {
  assert.deepEqual(Object.keys(WANTED), [...KINDS]);
  for (const lang of ['en', 'ko']) for (const kind of KINDS) assert.deepEqual([lang, kind, await decided(EXAMPLES[lang][kind])], [lang, kind, WANTED[kind]]);
});

test('the documentation leads to each of them', () => {
  const page = readFileSync(new URL('../../docs/playground.md', import.meta.url), 'utf8');
  assert.deepEqual(
    [...page.matchAll(/#\/evaluate\/(\w+)"/g)].map(([, kind]) => kind),
    [...KINDS],
  );
});

test('what a text is about comes with what the pair alone would have led to', async () => {
  const {
    known,
    outcomes: [outcome],
  } = await tryOut(memfold, scene(EXAMPLES.en.update), SEOUL);
  assert.equal(known.length, 1);
  assert.equal(outcome.pair.existing.content, known[0].content);
  assert.ok(Math.abs(outcome.pair.alone.probabilities.reduce((a, b) => a + b, 0) - 1) < 0.01);
  assert.equal(outcome.before.id, known[0].id);
  assert.equal(outcome.receipt.entry.status, 'dry_run');
  assert.match(outcome.read.content, /4 pm/);
  // Where similarity alone decides, there is no analysis.
  const fast = await tryOut(memfold, scene(EXAMPLES.en.update, 'fast'), SEOUL);
  assert.equal(fast.outcomes[0].pair.alone.probabilities, undefined);
});

test('a mail with a header of its own is told from a note that has colons', () => {
  const raw = 'From: Dana <dana@example.com>\nSubject: Fair\n\nThe fair is on 12 May.';
  for (const text of [
    raw,
    `\n${raw}`,
    `From dana@example.com Mon Apr  6 09:00:00 2026\n${raw}`,
    raw.replace('Fair', 'Fair\n of the town').replaceAll('\n', '\r\n'),
  ])
    assert.equal(isRaw(text), true, text);
  for (const text of [
    '',
    'From: Dana',
    'Time: 3 pm\nPlace: Cedar',
    'Subject to change:\nthe fair is on 12 May',
    'Re: fair\n\nFrom: Dana',
    'Note\nFrom: Dana\nSubject: x',
  ])
    assert.equal(isRaw(text), false, text);
  const asked = { ...BLANK, kind: 'mail', text: raw };
  assert.equal(mailOf('first', asked), raw);
  assert.equal(answerable(asked), undefined);
  assert.equal(answerable({ ...asked, text: `Message-ID: <a@b.example>\n${raw}` }), '<a@b.example>');
});

test('what is typed about a mail cannot add a line to its header', async () => {
  const of = {
    ...BLANK,
    kind: 'mail',
    from: 'Dana\r\nBcc: x@y.example <dana@example.com>',
    subject: '여름 장터 예산에 대하여 알려 드립니다\r\nX-Gmail-Labels: Sent',
    text: 'The budget of the fair is £900 now.',
    answers: true,
  };
  const mail = mailOf('next', of, '<first@playground.example>');
  const head = mail
    .slice(0, mail.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => !line.startsWith(' '));
  assert.deepEqual(
    head.map((line) => line.split(':')[0]),
    ['From', 'To', 'Date', 'Subject', 'Message-ID', 'In-Reply-To', 'References', 'MIME-Version', 'Content-Type', 'Content-Transfer-Encoding'],
  );
  const { outcomes } = await tryOut(memfold, { first: { ...BLANK, text: 'The fair is on 12 May.' }, next: of, mode: 'balanced' }, SEOUL);
  // Which of two addresses wrote it nobody can tell.
  assert.equal(outcomes[0].read.author, undefined);
  assert.match(outcomes[0].read.subject, /^여름 장터 예산에 대하여 알려 드립니다 X-Gmail-Labels: Sent$/);
  assert.equal(outcomes[0].read.sourceType, 'realtime');
});

test('nothing to read and an unreadable mail are no faults of the page', async () => {
  const { outcomes } = await tryOut(
    memfold,
    scene({ first: { text: 'The fair is on 12 May.' }, next: { kind: 'mail', from: 'a@b.example', text: 'Hi!\n\nThanks, bye' } }),
    SEOUL,
  );
  assert.deepEqual(outcomes, []);
  await assert.rejects(tryOut(memfold, scene({ first: { text: 'The fair is on 12 May.' }, next: { text: ' ' } }), SEOUL), { code: 'invalid_field' });
});

let site;
let context;
staged((s, c) => ([site, context] = [s, c]));

const axe = readFileSync(axePath, 'utf8');
/** The playground with an example of this place on it. */
async function shown(page, nth) {
  // What is there already is another one's.
  await page.evaluate(() => document.querySelector('.result')?.classList.add('old'));
  await page.locator('.examples .chip').nth(nth).click();
  await page.locator('.result:not(.old)').waitFor();
}
const written = (page) => page.locator('.result-written');
const fill = (page, which, text) => page.locator('.side').nth(which).locator('textarea').fill(text);

test('a decision comes with its reasons and what would be written, and nothing is', async () => {
  const page = await visit(context, site.url, 'evaluate');
  const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name).toSorted());
  const before = await databases();
  await shown(page, KINDS.indexOf('update'));
  assert.match(await page.locator('.result-head .badge').first().getAttribute('class'), /decision-UPDATE/);
  assert.match(await page.locator('.result-head').textContent(), /\d+\s?% likely/);
  assert.match(await page.locator('.result-why').textContent(), /time changed.*2 pm.*4 pm/s);
  // Written: what was said, with what no longer holds struck out.
  assert.match(await written(page).locator('ins').textContent(), /moves to 4 pm/);
  assert.match(await written(page).locator('del').textContent(), /at 2 pm/);
  await written(page).getByText('What the package gives, as JSON').click();
  assert.equal(JSON.parse(await written(page).locator('.json').textContent()).entry.status, 'dry_run');
  assert.deepEqual([await counted(page, 'memories'), await counted(page, 'log'), await databases()], [0, 0, before]);
});

test('of several things in one mail each has a result of its own', async () => {
  const page = await visit(context, site.url, 'evaluate/several');
  await page.locator('.result').waitFor();
  const chips = page.locator('.found .chip');
  assert.equal(await chips.count(), 2);
  assert.match(await page.locator('.result-head .badge').first().getAttribute('class'), /decision-UPDATE/);
  await chips.nth(1).click();
  assert.match(await page.locator('.result-head .badge').first().getAttribute('class'), /decision-CREATE_AND_LINK/);
  assert.match(await written(page).textContent(), /list of guests.*launch workshop/s);
});

test('a mail against a note of the owner waits, and one about a bank account warns', async () => {
  const page = await visit(context, site.url, 'evaluate');
  await shown(page, KINDS.indexOf('own'));
  assert.match(await page.locator('.result-head').textContent(), /Waits for your review.*more trusted source/s);
  assert.match(await written(page).textContent(), /stays as it is.*£900/s);
  assert.equal(await written(page).locator('ins, del').count(), 0);
  await shown(page, KINDS.indexOf('fraud'));
  await page.locator('.result-head .badge-error').waitFor();
  assert.match(await page.locator('.result-head').textContent(), /May be fraud.*Call a number that you already know/s);
  await page.locator('.switch').first().click();
  await shown(page, KINDS.indexOf('fraud'));
  await page.locator('.result-head', { hasText: '사기일 수 있음' }).waitFor();
  assert.match(await page.locator('.result-head').textContent(), /전부터 알던 번호로 전화해 확인하세요/);
});

test('one’s own texts are taken: notes, a whole mail with its header, and what has nothing in it', async () => {
  const page = await visit(context, site.url, 'evaluate');
  assert.equal(await page.getByRole('button', { name: 'Try it' }).isDisabled(), true);
  await fill(page, 0, 'The dentist is on Thursday 12 November at 10 am');
  await fill(page, 1, 'The dentist was moved to 11 am');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.locator('.result .decision-UPDATE').first().waitFor();
  // Pasted whole, it needs no telling what it is.
  await fill(
    page,
    1,
    'From: Front desk <desk@dentist.example>\nSubject: Your appointment\nDate: Mon, 2 Nov 2026 09:00:00 +0900\n\nThe dentist was moved to 9 am.',
  );
  assert.equal(await page.locator('.side').nth(1).getByRole('radio', { name: 'A mail' }).isChecked(), true);
  assert.equal(await page.locator('.side').nth(1).locator('input[type=date]').count(), 0);
  await page.getByRole('button', { name: 'Try it' }).click();
  await written(page).getByText('moved to 9 am').first().waitFor();
  await fill(page, 1, 'From: a@b.example\nSubject: Hi\n\nThanks, bye');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.locator('.result').getByText('Nothing in it is worth keeping, so nothing would be written.').waitFor();
  assert.equal(await page.locator('.result-why').count(), 0);
});

for (const [lang, theme, width] of combinations([
  ['en', 'light', 1280],
  ['ko', 'dark', 1280],
  ['en', 'dark', 390],
  ['ko', 'light', 390],
])) {
  test(`every example is free of axe violations and of sideways moves (${lang}, ${theme}, ${width} px)`, async () => {
    const stage = await profile(site, { locale: lang === 'ko' ? 'ko-KR' : 'en-GB', colorScheme: theme, viewport: { width, height: 844 } });
    const page = await visit(stage.context, site.url, 'evaluate');
    for (const nth of [undefined, ...KINDS.keys()]) {
      if (nth !== undefined) {
        await shown(page, nth);
        await page.locator(`.decision-${WANTED[KINDS[nth]][0]}`).first().waitFor();
        for (const more of await page.locator('.result details summary').all()) await more.click();
        // What came of it is in sight after a press.
        if (nth === 0) assert.ok((await page.locator('.result').evaluate((e) => e.getBoundingClientRect().top)) < 844);
      }
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(
        violations.map(
          (v) =>
            `${v.id}: ${v.nodes
              .slice(0, 3)
              .map((n) => n.target.join(' '))
              .join(' | ')}`,
        ),
        [],
        `${KINDS[nth]}`,
      );
      const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(content <= room, `${KINDS[nth]} is ${content} px wide on ${room}`);
    }
    await stage.context.close();
    assert.deepEqual(stage.faults, []);
  });
}
