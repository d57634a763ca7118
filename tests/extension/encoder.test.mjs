// The encoder in the extension: bundled, on by default, in a worker of the hidden document; and what its owner is told where it fails.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ask, built, open, own, stopWorker } from './stage.mjs';

const MEMORIES = [
  'Your check-up at Archway Dental is on Friday 15 May at 9:30 am.',
  'The glaze workshop is on Wednesday 27 May at 2 pm.',
  'The budget of the summer fair has been raised to £750.',
  'The invoice for order KC-4417 over £84 is due on Friday 15 May.',
  'Your trip to York is confirmed: the train leaves on Saturday 23 May at 9:05 am.',
  'The kiln needs a new thermocouple before the next firing.',
  'Dana brings the chairs and the tables for the opening.',
  'The landlord repairs the gutter behind the studio in June.',
];
const DENTIST = MEMORIES[0];
/** Shares no word with the memory. */
const QUESTION = '이빨 치료';

const dir = mkdtempSync(join(tmpdir(), 'memfold-encoder-'));
after(() => rmSync(dir, { recursive: true, force: true }));

const search = async (page, question) => (await ask(page, 'search', question, {})).map((hit) => hit.memory.content);
const set = async (page, encoder) => ask(page, 'save', { ...(await ask(page, 'settings')), encoder });
/** Loading the encoder and embedding takes minutes on a busy machine. */
async function until(work) {
  for (const end = Date.now() + 180_000; !(await work()); ) {
    assert.ok(Date.now() < end, `not within three minutes: ${work}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const documents = (page) => page.evaluate(() => chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] }).then((found) => found.length));

test('a_question_in_another_language_finds_what_was_stored_before_the_encoder_was_switched_on', async () => {
  const stage = await open();
  const page = await own(stage, 'options.html');
  const box = page.getByLabel('Understand other words and languages');
  assert.equal(await box.isChecked(), true);
  await set(page, false);
  for (const content of MEMORIES) await ask(page, 'add', { content });
  assert.ok(!(await search(page, QUESTION)).includes(DENTIST));
  await page.reload();
  assert.equal(await box.isChecked(), false);
  await box.click();
  await until(async () => (await search(page, QUESTION))[0] === DENTIST);
  assert.equal(await documents(page), 1);
  // A failed call of the encoder on a busy machine is listed, with no text.
  assert.deepEqual(
    (await ask(page, 'model.sent', {})).filter(({ bytes }) => bytes > 0),
    [],
    'nothing has left the device',
  );
  // The next service worker asks the same document.
  await stopWorker(page);
  assert.equal((await search(page, QUESTION))[0], DENTIST);
  // What comes now is learnt at once.
  await ask(page, 'add', { content: '정기 구독은 2월 말에 끝난다' });
  assert.ok((await search(page, 'When does the subscription end?')).includes('정기 구독은 2월 말에 끝난다'));
  await box.click();
  await until(async () => !(await search(page, QUESTION)).includes(DENTIST));
  await until(async () => (await documents(page)) === 0);
  assert.ok((await search(page, 'check-up')).includes(DENTIST));
  await stage.close();
});

test('a_damaged_file_is_told_in_a_sentence_and_search_goes_on', async () => {
  const extension = join(dir, 'damaged');
  cpSync(await built(), extension, { recursive: true });
  writeFileSync(join(extension, 'encoder.bin'), 'damaged');
  const stage = await open({ extension });
  const page = await own(stage, 'panel.html');
  for (const content of MEMORIES) await ask(page, 'add', { content });
  assert.ok((await search(page, 'check-up')).includes(DENTIST));
  await page.reload();
  await page.getByText('The files for search by meaning are damaged. Search by words still works.').waitFor();
  await stage.close();
});
