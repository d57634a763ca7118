// `node benches/tasks.mjs`: the longest tasks of the demo page's thread, view by view: while 1,000 mails (MEMFOLD_MAILS) are taken in
// with the view open, and when the view is opened with all of them there; and while the encoder is loaded and learns them. A task over 100 ms is one that a reader feels. What a task
// waited for a core that others had is no work of the page: both times are told, by the clock and by the processor.
import { mailbox } from './mailbox.mjs';
import { VIEWS, choose, counted, go, open, profile, visit } from '../tests/demo/site.mjs';
import { table } from '../www/terminal/table.mjs';

const MAILS = Number(process.env.MEMFOLD_MAILS ?? 1000);
const FELT_MS = 100;
/** Milliseconds in which a view that was opened comes to rest. */
const REST_MS = 1500;
const wanted = process.argv.slice(2);
const views = wanted.length > 0 ? wanted : VIEWS;

/** The tasks of the page's thread while `work` is done, each with its milliseconds by the clock and by the processor. */
async function tasks(page, work) {
  await page.evaluate(() => {
    globalThis.longTasks = [];
    globalThis.watching = new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map((e) => e.duration)));
    globalThis.watching.observe({ type: 'longtask' });
  });
  await site.browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents } = JSON.parse(await site.browser.stopTracing());
  const long = await page.evaluate(() => {
    globalThis.longTasks.push(...globalThis.watching.takeRecords().map((e) => e.duration));
    globalThis.watching.disconnect();
    return globalThis.longTasks;
  });
  // The thread of the page is the one that laid out the most.
  const mains = new Set(traceEvents.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => `${e.pid} ${e.tid}`));
  const byThread = new Map();
  for (const e of traceEvents) {
    const thread = `${e.pid} ${e.tid}`;
    if (e.name === 'ThreadControllerImpl::RunTask' && mains.has(thread)) byThread.set(thread, [...(byThread.get(thread) ?? []), (e.tdur ?? 0) / 1000]);
  }
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  const cpu = [...byThread.values()].sort((a, b) => sum(b) - sum(a))[0] ?? [];
  return { clock: Math.round(Math.max(0, ...long)), processor: Math.round(Math.max(0, ...cpu)), felt: cpu.filter((ms) => ms > FELT_MS).length };
}

const site = await open();
const file = { name: 'mails.mbox', mimeType: 'application/mbox', buffer: Buffer.from(mailbox(MAILS)) };
const rows = [];
const count = new Intl.NumberFormat('en-GB').format(MAILS);
const figures = ({ clock, processor, felt }) => [clock, processor, felt];
for (const view of views) {
  const stage = await profile(site);
  const page = await visit(stage.context, site.url);
  await go(page, view);
  await go(page, 'inbox');
  let took = 0;
  const during = await tasks(page, async () => {
    const began = performance.now();
    await choose(page, file);
    await go(page, view);
    // The page says aloud that it has come to its end.
    await page.waitForFunction((words) => document.querySelector('#live').textContent.startsWith(words), `Done: ${count} mails`, {
      timeout: 600_000,
      polling: 200,
    });
    took = (performance.now() - began) / 1000;
    await page.waitForTimeout(REST_MS);
  });
  await go(page, view === 'data' ? 'settings' : 'data');
  await page.waitForTimeout(REST_MS);
  const opened = await tasks(page, async () => {
    await go(page, view);
    await page.waitForTimeout(REST_MS);
  });
  if (view === views[0])
    console.log(
      `${count} mails: ${await counted(page, 'memories')} memories, ${await counted(page, 'links')} links, ${await counted(page, 'log')} decisions, ${await counted(page, 'review')} to be reviewed`,
    );
  rows.push([view, took.toFixed(0), ...figures(during), ...figures(opened)].map(String));
  console.error(rows.at(-1).join('\t'));
  await stage.context.close();
}
/** The same while the encoder is loaded and learns them all. */
const stage = await profile(site);
const page = await visit(stage.context, site.url);
await choose(page, file);
await page.locator('.run-done').waitFor({ timeout: 600_000 });
await go(page, 'settings');
const began = performance.now();
const learning = await tasks(page, async () => {
  await page.locator('.meaning button').click();
  await page.locator('.meaning .done').waitFor({ timeout: 600_000 });
});
rows.push(['learning by meaning', ((performance.now() - began) / 1000).toFixed(0), ...figures(learning), '', '', ''].map(String));
await stage.context.close();
await site.close();
console.log(
  table(
    [
      'view',
      ...['s', 'longest ms', 'of the processor', `over ${FELT_MS} ms`, 'opened: longest ms', 'of the processor', `over ${FELT_MS} ms`].map((title) => ({
        title,
        right: true,
      })),
    ],
    rows,
  ),
);
