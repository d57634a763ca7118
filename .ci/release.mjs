// Steps of a release; docs/releasing.md explains their order.
//   node .ci/release.mjs version      copies the version of package.json to Cargo.toml and Cargo.lock
//   node .ci/release.mjs check TAG    fails unless the tag, the manifests and the changelog name one version
//   node .ci/release.mjs pack DIR     packs pkg/ and pkg-encoder/ into DIR and names the repository in their manifests
//   node .ci/release.mjs notes FILE   writes the changelog's section of this version
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const json = (path) => JSON.parse(read(path));
const fail = (text) => (console.error(`error: ${text}`), process.exit(1));

/** The crates that share the version of the package. */
const MANIFESTS = ['Cargo.toml', 'src/encoder/Cargo.toml'];
const VERSION = /^version = "(.+)"$/m;

/** A lock file with this version for the crates of the workspace, which alone have no source. */
export const relocked = (lock, names, version) =>
  lock.replace(/(\[\[package\]\]\nname = "(.+)"\nversion = )".+"\n(?!source)/g, (all, head, name) => (names.includes(name) ? `${head}"${version}"\n` : all));

/** The section of a version without its heading, or undefined. */
export function section(changelog, version) {
  const [, ...parts] = changelog.split(/^## /m);
  const found = parts.find((part) => part.split('\n', 1)[0].split(' ')[0] === version);
  return found?.slice(found.indexOf('\n')).trim();
}

/** What keeps this tag from being released. */
export function obstacles(tag, versions, changelog) {
  const wanted = tag.replace(/^v/, '');
  const found = Object.entries(versions)
    .filter(([, version]) => version !== wanted)
    .map(([path, version]) => `${path} has version ${version}, the tag is ${tag}`);
  if (!/^v\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(tag)) found.unshift(`the tag ${tag} is not like v1.2.3`);
  if (!section(changelog, wanted)) found.push(`CHANGELOG.md has no section ${wanted}`);
  return found;
}

/** The manifest with the addresses of its repository, which a provenance statement has to match. */
export const placed = (manifest, home) => ({
  ...manifest,
  homepage: `${home}#readme`,
  bugs: { url: `${home}/issues` },
  repository: { type: 'git', url: `git+${home}.git` },
});

const crateVersion = (path) => VERSION.exec(read(path))[1];

const steps = {
  version() {
    const { version } = json('package.json');
    for (const path of MANIFESTS) writeFileSync(join(root, path), read(path).replace(VERSION, `version = "${version}"`));
    writeFileSync(join(root, 'Cargo.lock'), relocked(read('Cargo.lock'), ['memfold', 'memfold-encoder'], version));
    console.log(`Cargo.toml, src/encoder/Cargo.toml and Cargo.lock have version ${version}`);
  },
  check(tag = '') {
    const versions = Object.fromEntries(MANIFESTS.map((path) => [path, crateVersion(path)]));
    const found = obstacles(tag, { 'package.json': json('package.json').version, ...versions }, read('CHANGELOG.md'));
    if (found.length) fail(found.join('\n       '));
  },
  pack(to = fail('name a folder')) {
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
    mkdirSync(to, { recursive: true });
    for (const folder of ['pkg-encoder', 'pkg']) {
      const manifest = json(`${folder}/package.json`);
      if (server && name) writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(placed(manifest, `${server}/${name}`), null, 2)}\n`);
      execFileSync('npm', ['pack', '--pack-destination', resolve(to)], { cwd: join(root, folder), stdio: 'inherit', shell: process.platform === 'win32' });
      writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    }
  },
  notes(file = fail('name a file')) {
    writeFileSync(file, `${section(read('CHANGELOG.md'), json('package.json').version) ?? fail('the changelog has no section of this version')}\n`);
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [step, ...args] = process.argv.slice(2);
  if (!Object.hasOwn(steps, step ?? '')) fail(`name a step: ${Object.keys(steps).join(', ')}`);
  steps[step](...args);
}
