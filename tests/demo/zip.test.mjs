// Reading an archive: what lies in it, piece by piece, and what is wrong with one that cannot be read. No browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { imported } from '../typescript.mjs';

const { entriesOf, bytesOf } = await imported('www/shared/zip.ts');

const LISTED = 0x02014b50;
/** Something that packs well, and nothing of whose pieces is like another. */
const text = Array.from({ length: 20_000 }, (_, n) => `Parcel ${n} weighs ${(n * 7919) % 1000} kilograms.\n`).join('');
const files = { 'Takeout/': new Uint8Array(0), 'Takeout/지메일.mbox': strToU8(text), 'Takeout/stored.mbox': [strToU8('From a\n'), { level: 0 }] };

/** An archive whose directory was changed, entry by entry. */
function changed(zip, change) {
  const bytes = Uint8Array.from(zip);
  const view = new DataView(bytes.buffer);
  let n = 0;
  for (let i = 0; i + 4 <= bytes.length; i++) if (view.getUint32(i, true) === LISTED) change(view, i, n++);
  return bytes;
}

const blob = (bytes) => new Blob([bytes]);
const read = async (file, entry) => new Response(await bytesOf(file, entry)).text();
const all = async (bytes) => {
  const file = blob(bytes);
  const found = [];
  for (const entry of await entriesOf(file)) found.push([entry.name, await read(file, entry)]);
  return found;
};
const code = (bytes) =>
  all(bytes).then(
    () => 'read',
    (reason) => reason.code ?? reason.name,
  );

test('every file of an archive is read as it was packed, with a comment behind it or without', async () => {
  const plain = zipSync(files);
  const expected = [
    ['Takeout/', ''],
    ['Takeout/지메일.mbox', text],
    ['Takeout/stored.mbox', 'From a\n'],
  ];
  assert.deepEqual(await all(plain), expected);
  const commented = Uint8Array.from([...plain, ...strToU8('made by hand')]);
  new DataView(commented.buffer).setUint16(plain.length - 2, 12, true);
  assert.deepEqual(await all(commented), expected);
});

test('an archive of more than four gigabytes names its figures elsewhere', async () => {
  const plain = zipSync({ 'a.mbox': strToU8(text) });
  const view = new DataView(plain.buffer);
  const end = plain.length - 22;
  const [at, length] = [view.getUint32(end + 16, true), view.getUint32(end + 12, true)];
  const u64 = (...values) => new Uint8Array(new BigUint64Array(values.map(BigInt)).buffer);
  const figures = u64(view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true));
  const listed = plain.slice(at, at + length);
  const head = new DataView(listed.buffer);
  for (const place of [20, 24, 42]) head.setUint32(place, 0xffff_ffff, true);
  // Another extra field stands before the one with the figures.
  const extra = Uint8Array.from([0x99, 0x99, 2, 0, 7, 7, 1, 0, 24, 0, ...figures]);
  head.setUint16(30, extra.length, true);
  const directory = Uint8Array.from([...listed, ...extra]);
  const large = new Uint8Array(56 + 20 + 22);
  const tail = new DataView(large.buffer);
  tail.setUint32(0, 0x06064b50, true);
  large.set(u64(directory.length, at), 40);
  tail.setUint32(56, 0x07064b50, true);
  large.set(u64(at + directory.length), 64);
  tail.setUint32(76, 0x06054b50, true);
  for (const place of [12, 16]) tail.setUint32(76 + place, 0xffff_ffff, true);
  const zip = Uint8Array.from([...plain.slice(0, at), ...directory, ...large]);
  assert.deepEqual(await all(zip), [['a.mbox', text]]);
  // One whose figure is missing there is broken, and not read from anywhere.
  head.setUint16(30, 0, true);
  assert.equal(await code(Uint8Array.from([...plain.slice(0, at), ...listed, ...extra, ...large])), 'broken_zip');
});

test('what is wrong with an archive is told apart', async () => {
  const zip = zipSync(files);
  // One of its files may want a password where the first does not.
  assert.equal(await code(changed(zip, (view, i, n) => n === 1 && view.setUint16(i + 8, view.getUint16(i + 8, true) | 1, true))), 'locked');
  assert.equal(await code(changed(zip, (view, i, n) => n === 1 && view.setUint16(i + 10, 9, true))), 'strange_zip');
  for (const [what, bytes] of [
    ['cut off', zip.subarray(0, zip.length - 30)],
    ['nearly nothing', zip.subarray(0, 10)],
    ['longer than it says', changed(zip, (view, i, n) => n === 1 && view.setUint32(i + 24, text.length - 1, true))],
    ['shorter than it says', changed(zip, (view, i, n) => n === 1 && view.setUint32(i + 24, view.getUint32(i + 24, true) + 1, true))],
    ['packed shorter than it says', changed(zip, (view, i) => view.setUint32(i + 20, 2 ** 31, true))],
    ['elsewhere', changed(zip, (view, i) => view.setUint32(i + 42, 5, true))],
    ['with a long name', changed(zip, (view, i) => view.setUint16(i + 28, 60_000, true))],
  ]) {
    assert.equal(await code(bytes), 'broken_zip', what);
  }
  // What is damaged within is the browser's to find.
  const damaged = Uint8Array.from(zip);
  damaged.fill(0xff, 200, 260);
  assert.notEqual(await code(damaged), 'read');
});
