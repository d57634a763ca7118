// The settings of the demo page: who may be asked, what the page's policy lets through, the key, the test and its words.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { axePath, go, loadSample, open, visit } from './site.mjs';
import { combinations, thorough } from '../tier.mjs';

/** Answers the question of the test; of a mail nothing is to be remembered: malformed replies would let the model rest. */
const GOOD = (question) => {
  const text = 'Marketing gets 60 million won for Q1.';
  const update = { op: 'update', of: 'M1', text, category: 'decision', evidence: text, analysis: { why: 'So it is.', sure: 0.9 } };
  return JSON.stringify({ entries: /60 million/.test(question) ? [update] : [] });
};

let site;
const servers = [];
before(async () => (site = await open()));
after(async () => {
  for (const server of servers) server.closeAllConnections(), server.close();
  await site?.close();
});

/** A model that lets every page ask it, unless told otherwise; `requests` is what it was sent. */
async function model(script = (r, q) => r.end(answer(GOOD(q))), { cors = true } = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (cors) {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', '*, authorization, content-type');
    }
    if (request.method === 'OPTIONS') return response.writeHead(cors ? 204 : 403).end();
    requests.push({ method: request.method, headers: request.headers, body });
    if (request.method === 'GET') return response.end('here');
    return script(response, JSON.parse(body).messages.at(-1).content);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/v1`, origin: `http://127.0.0.1:${server.address().port}`, requests };
}
const answer = (content) => JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage: { total_tokens: 321 } });

/** A fresh profile, and every request that it made to elsewhere. */
async function fresh(options = {}) {
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', timezoneId: 'Asia/Seoul', ...options });
  const elsewhere = [];
  context.on('request', (r) => {
    if (!r.url().startsWith(`${site.origin}/`) && !r.url().startsWith('blob:')) elsewhere.push(r);
  });
  return { context, elsewhere };
}

async function name(page, { preset = 'ollama', url, model = 'm', key }) {
  await page.getByLabel('Model to use').selectOption(preset);
  await page.getByLabel('Address', { exact: true }).fill(url);
  await page.getByLabel('Model name').fill(model);
  if (key !== undefined) await page.locator('input[type=password]').fill(key);
  await page.getByRole('button', { name: 'Save and test' }).click();
  await page.locator('.report').waitFor({ timeout: 30_000 });
  return page.locator('.report h3').textContent();
}

/** Whether the page, and its worker, may ask an address. */
const mayAsk = (page, url) =>
  page.evaluate(async (u) => {
    let blocked = false;
    document.addEventListener('securitypolicyviolation', () => (blocked = true), { once: true });
    await fetch(u, { mode: 'no-cors' }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    return !blocked;
  }, url);

thorough('with nobody named the page can ask nobody, and with one that one alone', async () => {
  const [named, other] = [await model(), await model()];
  const { context, elsewhere } = await fresh();
  const page = await visit(context, site.url, 'settings');
  assert.deepEqual([await mayAsk(page, named.origin), await mayAsk(page, 'https://example.com/')], [false, false]);
  assert.deepEqual(elsewhere, []);
  assert.equal(await name(page, { url: named.url, key: 'k-123' }), 'It works');
  assert.deepEqual([await mayAsk(page, named.origin), await mayAsk(page, other.origin)], [true, false]);
  const [worker] = page.workers();
  assert.equal(
    await worker.evaluate(
      (u) =>
        fetch(u, { mode: 'no-cors' }).then(
          () => true,
          () => false,
        ),
      named.origin,
    ),
    false,
  );
  assert.equal(other.requests.length, 0);
  assert.ok(elsewhere.every((r) => r.url().startsWith(named.origin)));
  const [first] = named.requests.filter((r) => r.method === 'POST');
  assert.equal(first.headers.authorization, 'Bearer k-123');
  assert.match(await page.locator('.private').textContent(), /127\.0\.0\.1/);
  await context.close();
});

test('a key is for its origin alone and stays for the tab unless its owner wants otherwise', async () => {
  const [first, second] = [await model(), await model()];
  const { context } = await fresh();
  const page = await visit(context, site.url, 'settings');
  await name(page, { url: first.url, key: 'k-first' });
  assert.equal(await page.locator('input[type=password]').inputValue(), 'k-first');
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes('k-first'));
  await page.getByLabel('Address', { exact: true }).fill(second.url);
  await page.getByLabel('Address', { exact: true }).blur();
  assert.equal(await page.locator('input[type=password]').inputValue(), '');
  assert.match(await page.locator('#key-detail').textContent(), new RegExp(`The key for ${first.origin}`));
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes('k-first'));
  await page.getByRole('button', { name: 'Save and test' }).click();
  await page.locator('.report').waitFor({ timeout: 30_000 });
  assert.ok(second.requests.length > 0 && second.requests.every((r) => r.headers.authorization === undefined));
  await page.locator('input[type=password]').fill('k-second');
  await page.getByLabel('Keep the key on this device').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.done').waitFor();
  const again = await visit(context, site.url, 'settings');
  assert.equal(await again.locator('input[type=password]').inputValue(), 'k-second');
  await again.getByLabel('Model to use').selectOption('');
  await again.getByRole('button', { name: 'Save', exact: true }).click();
  await again.locator('.done').waitFor();
  assert.ok(!(await again.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes('k-second'));
  await context.close();
});

thorough('what was said of saved settings goes once one of them is changed', async () => {
  const { url } = await model();
  const { context } = await fresh();
  const page = await visit(context, site.url, 'settings');
  assert.equal(await name(page, { url }), 'It works');
  await page.getByLabel('Model name').fill('another');
  await page.locator('.report').waitFor({ state: 'detached' });
  for (const change of [
    () => page.getByLabel('Tokens a day at most').fill('900'),
    () => page.getByLabel('Hide personal numbers and addresses').click(),
    () => page.getByLabel('Model to use').selectOption(''),
  ]) {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.done').getByText('Saved.').waitFor();
    await change();
    await page.locator('.done').waitFor({ state: 'detached' });
  }
  await context.close();
});

test('an address that wants a key is not saved without one, and one that may want one is said to', async () => {
  const { context } = await fresh();
  const page = await visit(context, site.url, 'settings');
  const key = page.locator('input[type=password]');
  const detail = page.locator('#key-detail');
  for (const preset of ['openai', 'anthropic', 'gemini', 'openrouter']) {
    await page.getByLabel('Model to use').selectOption(preset);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await detail.getByText('requires a key').waitFor();
    assert.deepEqual([await detail.getAttribute('role'), await key.getAttribute('aria-invalid')], ['alert', 'true'], preset);
    assert.equal(await page.evaluate(() => document.activeElement.type), 'password');
    assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('memfold-demo') ?? '{}').endpoint), undefined, preset);
  }
  await key.fill('k-123');
  assert.equal(await detail.getAttribute('role'), null);
  // Elsewhere nobody knows; on this computer none is wanted.
  await key.fill('');
  await page.getByLabel('Address', { exact: true }).fill('https://models.example/v1');
  await detail.getByText('works only if https://models.example needs none').waitFor();
  await page.getByLabel('Model to use').selectOption('ollama');
  await detail.getByText('Kept until you close this tab').waitFor();
  await context.close();
});

/** What is wrong, and the words for it in both languages. */
const WRONG = [
  ['cors', () => model(undefined, { cors: false }), /does not allow requests from this page \(CORS\)/, /CORS/, /OLLAMA_ORIGINS=http:\/\/localhost/],
  ['unreachable', async () => ({ url: 'http://127.0.0.1:9/v1' }), /No answer from this address/, /응답이 없습니다/, /ollama serve/],
  ['unauthorized', () => model((r) => r.writeHead(401).end('{"error":{"message":"Bad key"}}')), /key is rejected/, /키가 거부/, /Bad key/],
  [
    'no model',
    () => model((r) => r.writeHead(404).end('{"error":"model \\"m\\" not found"}')),
    /no model of this name/,
    /모델이 없습니다/,
    /model "m" not found/,
  ],
  ['wrong form', () => model((r) => r.end(answer('Sure! I would update it.'))), /not in the required format/, /필요한 형식이 아닙니다/, /I would update it/],
];
for (const [what, server, english, korean, detail] of WRONG) {
  (/^un/.test(what) ? test : thorough)(`the test says in plain words what is wrong: ${what}`, async () => {
    const { url } = await server();
    const { context } = await fresh();
    const page = await visit(context, site.url, 'settings');
    assert.match(await name(page, { url }), english);
    assert.match(await page.locator('.report').textContent(), detail);
    await page.locator('.switch').first().click();
    assert.match(await page.locator('.report h3').textContent(), korean);
    await context.close();
  });
}

test('a redirect takes nothing elsewhere', async () => {
  const other = await model();
  const { url } = await model((r) => r.writeHead(307, { location: `${other.url}/chat/completions` }).end());
  const { context } = await fresh();
  const page = await visit(context, site.url, 'settings');
  assert.match(await name(page, { url, key: 'k-123' }), /redirects to another address/);
  assert.equal(other.requests.length, 0);
  await context.close();
});

test('an address that is not https is refused before anything is sent', async () => {
  const { context, elsewhere } = await fresh();
  const page = await visit(context, site.url, 'settings');
  assert.equal(await name(page, { url: 'http://models.example/v1', key: 'k' }), 'The address is not https');
  assert.deepEqual(elsewhere, []);
  await context.close();
});

test('mail raises questions that the page asks, masked, within the budget, and the meter shows them', async () => {
  const { url, requests } = await model();
  const { context } = await fresh();
  const page = await visit(context, site.url, 'settings');
  await name(page, { url });
  await page.getByLabel('Tokens a day at most').fill('2000');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.done').waitFor();
  requests.length = 0;
  await go(page, 'inbox');
  await loadSample(page);
  const asked = requests.filter((r) => r.method === 'POST');
  assert.equal(await page.locator('.run [role=alert]').count(), 0, 'it was reached');
  assert.ok(asked.length > 0 && asked.length <= 12, `${asked.length} questions`);
  const addresses = asked.flatMap((r) => r.body.match(/[\w.+-]+@[\w-]+\.[\w.-]+/g) ?? []);
  assert.deepEqual(addresses, []);
  await go(page, 'settings');
  await page.locator('.meter').getByText('of 2,000 tokens (100%)').waitFor();
  const figure = async (label) => Number((await page.locator('.tile', { hasText: label }).locator('dd').textContent()).replace(/\D/g, ''));
  assert.ok((await figure('tokens used')) >= 2_000 && (await figure('calls')) > 0);
  await page.getByText('Today’s limit is reached.').waitFor();
  // Every request stands in the list as it went; tests, which send nothing of the owner's, do not.
  await page.locator('.sent li').first().waitFor();
  assert.equal(await page.locator('.sent li').count(), Math.min(asked.length, 20));
  await page.locator('.sent summary').first().click();
  const text = await page.locator('.sent pre').first().textContent();
  assert.ok(asked.some((r) => JSON.parse(r.body).messages.at(-1).content === text));
  assert.match(await page.locator('.sent summary').first().textContent(), /127\.0\.0\.1:\d+ · m.*answered.*321 tokens/);
  await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(
    violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(' | ')}`),
    [],
  );
  if (process.env.MEMFOLD_SHOTS) await page.screenshot({ path: `${process.env.MEMFOLD_SHOTS}/sent.png`, fullPage: true });
  // With more to spend, the note is gone.
  await page.getByLabel('Tokens a day at most').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Today’s limit is reached.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Clear this list' }).click();
  await page.getByText('Nothing has left it.').waitFor();
  await context.close();
});

thorough('an import whose model was not reached says so, and by what its mails were read', async () => {
  const { url } = await model((r) => r.writeHead(401).end('{"error":{"message":"Bad key"}}'));
  const { context } = await fresh();
  const page = await visit(context, site.url, 'settings');
  await name(page, { url });
  await go(page, 'inbox');
  await loadSample(page);
  await page.locator('.run [role=alert]').getByText('The model could not be reached: “The key is rejected”. Rules read those mails.').waitFor();
  await page.locator('.switch').first().click();
  assert.match(await page.locator('.run [role=alert]').textContent(), /모델에 연결하지 못했습니다/);
  await context.close();
});

test('the browser’s own model is offered where there is one, and nothing leaves for it', async () => {
  const { context, elsewhere } = await fresh();
  await context.addInitScript((good) => {
    globalThis.LanguageModel = {
      availability: async () => (globalThis.isLoaded ? 'available' : 'downloadable'),
      create: async ({ initialPrompts, monitor }) => {
        if (monitor) {
          const target = new EventTarget();
          monitor(target);
          target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: 0.25 }));
          await new Promise((resolve, reject) => Object.assign(globalThis, { finish: resolve, fail: reject }));
          globalThis.isLoaded = true;
        }
        return {
          prompt: async (text, { responseConstraint }) => {
            if (initialPrompts[0].role !== 'system' || responseConstraint.type !== 'object') throw new Error('not asked as it wants');
            return good;
          },
          contextUsage: 12.4,
          destroy() {},
        };
      },
    };
  }, GOOD('60 million'));
  const page = await visit(context, site.url, 'settings');
  await page.getByLabel('Model to use').selectOption('builtin');
  await page.getByText('The browser downloads it once, when you save.').waitFor();
  // A download that fails is reported, and the model is not in use.
  await page.getByRole('button', { name: 'Save and test' }).click();
  await page.getByText('Downloading the model: 25%').waitFor();
  await page.evaluate(() => globalThis.fail(new Error('offline')));
  await page.locator('.data-note [role=alert]').waitFor();
  assert.equal(await page.getByText('Downloading the model').count(), 0);
  await page.getByRole('button', { name: 'Save and test' }).click();
  await page.getByText('Downloading the model: 25%').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save and test' }).isDisabled(), true);
  await page.evaluate(() => globalThis.finish());
  await page.locator('.report-ok').waitFor({ timeout: 30_000 });
  assert.match(await page.locator('.report').textContent(), /It works.*right/s);
  assert.deepEqual(elsewhere, []);
  await context.close();
  const plain = await fresh();
  await plain.context.addInitScript(() => delete globalThis.LanguageModel);
  const without = await visit(plain.context, site.url, 'settings');
  assert.equal(await without.locator('option[value=builtin]').count(), 0);
  await plain.context.close();
});

thorough('what the test says has no axe violation, in both themes and languages', async () => {
  const { url } = await model();
  const wrong = await model((r) => r.writeHead(401).end('{"error":{"message":"Bad key"}}'));
  const shots = process.env.MEMFOLD_SHOTS;
  for (const [scheme, lang] of combinations([
    ['light', 'en'],
    ['light', 'ko'],
    ['dark', 'en'],
    ['dark', 'ko'],
  ])) {
    const { context } = await fresh({ colorScheme: scheme });
    const page = await visit(context, site.url, 'settings');
    for (const [state, at] of [
      ['none', undefined],
      ['works', url],
      ['wrong', wrong.url],
    ]) {
      if (at) await name(page, { url: at, key: 'k-123' });
      if (lang === 'ko') await page.locator('.switch').first().click();
      await page.evaluate(await readFile(axePath, 'utf8'));
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(
        violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(' | ')}`),
        [],
        `${state}, ${scheme}, ${lang}`,
      );
      if (shots) await page.screenshot({ path: `${shots}/${state}-${scheme}-${lang}.png`, fullPage: true });
      if (lang === 'ko') await page.locator('.switch').first().click();
    }
    await page.setViewportSize({ width: 320, height: 640 });
    const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(content <= room, `${content} px wide on ${room}`);
    await context.close();
  }
});
