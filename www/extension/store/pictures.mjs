// Creates the store listing's pictures from the extension on the tests' Gmail page: four per
// language at 1280x800, and the small tile. Run by `make extension`; without Chromium it does
// nothing.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const OUT = at('./pictures/');
const [WIDTH, HEIGHT, PANEL] = [1280, 800, 400];
const TILE = { width: 440, height: 280 };

/** The threads of the sample mailbox that are opened first, then the thread beside each picture and the view of the panel next to it. */
const FIRST = [0, 1, 2, 4, 5, 7, 6];
const SHOWN = [
  ['mail', 1, 'inbox'],
  ['matters', 5, 'memories'],
  ['review', 6, 'review'],
  ['search', 0, 'search'],
];
const QUESTIONS = { en: 'When is the glaze workshop?', ko: '유약 워크숍은 언제야?' };
const READY = { inbox: '.decision', memories: '.matter', review: '.review', search: '.hit' };

/** Styles the tests' bare Gmail page as a letter. */
const LETTER = `html{background:#e9eef3}body{margin:56px 48px!important;padding:36px 40px!important;min-height:600px;box-sizing:border-box;background:#fff;border-radius:16px;
  box-shadow:0 1px 3px #0002,0 8px 32px #0f2a3a14;font:17px/1.6 system-ui,'Noto Sans CJK KR',sans-serif!important;color:#1c2530}.a3s{white-space:pre-line}.gD{font-weight:600}body>a,body>:empty,::-webkit-scrollbar{display:none!important}`;

const png = (bytes) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;

async function listing(lang, { open, mailbox, openMail, own, remember }) {
  const stage = await open({ locale: lang === 'ko' ? 'ko-KR' : 'en-GB', viewport: { width: WIDTH - PANEL, height: HEIGHT } });
  try {
    const [first, shown] = [FIRST.map((n) => `${lang}${n}`), SHOWN.map(([name, n, view]) => [name, `${lang}${n}`, view])];
    const mail = await mailbox(stage, lang === 'ko' ? '?hl=ko&plain&sample' : '?plain&sample');
    for (const name of first) await remember(mail, name, /\d/);
    const panel = await own(stage, 'panel.html', { width: PANEL, height: HEIGHT });
    await panel.evaluate((choice) => localStorage.setItem('memfold-demo', JSON.stringify(choice)), { lang, theme: 'light' });
    const sheet = await stage.context.newPage();
    await sheet.setViewportSize({ width: WIDTH, height: HEIGHT });
    for (const [i, [name, thread, view]] of shown.entries()) {
      await openMail(
        mail,
        first.find((other) => other !== thread),
      );
      await remember(mail, thread, /\d/);
      await panel.goto(stage.url(`panel.html#/${view}`));
      await panel.reload();
      if (view === 'search') {
        await panel.locator('input[type=search]').fill(QUESTIONS[lang]);
        await panel.locator('.search-bar button').click();
      }
      await panel.locator(READY[view]).first().waitFor();
      await mail.addStyleTag({ content: LETTER });
      const [left, right] = [await mail.screenshot(), await panel.screenshot()];
      await sheet.setContent(`<style>body{margin:0;display:flex}img+img{box-shadow:-1px 0 0 #0002}</style><img src="${png(left)}"><img src="${png(right)}">`);
      await sheet.screenshot({ path: `${OUT}${lang}-${i + 1}-${name}.png` });
    }
    return shown.length;
  } finally {
    await stage.close({ clean: false });
  }
}

async function tile(launch) {
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: TILE });
    await page.setContent(`<style>body{margin:0;box-sizing:border-box;height:280px;padding:44px 36px;background:#0b6577;color:#fff;font:500 19px/1.45 system-ui,'Noto Sans CJK KR',sans-serif}
      h1{display:flex;align-items:center;gap:14px;margin:0 0 20px;font-size:38px;line-height:1}img{width:56px}p{margin:0}</style>
      <h1><img src="${png(readFileSync(at('../public/icons/128.png')))}">memfold</h1><p>Remembers what your mail tells you.</p><p lang="ko">메일이 알려 준 것을 기억합니다.</p>`);
    await page.screenshot({ path: `${OUT}tile-440x280.png` });
  } finally {
    await browser.close();
  }
}

/** Takes all pictures and reports the result. */
export async function take() {
  let tools;
  try {
    const chromium = await import('../../../tests/chromium.mjs');
    chromium.chromePath();
    tools = { ...chromium, ...(await import('../../../tests/extension/stage.mjs')) };
  } catch (reason) {
    return `the store's pictures were left out: ${reason.message}`;
  }
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  let n = 0;
  for (const lang of Object.keys(QUESTIONS)) n += await listing(lang, tools);
  await tile(tools.launch);
  return `${n} pictures of ${WIDTH}x${HEIGHT} and a tile of ${TILE.width}x${TILE.height} lie in www/extension/store/pictures/`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await take());
