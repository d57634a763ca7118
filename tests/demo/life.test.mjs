// The demo page's life: writing by hand, stopping, several tabs, themes, the keyboard, hostile and broken input.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailbox } from '../../benches/mailbox.mjs';
import { answer, choose, countIs, counted, flat, giveSample, go, loadSample, profile, staged, tile, visit, write } from './site.mjs';
import { thorough } from '../tier.mjs';

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

test('a preview writes nothing, and remembering writes once', async () => {
  const page = await visit(context, site.url);
  assert.match(await write(page, 'The spare key lies with Dana on the third floor.', 'Preview'), /decision-CREATE/);
  assert.match(await page.locator('.note-result').textContent(), /Nothing has been saved yet/);
  assert.equal(await counted(page, 'memories'), 0);
  assert.equal(await counted(page, 'log'), 0);
  assert.match(await write(page, 'The spare key lies with Dana on the third floor.'), /decision-CREATE/);
  await countIs(page, 'memories', 1);
  assert.equal(await counted(page, 'log'), 1);
  assert.match(await write(page, 'The spare key lies with Dana on the third floor.'), /decision-SKIP/);
  assert.equal(await counted(page, 'memories'), 1);
});

test('a deleted memory is gone, and the log brings it back', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The spare key lies with Dana on the third floor.');
  await flat(page);
  await page.locator('.memory-head').click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Yes, delete' }).click();
  await page.locator('.empty').waitFor();
  assert.equal(await counted(page, 'memories'), 0);
  await go(page, 'log');
  const row = page.locator('.log-table tbody tr').filter({ hasText: 'Deleted' });
  await row.getByRole('button', { name: 'Explain' }).click();
  await page.locator('.row-explanation').getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'memories', 1);
});

test('Enter pressed twice deletes nothing, and the focus is never lost', async () => {
  const page = await visit(context, site.url);
  const focus = () => page.evaluate(() => document.activeElement.textContent);
  const holds = (words) => page.waitForFunction((w) => document.activeElement.textContent === w, words);
  await write(page, 'The spare key lies with Dana on the third floor.');
  await flat(page);
  await page.locator('.memory-head').click();
  const remove = page.getByRole('button', { name: 'Delete', exact: true });
  await remove.focus();
  await page.keyboard.press('Enter');
  assert.equal(await focus(), 'Cancel');
  await page.keyboard.press('Enter');
  await remove.waitFor();
  await holds('Correct');
  assert.equal(await counted(page, 'memories'), 1);
  await remove.click();
  await page.getByRole('button', { name: 'Yes, delete' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.empty').waitFor();
  await holds('Everything');
  await go(page, 'data');
  await page.getByRole('button', { name: 'Erase everything' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await holds('Erase everything');
});

test('what is written by hand was said now', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The dentist is on 3 March 2099 at 2 pm.');
  await go(page, 'memories');
  const last = await page.locator('.matter-meta').first().textContent();
  assert.match(last, /last said/);
  assert.doesNotMatch(last, /last said .*2099/);
});

test('a memory is corrected by hand: its next version has the words of its owner, and one press takes that back', async () => {
  const page = await visit(context, site.url);
  const [wrong, right] = ['The spare key lies with Dana on the third floor.', 'The spare key lies with Moira on the fourth floor.'];
  await write(page, wrong);
  await flat(page);
  await page.locator('.memory-head').click();
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  const text = page.getByLabel('What is right?');
  assert.equal(await text.inputValue(), wrong);
  assert.equal(await text.evaluate((e) => e === document.activeElement), true);
  const save = page.getByRole('button', { name: 'Save the correction' });
  assert.equal(await save.isDisabled(), true);
  await text.fill(right);
  await save.click();
  await page.locator('.toast').getByText('Corrected.').waitFor();
  assert.match(await page.locator('#live').textContent(), /Corrected\./);
  await page.waitForFunction(() => document.activeElement.classList.contains('memory-head'));
  const said = page.locator('.memory-text');
  assert.equal(
    await said.evaluate((e) => [...e.querySelectorAll('s')].reduce((all, gone) => all.replace(gone.textContent, ''), e.textContent).includes('Moira')),
    true,
  );
  await page.keyboard.press('Enter');
  await page.locator('.timeline > li').nth(1).waitFor();
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.getByText(wrong, { exact: true }).first().waitFor();
  await page.locator('.memory:not(.memory-open) .memory-head').click();
  await page.locator('.memory-detail').waitFor();
  assert.equal(await page.locator('.timeline > li').count(), 0);
  await page.locator('.switch').first().click();
  await page.getByRole('button', { name: '고치기', exact: true }).click();
  await page.getByLabel('맞는 내용').waitFor();
});

thorough('what the page cannot fetch of itself is told as that', async () => {
  const other = await profile(site);
  await other.context.route(/\.mbox$|\/graph-[^/]*\.js$/, (route) => route.abort());
  const page = await visit(other.context, site.url);
  await page.locator('#sample-en').click();
  await page.locator('[role=alert]').getByText('The file could not be loaded.').waitFor();
  await loadSample(page);
  await go(page, 'links');
  await page.locator('main [role=alert]').getByText('The file could not be loaded.').last().waitFor();
  await page.locator('.links-table tbody tr').first().waitFor();
  assert.deepEqual(
    other.faults.filter((fault) => fault.startsWith('uncaught')),
    [],
  );
  await other.context.close();
});

test('markup in a memory is text and nothing else', async () => {
  const page = await visit(context, site.url);
  const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script> <b>bold</b> javascript:alert(1)';
  await write(page, hostile);
  await flat(page);
  assert.equal(await page.locator('.memory-text').textContent(), hostile);
  assert.equal(await page.locator('.memory-text :is(img, script, b)').count(), 0);
  await page.locator('.memory-head').click();
  assert.match(await page.title(), /memfold/);
});

test('an update shows its versions as a timeline with what changed', async () => {
  const page = await visit(context, site.url);
  await page.getByText('Fast', { exact: true }).click();
  await write(page, 'The kickoff meeting of the harbour project takes place on 22 January at 2 pm in the large conference room.');
  const outcome = await write(page, 'The kickoff of the harbour project was moved to 23 January at 4 pm, in the large conference room.');
  assert.match(outcome, /decision-UPDATE/);
  await countIs(page, 'log', 2);
  assert.equal(await counted(page, 'memories'), 1);
  await flat(page);
  await page.locator('.memory-head').click();
  await page.locator('.timeline > li').nth(1).waitFor();
  assert.equal(await page.locator('.timeline > li').count(), 2);
  assert.match((await page.locator('.timeline del').allTextContents()).join(' '), /2 pm/);
  assert.match((await page.locator('.timeline ins').allTextContents()).join(' '), /4 pm/);
});

thorough('a stopped run keeps what was decided and can be gone on with', async () => {
  const page = await visit(context, site.url);
  await giveSample(page);
  await page.locator('.run').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.run-cancelled').waitFor({ timeout: 60_000 });
  const early = await tile(page, 0);
  assert.ok(early < 66, `${early} mails were read before it stopped`);
  await loadSample(page);
  const whole = [await counted(page, 'memories'), await counted(page, 'log')];
  const other = await profile(site);
  const fresh = await visit(other.context, site.url);
  await loadSample(fresh);
  assert.deepEqual(whole, [await counted(fresh, 'memories'), await counted(fresh, 'log')]);
  await other.context.close();
});

test('two tabs that fold in the same mail lose nothing and double nothing', async () => {
  const file = { name: 'archive.mbox', mimeType: 'application/mbox', buffer: Buffer.from(mailbox(12)) };
  const fold = async (page) => {
    await choose(page, file);
    await page.locator('.run-done').waitFor({ timeout: 120_000 });
  };
  const alone = await profile(site);
  const one = await visit(alone.context, site.url);
  await fold(one);
  const expected = [await counted(one, 'memories'), await counted(one, 'log')];
  await alone.context.close();
  const [left, right] = [await visit(context, site.url), await visit(context, site.url)];
  await Promise.all([fold(left), fold(right)]);
  for (const page of [left, right]) {
    await page.reload();
    await page.locator('.today-columns, .feed').first().waitFor();
    assert.deepEqual([await counted(page, 'memories'), await counted(page, 'log')], expected);
  }
});

test('what one tab writes appears in the other', async () => {
  const [left, right] = [await visit(context, site.url), await visit(context, site.url, 'memories')];
  await write(left, 'The bicycle shed is locked at nine in the evening.');
  await right.getByText('The bicycle shed is locked at nine in the evening.').waitFor();
});

test('what is shown in one tab follows what is written, changed, taken back and erased in another', async () => {
  const [left, right, third] = [await visit(context, site.url), await visit(context, site.url, 'search'), await visit(context, site.url)];
  const hits = () => right.locator('.hit-text').allTextContents();
  const shows = (wanted) => right.waitForFunction((n) => document.querySelectorAll('.hit').length === n, wanted);
  await write(left, 'The bicycle shed is locked at nine in the evening.');
  await right.locator('input[name=q]').fill('When is the bicycle shed locked?');
  await right.keyboard.press('Enter');
  await shows(1);
  // A third tab writes what answers the question too, and nobody asks again.
  await write(third, 'The code of the bicycle shed is on the grey card.');
  await shows(2);
  assert.ok((await hits()).some((text) => text.includes('grey card')));
  await countIs(right, 'log', 2);
  await go(left, 'log');
  const row = left.locator('.log-table tbody tr').filter({ hasText: 'grey card' });
  await row.getByRole('button', { name: 'Explain' }).click();
  await left.locator('.row-explanation').getByRole('button', { name: 'Undo' }).click();
  await shows(1);
  assert.ok((await hits()).every((text) => !text.includes('grey card')));
  await go(left, 'data');
  await left.getByRole('button', { name: /^Erase everything/ }).click();
  await left.getByRole('button', { name: /^Yes, erase/ }).click();
  await right.locator('.empty').waitFor();
  await countIs(third, 'memories', 0);
});

thorough('who comes back from a hit finds the question and its results as they were', async () => {
  const page = await visit(context, site.url);
  await write(page, 'The bicycle shed is locked at nine in the evening.');
  await write(page, 'The dentist is on Pine Street, second floor.');
  await go(page, 'search');
  await page.locator('input[name=q]').fill('When is the bicycle shed locked?');
  await page.keyboard.press('Enter');
  await page.locator('.hit').first().waitFor();
  const texts = await page.locator('.hit-text').allTextContents();
  await page.locator('.hit-text a').first().click();
  await page.locator('.shell[data-view=memories]').waitFor();
  await page.goBack();
  await page.locator('.hit').first().waitFor();
  assert.equal(await page.locator('input[name=q]').inputValue(), 'When is the bicycle shed locked?');
  assert.deepEqual(await page.locator('.hit-text').allTextContents(), texts);
  // It follows what is written meanwhile, and goes with what is erased.
  await go(page, 'inbox');
  await write(page, 'The code of the bicycle shed is on the grey card.');
  await page.goBack();
  await page.locator('.hit').filter({ hasText: 'grey card' }).waitFor();
  await go(page, 'data');
  await page.getByRole('button', { name: /^Erase everything/ }).click();
  await page.getByRole('button', { name: /^Yes, erase/ }).click();
  await page.getByText('Everything was erased.', { exact: true }).first().waitFor();
  await go(page, 'inbox');
  await write(page, 'The bicycle shed is open.');
  await go(page, 'search');
  assert.equal(await page.locator('input[name=q]').inputValue(), '');
  assert.equal(await page.locator('.hit').count(), 0);
});

thorough('Back closes a mail that is shown, and changes nothing beneath it', async () => {
  const page = await visit(context, site.url);
  await loadSample(page);
  await go(page, 'memories');
  const mail = page.locator('dialog.mail[open]');
  const shows = async () => {
    await page.locator('.byline-mail').first().click();
    await mail.locator('.mail-text').waitFor();
  };
  const there = () => page.locator('.shell').getAttribute('data-view');
  await shows();
  await page.goBack();
  await mail.waitFor({ state: 'detached' });
  assert.equal(await there(), 'memories');
  // Closed in another way, it is no place to go back to.
  await shows();
  await page.keyboard.press('Escape');
  await mail.waitFor({ state: 'detached' });
  await page.waitForFunction(() => !history.state?.mail);
  await page.goBack();
  await page.locator('.shell[data-view=today]').waitFor();
  // Whoever goes on while it is being closed is not led back.
  for (const when of ['before', 'after']) {
    await go(page, 'memories');
    await shows();
    await page.evaluate((when) => {
      const dialog = document.querySelector('dialog.mail');
      const goOn = () => (location.hash = '#/log');
      if (when === 'after') dialog.addEventListener('close', goOn, { once: true });
      dialog.close();
      if (when === 'before') goOn();
    }, when);
    await page.waitForTimeout(700);
    assert.equal(await there(), 'log', when);
  }
});

thorough('what the guide speaks of is in sight above it, and its figures are those of the first time', async () => {
  for (const width of [1280, 390]) {
    const other = await profile(site, { viewport: { width, height: width < 600 ? 844 : 900 } });
    const page = await visit(other.context, site.url);
    await page.locator('#sample-en').click();
    const title = page.locator('.guide h2');
    await title.waitFor();
    assert.equal(await title.textContent(), 'Fourteen mails became ten facts');
    const next = () => page.locator('.guide .button-primary').click();
    const isAbove = (selector) =>
      page.waitForFunction((s) => {
        const [part, guide] = [document.querySelector(s), document.querySelector('.guide')].map((e) => e?.getBoundingClientRect());
        return part && part.top >= 0 && part.bottom <= guide.top;
      }, selector);
    await next();
    await isAbove('.coming-up .week + .week .due li');
    await next();
    await next();
    await isAbove('.review-fraud .review-answers');
    // On a phone most of the room is left to it. Folded, or beside something else, it is a line; a press goes on with it.
    const height = () => page.locator('.guide').evaluate((guide) => guide.getBoundingClientRect().height);
    assert.ok((await height()) < 215, `${await height()} px at ${width}`);
    await page.getByRole('button', { name: 'Fold', exact: true }).click();
    assert.ok((await height()) < 60, `${await height()} px`);
    const goOn = page.getByRole('button', { name: 'Continue the guided minute, 4 of 6' });
    const hasFocus = (text) => page.waitForFunction((t) => document.activeElement.textContent.includes(t), text);
    await hasFocus('Continue');
    await goOn.click();
    await hasFocus('Next');
    await title.waitFor();
    await go(page, 'log');
    await goOn.waitFor();
    assert.equal(await title.count(), 0);
    await goOn.click();
    await isAbove('.review-fraud .review-answers');
    await next();
    await next();
    await isAbove('[aria-labelledby=export-title] .button');
    await page.locator('.guide .button-icon').click();
    await go(page, 'inbox');
    await page.locator('#sample-en').click();
    await title.waitFor();
    assert.equal(await title.textContent(), 'Three weeks of mail are in');
    assert.deepEqual(other.faults, []);
    await other.context.close();
  }
});

thorough('a word on what was done, with no way back, does not go along to another view', async () => {
  const page = await visit(context, site.url);
  await page.locator('#sample-en').click();
  await page.locator('.guide .button-icon').click();
  await go(page, 'review');
  await answer(page.locator('.review-doubt'), 'Both are right');
  // The way back goes along.
  await go(page, 'memories');
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast').getByText('was undone').waitFor();
  await go(page, 'log');
  await page.locator('.toast').waitFor({ state: 'detached', timeout: 5000 });
});

thorough('what is no address is not saved as the owner’s', async () => {
  const page = await visit(context, site.url, 'data');
  const owner = page.locator('[aria-labelledby=owner-title]');
  const save = async (text) => {
    await owner.locator('input').fill(text);
    await owner.getByRole('button').click();
  };
  await save('me@b.example, not an address');
  assert.match(await owner.locator('[role=alert]').textContent(), /^“not an address” is not a mail address/);
  assert.doesNotMatch(await page.evaluate(() => localStorage.getItem('memfold-demo') ?? ''), /not/);
  await save('me@b.example, you@b.example');
  await owner.locator('.done').getByText('Saved.').waitFor();
  assert.equal(await owner.locator('[role=alert]').count(), 0);
  // What was said of them goes once they are changed.
  await owner.locator('input').fill('me@b.example');
  await owner.locator('.done').waitFor({ state: 'detached' });
});

thorough('the theme follows the system, and a choice outlives the page', async () => {
  const page = await visit(context, site.url);
  const light = () =>
    page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number);
      return (r + g + b) / 3 > 127;
    });
  assert.equal(await light(), true);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await light(), false);
  await page.getByRole('button', { name: 'Use the light theme' }).click();
  assert.equal(await light(), true);
  await page.reload();
  await page.locator('main h1').waitFor();
  assert.equal(await light(), true);
});

test('the language follows the browser, and a choice outlives the page', async () => {
  const korean = await profile(site, { locale: 'ko-KR' });
  const page = await visit(korean.context, site.url, 'today');
  assert.equal(await page.locator('html').getAttribute('lang'), 'ko');
  assert.equal(await page.locator('main h1').textContent(), '오늘');
  await page.getByRole('button', { name: 'English' }).click();
  await page.locator('html[lang=en]').waitFor();
  await page.reload();
  await page.locator('main h1').waitFor();
  assert.equal(await page.locator('main h1').textContent(), 'Today');
  assert.deepEqual(korean.faults, []);
  await korean.context.close();
});

test('the keyboard alone leads from the start to an explained decision', async () => {
  const page = await visit(context, site.url);
  const focused = () =>
    page.evaluate(() => {
      const e = document.activeElement;
      const shown = e.closest('label') ?? e;
      const style = getComputedStyle(shown);
      return {
        name: (e.getAttribute('aria-label') ?? e.textContent ?? '').trim(),
        id: e.id,
        cls: e.className,
        type: e.type,
        outline: style.outlineStyle,
        width: parseFloat(style.outlineWidth),
      };
    });
  await page.keyboard.press('Tab');
  assert.equal((await focused()).name, 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
  let here;
  for (let n = 0; n < 10 && here?.id !== 'sample-en'; n++) {
    await page.keyboard.press('Tab');
    here = await focused();
    assert.ok(here.outline !== 'none' && here.width >= 2, `the focus on ${here.name || here.type} is visible`);
  }
  assert.equal(here.id, 'sample-en');
  await page.keyboard.press('Enter');
  await page.locator('.run-done').waitFor({ timeout: 120_000 });
  const tabTo = async (wanted) => {
    for (let n = 0; n < 40 && !wanted(here); n++) {
      await page.keyboard.press('Tab');
      here = await focused();
    }
    await page.keyboard.press('Enter');
  };
  await tabTo(({ cls }) => String(cls).includes('memory-head'));
  await page.locator('.findings .memory-detail').waitFor();
  await tabTo(({ name }) => name === 'Why is this here?');
  await page.locator('.findings .explanation-box').waitFor();
});

test('what is no mail is refused in plain words', async () => {
  const page = await visit(context, site.url);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'photo.mbox', mimeType: 'application/mbox', buffer: Buffer.from([0, 255, 216, 1, 2, 3, 0, 0]) });
  await page.locator('.refused').waitFor();
  assert.match(await page.locator('.refused').textContent(), /photo\.mbox This is not a mailbox/);
  assert.equal(await page.locator('.run').count(), 0);
  await go(page, 'data');
  await page.locator('input[type=file]').setInputFiles({ name: 'no.jsonl', mimeType: 'text/plain', buffer: Buffer.from('{"not": "ours"}\n') });
  await page.locator('[role=alert]').waitFor();
  assert.doesNotMatch(await page.locator('[role=alert]').textContent(), /undefined|\[object|at line/);
});

test('nothing shifts under the reader while the page opens and works', async () => {
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(site.url);
  await page.locator('#sample-en').waitFor();
  await page.waitForTimeout(300);
  const shifts = await page.evaluate(() => window.shifts);
  assert.ok(shifts < 0.02, `a shift of ${shifts} while opening`);
});

test('the page never freezes while mail is folded in', async () => {
  const page = await visit(context, site.url);
  await page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    const beat = () => {
      const now = performance.now();
      window.longest = Math.max(window.longest, now - last);
      last = now;
      window.beating = setTimeout(beat, 0);
    };
    beat();
  });
  await giveSample(page);
  await page.locator('.run-done').waitFor({ timeout: 120_000 });
  const longest = await page.evaluate(() => window.longest);
  const whole = await page.evaluate(() => Number(document.querySelector('.run h2').textContent.match(/in ([\d.]+)/)[1]) * 1000);
  assert.ok(longest < Math.max(whole / 2, 250), `the page stood still for ${Math.round(longest)} of ${whole} ms`);
});
