// Steps of a release; docs/releasing.md explains their order.
//   node .ci/release.mjs change KIND SUMMARY   describes a change (patch, minor, major) in a file of .changeset
//   node .ci/release.mjs version [VERSION]     takes all changesets: raises the version everywhere and adds a section to the changelog
//   node .ci/release.mjs check TAG    fails unless the tag, the manifests and the changelog name one version
//   node .ci/release.mjs pack DIR     packs pkg/ and pkg-encoder/ into DIR and names the repository in their manifests
//   node .ci/release.mjs notes FILE   writes the changelog's section of this version
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

const KINDS = ['major', 'minor', 'patch'];

/** A changeset as `{ kind, summary }`. */
export function changeset(text) {
  const [, kind, summary] = /^---\n"memfold": (\w+)\n---\n([\s\S]+)$/.exec(text) ?? [];
  if (!KINDS.includes(kind) || !summary.trim()) throw new Error('a changeset is not of the form that `npm run changeset` writes');
  return { kind, summary: summary.trim() };
}

/** The version that follows these changes. */
export function raised(version, changes) {
  const [major, minor, patch] = version.split('-')[0].split('.').map(Number);
  const kind = KINDS.find((one) => changes.some((change) => change.kind === one));
  return { major: `${major + 1}.0.0`, minor: `${major}.${minor + 1}.0`, patch: `${major}.${minor}.${patch + 1}` }[kind];
}

/** The changelog with a section of these changes before the earlier ones. */
export function extended(changelog, version, changes) {
  const parts = KINDS.map((kind) => [kind, changes.filter((change) => change.kind === kind)]).filter(([, some]) => some.length > 0);
  const lines = parts.map(
    ([kind, some]) =>
      `### ${kind[0].toUpperCase()}${kind.slice(1)} changes\n\n${some.map(({ summary }) => `- ${summary.replaceAll('\n', '\n  ')}\n`).join('')}`,
  );
  return changelog.replace(/^(?=## )/m, `## ${version}\n\n${lines.join('\n')}\n`);
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
  change(kind, ...words) {
    const text = `---\n"memfold": ${kind}\n---\n\n${words.join(' ')}\n`;
    if (!KINDS.includes(kind) || !changeset(text).summary) fail(`usage: change ${KINDS.join('|')} SUMMARY`);
    const slug =
      words
        .join(' ')
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.slice(0, 6)
        .join('-') ?? 'change';
    writeFileSync(join(root, `.changeset/${slug}.md`), text, { flag: 'wx' });
    console.log(`.changeset/${slug}.md describes the change`);
  },
  version(wanted) {
    const files = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md');
    const changes = files.map((name) => changeset(read(`.changeset/${name}`)));
    const version = wanted ?? raised(json('package.json').version, changes) ?? fail('there is no changeset');
    if (changes.length > 0) writeFileSync(join(root, 'CHANGELOG.md'), extended(read('CHANGELOG.md'), version, changes));
    for (const name of files) rmSync(join(root, '.changeset', name));
    // The first version of both is that of the repository.
    for (const path of ['package.json', 'package-lock.json'])
      writeFileSync(
        join(root, path),
        read(path)
          .replace(/^( {2}"version": )".+"/m, `$1"${version}"`)
          .replace(/^( {4}"": \{\n {6}"name": "memfold",\n {6}"version": )".+"/m, `$1"${version}"`),
      );
    for (const path of MANIFESTS) writeFileSync(join(root, path), read(path).replace(VERSION, `version = "${version}"`));
    writeFileSync(join(root, 'Cargo.lock'), relocked(read('Cargo.lock'), ['memfold', 'memfold-encoder'], version));
    console.log(`the manifests, the lock files and the changelog have version ${version}`);
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
