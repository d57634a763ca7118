// The memory at rest: what a run folds together, what it says of it, and the reader's word on what a search found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countIs, counted, go, staged, visit } from './site.mjs';

let site;
let context;
staged((open, fresh) => {
  site = open;
  context = fresh;
});

/** Backups a week apart, half a year ago, as an export. */
function backups() {
  const line = (n) => {
    const then = new Date(Date.now() - (200 + 7 * n) * 86_400_000).toISOString();
    return JSON.stringify({
      memory: {
        id: `01900000-0000-7000-8000-00000000000${n}`,
        nodeType: 'memory',
        revision: 1,
        version: 1,
        content: `Nightly backup of Borealis finished: ${4100 + n} GB in ${38 + n} minutes, checked by Dana.`,
        category: 'project',
        keywords: [],
        people: [],
        entities: ['Borealis'],
        properties: [],
        importance: 0.4,
        importanceFactors: [],
        confidence: 1,
        createdAt: then,
        updatedAt: then,
        occurredAt: then,
        statedAt: then,
        sourceType: 'realtime',
        retention: 'semantic',
        generation: 'young',
        storageTier: 'hot',
        stability: 0.5,
        accessCount: 0,
        repeat: 0,
        feedback: { up: 0, down: 0 },
      },
    });
  };
  return [JSON.stringify({ header: { format: 1, records: 6 } }), ...[0, 1, 2, 3, 4, 5].map(line), ''].join('\n');
}

test('a run folds what says nearly the same, tells so, and is taken back from the log', async () => {
  const page = await visit(context, site.url);
  await go(page, 'data');
  await page
    .locator('input[type=file]')
    .last()
    .setInputFiles({ name: 'm.jsonl', mimeType: 'text/plain', buffer: Buffer.from(backups()) });
  await countIs(page, 'memories', 6);
  await go(page, 'rest');
  await page.getByRole('button', { name: 'What would be merged?' }).click();
  await page.getByRole('heading', { name: '1 group could be merged' }).waitFor();
  assert.equal(await counted(page, 'memories'), 6);
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('heading', { name: 'All memories were checked' }).waitFor();
  await countIs(page, 'memories', 1);
  // One day is no curve.
  assert.equal(await page.locator('.plot').count(), 0);
  await go(page, 'search');
  await page.getByRole('searchbox').fill('backup Borealis 4103 GB');
  await page.getByRole('button', { name: 'Search' }).click();
  const hit = page.locator('.hit').first();
  await hit.getByText('A summary of several').waitFor();
  assert.match(await hit.textContent(), /4103 GB/);
  await hit.getByText('Details', { exact: true }).click();
  await hit.getByRole('button', { name: 'Useful', exact: true }).click();
  await page.locator('#live').getByText('It will be remembered better.').waitFor({ state: 'attached' });
  await go(page, 'log');
  const folded = page.locator('.log-table tbody tr:not(.row-explanation)').filter({ hasText: 'Folded' });
  await folded.getByRole('button', { name: 'Explain' }).click();
  await page.locator('.row-explanation').getByRole('button', { name: 'Undo' }).click();
  await countIs(page, 'memories', 6);
});
