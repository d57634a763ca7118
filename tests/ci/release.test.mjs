// The steps of a release that change files or refuse a tag.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changeset, extended, obstacles, placed, raised, relocked, section } from '../../.ci/release.mjs';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const CHANGELOG = '# Changelog\n\n## 0.2.0\n\n- b\n\n### Fixed\n\n- c\n\n## 0.1.0 (2026-01-01)\n\n- a\n';

test('a_section_of_the_changelog_ends_at_the_next_version', () => {
  assert.equal(section(CHANGELOG, '0.2.0'), '- b\n\n### Fixed\n\n- c');
  assert.equal(section(CHANGELOG, '0.1.0'), '- a');
  assert.equal(section(CHANGELOG, '0.1'), undefined);
});

test('changesets_raise_the_version_by_the_greatest_kind_and_become_a_section', () => {
  const changes = ['patch', 'minor', 'patch'].map((kind, at) => changeset(`---\n"memfold": ${kind}\n---\n\nChange ${at}\nin detail\n`));
  assert.deepEqual(changes[1], { kind: 'minor', summary: 'Change 1\nin detail' });
  for (const text of ['Change', '---\n"memfold": huge\n---\n\nx\n', '---\n"memfold": minor\n---\n\n \n']) assert.throws(() => changeset(text), text);
  assert.deepEqual(
    [raised('0.1.4', changes), raised('0.1.4', [changes[0]]), raised('1.2.3', [{ kind: 'major' }]), raised('0.1.0', [])],
    ['0.2.0', '0.1.5', '2.0.0', undefined],
  );
  const changelog = extended(CHANGELOG, '0.3.0', changes);
  assert.equal(
    section(changelog, '0.3.0'),
    '### Minor changes\n\n- Change 1\n  in detail\n\n### Patch changes\n\n- Change 0\n  in detail\n- Change 2\n  in detail',
  );
  assert.equal(changelog.slice(changelog.indexOf('## 0.2.0')), CHANGELOG.slice(CHANGELOG.indexOf('## 0.2.0')));
});

test('a_tag_is_released_only_with_one_version_everywhere_and_a_section', () => {
  assert.deepEqual(obstacles('v0.2.0', { 'package.json': '0.2.0', 'Cargo.toml': '0.2.0' }, CHANGELOG), []);
  assert.deepEqual(obstacles('v0.2.0', { 'package.json': '0.2.0', 'Cargo.toml': '0.1.0' }, CHANGELOG), ['Cargo.toml has version 0.1.0, the tag is v0.2.0']);
  assert.deepEqual(obstacles('0.1.0', { 'package.json': '0.1.0' }, CHANGELOG), ['the tag 0.1.0 is not like v1.2.3']);
  assert.deepEqual(obstacles('v0.3.0-rc.1', { 'package.json': '0.3.0-rc.1' }, CHANGELOG), ['CHANGELOG.md has no section 0.3.0-rc.1']);
});

test('the_manifests_of_this_repository_name_one_version', () => {
  const { version } = JSON.parse(read('package.json'));
  for (const path of ['Cargo.toml', 'src/encoder/Cargo.toml']) assert.equal(/^version = "(.+)"$/m.exec(read(path))[1], version, path);
});

test('only_the_crates_of_the_workspace_get_a_version_in_the_lock_file', () => {
  const lock = read('Cargo.lock');
  const changed = relocked(lock, ['memfold', 'memfold-encoder', 'serde'], '9.9.9');
  assert.deepEqual(
    [...changed.matchAll(/name = "(.+)"\nversion = "9\.9\.9"/g)].map(([, name]) => name),
    ['memfold', 'memfold-encoder'],
  );
  assert.equal(changed.split('\n').filter((line, at) => line !== lock.split('\n')[at]).length, 2);
});

test('a_published_manifest_names_its_repository', () => {
  const { repository, bugs, homepage, name } = placed({ name: 'memfold' }, 'https://host.invalid/owner/name');
  assert.deepEqual(
    [name, repository.url, bugs.url, homepage],
    ['memfold', 'git+https://host.invalid/owner/name.git', 'https://host.invalid/owner/name/issues', 'https://host.invalid/owner/name#readme'],
  );
});
