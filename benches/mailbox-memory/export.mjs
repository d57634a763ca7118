// Writes the data set as a folder that needs nothing of this repository, or as an archive: node export.mjs OUT or OUT.tar.gz
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
/** The reader and what it imports. */
const READER = ['ledger.mjs', 'ledger-model.mjs', 'garble.mjs', 'oracle.mjs', 'mbox.mjs', 'input.mjs', 'text.mjs'];

/** Copies the data set, its scorer and its reader to a folder, which must not exist. */
export function exportTo(folder) {
  const manifest = JSON.parse(readFileSync(at('manifest.json'), 'utf8'));
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder);
  for (const mailbox of manifest.mailboxes) {
    mkdirSync(join(folder, mailbox.split), { recursive: true });
    for (const kind of ['mbox', 'expect', 'ledger'].filter((name) => mailbox[name] !== undefined)) {
      const to = `${mailbox.split}/${basename(mailbox[kind])}`;
      copyFileSync(at(mailbox[kind]), join(folder, to));
      mailbox[kind] = to;
    }
  }
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`);
  mkdirSync(join(folder, 'reader'));
  for (const name of READER) copyFileSync(at(`../../tests/eval/${name}`), join(folder, 'reader', name));
  writeFileSync(join(folder, 'reader', 'reader.mjs'), readFileSync(at('reader.mjs'), 'utf8').replaceAll('../../tests/eval/', './'));
  for (const name of ['peers.py', 'requirements.txt', 'mem0-1.txt']) copyFileSync(at(name), join(folder, 'reader', name));
  writeFileSync(join(folder, 'README.md'), readFileSync(at('README.md'), 'utf8').replaceAll('../../tests/inbox/README.md', 'FORMAT.md'));
  copyFileSync(at('score.mjs'), join(folder, 'score.mjs'));
  copyFileSync(at('../../tests/inbox/README.md'), join(folder, 'FORMAT.md'));
  for (const name of ['LICENSE-MIT', 'LICENSE-APACHE']) copyFileSync(at(`../../${name}`), join(folder, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out] = process.argv.slice(2);
  if (out === undefined) {
    process.stderr.write('Usage: node export.mjs OUT or OUT.tar.gz\n');
    process.exit(2);
  }
  if (out.endsWith('.tar.gz')) {
    const above = mkdtempSync(join(tmpdir(), 'mailbox-memory-'));
    exportTo(join(above, 'mailbox-memory'));
    const { status } = spawnSync('tar', ['-czf', out, '-C', above, 'mailbox-memory'], { stdio: 'inherit' });
    rmSync(above, { recursive: true });
    process.exitCode = status;
  } else {
    exportTo(out);
  }
}
