// A question to the memories: the headline of the memory that the model picks above the hits, its sources marked, and the hits alone without a model.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { axePath, go, open, visit, write } from './site.mjs';
import { thorough } from '../tier.mjs';

const TOLD = ['The kickoff of Heron is on 22 January at 2 pm.', 'The parking garage is closed on Monday.', 'The kickoff cake for Heron is lemon.'];
const QUESTION = 'When is the kickoff of Heron?';

let site;
let server;
let context;
let page;
/** What the model says to a question, given the handle of the memory that answers; about decisions, that nothing is alike. */
let say;
before(async () => {
  site = await open();
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*, authorization, content-type');
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    const asked = JSON.parse(body).messages.at(-1).content;
    const [, handle] = /(M\d+) (?:(?!=== )[^])*?on 22 January/.exec(asked) ?? [];
    const other = { entries: [] };
    const content = asked.includes(' QUESTION asked ') ? await say(handle, response) : other;
    if (!response.writableEnded)
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: JSON.stringify(content) } }], usage: { total_tokens: 90 } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context = await site.browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', timezoneId: 'Asia/Seoul', colorScheme: 'light' });
  page = await visit(context, site.url);
  for (const text of TOLD) await write(page, text);
});
after(async () => {
  await context?.close();
  server?.closeAllConnections();
  server?.close();
  await site?.close();
});

async function searchFor(question) {
  await page.locator('input[name=q]').fill(question);
  await page.keyboard.press('Enter');
  await page.locator('.hit').first().waitFor();
}
const settled = () => page.locator('.answer[aria-busy=false]').waitFor();

test('without a model a question has its hits and no answer', async () => {
  await go(page, 'search');
  await searchFor(QUESTION);
  assert.deepEqual([await page.locator('.answer').count(), (await page.locator('.hit').count()) > 0], [0, true]);
});

test('with a model the answer stands above the hits, with its sources marked, and is told to a screen reader', async () => {
  await go(page, 'settings');
  await page.getByLabel('Model to use').selectOption('ollama');
  await page.getByLabel('Address', { exact: true }).fill(`http://127.0.0.1:${server.address().port}/v1`);
  await page.getByLabel('Model name').fill('m');
  await page.getByRole('button', { name: 'Save and test' }).click();
  await page.locator('.report').waitFor({ timeout: 30_000 });
  await go(page, 'search');
  let go_on;
  const held = new Promise((resolve) => (go_on = resolve));
  say = async (handle) => (await held, { memories: [handle] });
  await searchFor(QUESTION);
  // The hits do not wait for the model.
  assert.match(await page.locator('.answer[aria-busy=true]').textContent(), /The model is reading/);
  go_on();
  await settled();
  assert.equal(await page.locator('.answer-text').textContent(), TOLD[0]);
  assert.match(await page.locator('#live').textContent(), /22 January at 2 pm/);
  assert.deepEqual(await page.locator('.answer-sources a').allTextContents(), [TOLD[0]]);
  const sources = page.locator('.hit-source');
  assert.deepEqual([await sources.count(), (await page.locator('.hit').count()) > 1], [1, true]);
  assert.match(await sources.textContent(), /Source of the answer/);
  assert.ok(
    await page.evaluate(() =>
      Boolean(document.querySelector('.answer').compareDocumentPosition(document.querySelector('.hits')) & Node.DOCUMENT_POSITION_FOLLOWING),
    ),
  );
});

thorough('the answer has no axe violation and no sideways scroll, in both themes and languages', async () => {
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
    [360, 'light'],
  ]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(await readFile(axePath, 'utf8'));
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(
      violations.map((v) => [v.id, v.nodes.map((n) => n.html)]),
      [],
      `${width} ${colorScheme}`,
    );
    const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(content <= room, `${content} in ${room}`);
  }
  await page.locator('.switch').first().click();
  assert.equal(await page.locator('.answer h2').textContent(), '답');
  await page.locator('.switch').first().click();
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('what no memory says, or nobody says, leaves the hits', async () => {
  for (const [answer, words] of [
    [() => ({ memories: [] }), /No stored memory answers this/],
    [() => ({ memories: ['M99'] }), /No answer from the model: no usable answer/],
    [(_, response) => response.writeHead(401).end('{}'), /The key is rejected/],
  ]) {
    say = answer;
    await searchFor(QUESTION);
    await page.locator('.answer').filter({ hasText: words }).waitFor();
    assert.deepEqual([await page.locator('.answer-text').count(), await page.locator('.hit-source').count()], [0, 0], String(words));
    assert.ok((await page.locator('.hit').count()) > 1);
  }
});
