// The workflows of .github: pinned actions, commands that exist, and no permission beyond a job's need.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const WORKFLOWS = '.github/workflows';
const ACTIONS = '.github/actions';
const workflows = readdirSync(join(root, WORKFLOWS)).map((name) => `${WORKFLOWS}/${name}`);
const actions = readdirSync(join(root, ACTIONS)).map((name) => `${ACTIONS}/${name}/action.yml`);

/** What each job may do beyond reading the repository. */
const GRANTED = {
  'ci.yml': {},
  'codeql.yml': { analyze: { actions: 'read', contents: 'read', 'security-events': 'write' } },
  'docs.yml': { deploy: { pages: 'write', 'id-token': 'write' } },
  'release.yml': { ci: { contents: 'read' }, publish: { 'id-token': 'write' }, announce: { contents: 'write' } },
};
/** A job with one of these runs no code of the repository or of its dependencies. */
const STRONG = ['contents', 'id-token', 'pages'];

const targets = new Set([...read('Makefile').matchAll(/^([a-z][a-z-]*):/gm)].map(([, name]) => name));
const parts = new Set(/^PARTS='(.+)'$/m.exec(read('.ci/test'))[1].split(' '));
const manifest = (folder) => JSON.parse(read(join(folder, 'package.json')));
const scripts = (folder) => manifest(folder).scripts ?? {};
const { workspaces } = manifest('.');
const jobsOf = (workflow) => Object.entries(workflow.jobs ?? { action: workflow.runs });
const stepsOf = (workflow) => jobsOf(workflow).flatMap(([, job]) => job.steps ?? []);

/** Actions without a pinned commit and tag, and local actions that do not exist. */
function unpinned(text) {
  const pinned = new Set([...text.matchAll(/uses: ([\w./-]+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$/gm)].map(([, use]) => use));
  return [...stepsOf(parse(text)), ...jobsOf(parse(text)).map(([, job]) => job)]
    .map(({ uses }) => uses)
    .filter(Boolean)
    .filter((use) => (use.startsWith('./') ? !existsSync(join(root, use, use.endsWith('.yml') ? '' : 'action.yml')) : !pinned.has(use)));
}

/** Commands of the steps that name a target, a part, a script or a file that does not exist. */
function missing(text) {
  const found = [];
  for (const { run = '' } of stepsOf(parse(text))) {
    for (const [command, target] of run.matchAll(/\bmake ([a-z-]+)/g)) if (!targets.has(target)) found.push(command);
    for (const [command, quoted, bare] of run.matchAll(/\bPARTS=(?:"([^"]*)"|(\S+))/g))
      if ((quoted ?? bare).split(' ').some((name) => !parts.has(name))) found.push(command);
    // By its name: the folder `www` also selects `www/worker`.
    for (const [command, name, workspace] of run.matchAll(/\bnpm run (?:--silent )?([\w:-]+)(?: --workspace (\S+))?/g)) {
      const folder = workspace ? workspaces.find((one) => manifest(one).name === workspace) : '.';
      if (!folder || !scripts(folder)[name]) found.push(command);
    }
    for (const [, options] of run.matchAll(/\bnpm ci\b(.*)/g))
      for (const [option, folder] of options.matchAll(/--(?:workspace|prefix) (\S+)/g)) if (!workspaces.includes(folder)) found.push(option);
    for (const [command, file] of run.matchAll(/(?:\bnode )?((?<![\w~/.])[\w.-]+\/[\w./-]+\.m?js)\b/g)) if (!existsSync(join(root, file))) found.push(command);
  }
  return found;
}

/** Permissions beyond the granted ones, and steps that would hand them to other code. */
function excessive(name, text) {
  const workflow = parse(text);
  const found = [];
  if (JSON.stringify(workflow.permissions) !== '{"contents":"read"}') found.push('the workflow does more than read');
  if (Object.hasOwn(workflow.on, 'pull_request_target') || Object.hasOwn(workflow.on, 'workflow_run'))
    found.push('it runs for strangers with the rights of the repository');
  for (const [id, job] of jobsOf(workflow)) {
    const granted = GRANTED[name]?.[id];
    if (JSON.stringify(job.permissions) !== JSON.stringify(granted)) found.push(`${id}: permissions`);
    const strong = STRONG.some((right) => granted?.[right] === 'write');
    if (!job.uses && !(job['timeout-minutes'] <= 60)) found.push(`${id}: no time limit of an hour`);
    for (const step of job.steps ?? []) {
      if (step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false) found.push(`${id}: checkout keeps the token`);
      if (
        strong &&
        (step.uses?.startsWith('actions/checkout@') ||
          step.uses?.startsWith('./') ||
          /\b(?:npm (?:ci|install|exec|run)|npx|make|cargo|node)\b/.test(step.run ?? ''))
      )
        found.push(`${id}: runs other code with its rights`);
      if (/\$\{\{\s*(?:github|inputs)\b/.test(step.run ?? '')) found.push(`${id}: a value of the event is part of a script`);
    }
  }
  return found;
}

test('every_action_is_pinned_to_a_commit_with_its_tag_beside_it', () => {
  for (const path of [...workflows, ...actions]) assert.deepEqual(unpinned(read(path)), [], path);
  const sha = 'a'.repeat(40);
  const step = (use) => `jobs:\n  a:\n    steps:\n      - uses: ${use}\n`;
  for (const use of ['a/b@v1', `a/b@${sha}`, `a/b@${sha} # main`, `a/b@${sha.slice(1)} # v1.0.0`, './.github/actions/none'])
    assert.equal(unpinned(step(use)).length, 1, use);
  assert.deepEqual(unpinned(step(`a/b@${sha} # v1.0.0`)), []);
  assert.deepEqual(unpinned('jobs:\n  a:\n    uses: ./.github/workflows/none.yml\n'), ['./.github/workflows/none.yml']);
});

test('one_action_has_one_commit_everywhere', () => {
  const commits = {};
  for (const path of [...workflows, ...actions]) {
    for (const [, owner, name, pin] of read(path).matchAll(/uses: ([\w-]+)\/([\w-]+)[\w/-]*@(.+)$/gm)) (commits[`${owner}/${name}`] ??= new Set()).add(pin);
  }
  assert.ok(Object.keys(commits).length >= 5);
  for (const [name, pins] of Object.entries(commits)) assert.equal(pins.size, 1, name);
});

test('every_command_of_a_workflow_exists', () => {
  for (const path of [...workflows, ...actions]) assert.deepEqual(missing(read(path)), [], path);
  const step = (run) => `jobs:\n  a:\n    steps:\n      - run: ${run}\n`;
  for (const run of [
    'make nothing',
    'make test PARTS=nothing',
    'npm run nothing',
    'npm run nothing --workspace memfold-www',
    'npm run build --workspace www',
    'npm ci --workspace tests/package',
    'node .ci/nothing.mjs',
  ])
    assert.equal(missing(step(run)).length, 1, run);
  for (const run of ['make test PARTS="lint rust"', 'npm run build --workspace memfold-www', 'npm ci --workspace www', 'node .ci/size.mjs'])
    assert.deepEqual(missing(step(run)), [], run);
});

test('scripts_of_the_root_name_targets_and_files_that_exist', () => {
  for (const [name, script] of Object.entries(scripts('.'))) {
    assert.deepEqual(missing(JSON.stringify({ jobs: { a: { steps: [{ run: script }] } } })), [], name);
  }
});

test('no_job_may_do_more_than_it_needs', () => {
  assert.deepEqual(workflows.map((path) => path.slice(WORKFLOWS.length + 1)).toSorted(), Object.keys(GRANTED).toSorted());
  for (const path of workflows) assert.deepEqual(excessive(path.slice(WORKFLOWS.length + 1), read(path)), [], path);
  const release = read(`${WORKFLOWS}/release.yml`);
  const changed = (from, to) => {
    assert.ok(release.includes(from), from);
    return excessive('release.yml', release.replace(from, to));
  };
  assert.deepEqual(changed('permissions:\n  contents: read\n', 'permissions: write-all\n'), ['the workflow does more than read']);
  assert.deepEqual(changed('id-token: write', 'id-token: write\n      packages: write'), ['publish: permissions']);
  assert.deepEqual(changed('          version=${GITHUB_REF_NAME#v}', '          npm ci'), ['publish: runs other code with its rights']);
  assert.deepEqual(changed('"$GITHUB_REF_NAME" --verify-tag', '${{ github.ref_name }}'), ['announce: a value of the event is part of a script']);
  assert.deepEqual(changed('persist-credentials: false', 'fetch-depth: 0'), ['pack: checkout keeps the token']);
  assert.deepEqual(changed('    timeout-minutes: 15\n', ''), ['publish: no time limit of an hour']);
});

test('npm_scripts_run_the_installed_node_and_not_that_of_the_tests', () => {
  // npm would put the bin of a package `node` before the system's on the PATH.
  assert.ok(!existsSync(join(root, 'node_modules/.bin/node')));
  assert.equal(manifest('.').devDependencies.node, 'npm:empty-npm-package@1.0.0');
});

test('dependabot_watches_every_lock_file_and_action', () => {
  const SKIPPED = new Set(['node_modules', 'target', '.git', '.cache', 'pkg', 'pkg-encoder', 'dist']);
  const locks = { 'Cargo.lock': [], 'package-lock.json': [] };
  const walk = (dir) => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) walk(join(dir, entry.name));
      else if (Object.hasOwn(locks, entry.name)) locks[entry.name].push(`/${relative(root, dir).replaceAll(sep, '/')}`);
    }
  };
  walk(root);
  const watched = Object.fromEntries(parse(read('.github/dependabot.yml')).updates.map((u) => [u['package-ecosystem'], u.directories.toSorted()]));
  assert.deepEqual(watched, {
    cargo: locks['Cargo.lock'].toSorted(),
    npm: locks['package-lock.json'].toSorted(),
    'github-actions': ['/', ...actions.map((path) => `/${dirname(path)}`)],
  });
});
