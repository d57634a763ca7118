// The documentation: links have targets, every page is listed, the error table matches the source, and fragments of code fit the types.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { errorsPage } from '../../docs/.vitepress/errors.mjs';
import { SECTIONS } from '../../docs/.vitepress/pages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = join(root, 'docs');
const NOT_PAGES = new Set(['node_modules', 'reference', '.vitepress']);

function* pages(dir) {
  for (const { name } of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, name);
    if (NOT_PAGES.has(name)) continue;
    if (statSync(path).isDirectory()) yield* pages(path);
    else if (name.endsWith('.md')) yield path;
  }
}

/** The anchors of a page's headings. */
const anchors = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[`*]/g, '')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

test('every_link_of_a_page_has_a_target', () => {
  const lost = [];
  for (const path of [join(root, 'README.md'), join(root, 'CONTRIBUTING.md'), ...pages(docs)]) {
    const text = readFileSync(path, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file, anchor] = link.split('#');
      const to = file === '' ? path : resolve(dirname(path), file);
      if (!existsSync(to) || (anchor && to.endsWith('.md') && !anchors(readFileSync(to, 'utf8')).includes(anchor)))
        lost.push(`${relative(root, path)}: ${link}`);
    }
  }
  assert.deepEqual(lost, []);
});

test('the_sites_page_list_matches_the_pages', () => {
  const listed = SECTIONS.flatMap(({ items }) => items.map(({ link }) => link)).filter((link) => link !== '/reference/');
  const there = [...pages(docs)]
    .map(
      (path) =>
        `/${relative(docs, path)
          .replace(/(^|\/)(?:README|index)\.md$/, '$1')
          .replace(/\.md$/, '')}`,
    )
    .filter((link) => !/^\/design\/./.test(link) && link !== '/');
  assert.deepEqual(listed.toSorted(), there.toSorted());
});

test('the_error_table_matches_the_source', () => {
  assert.equal(readFileSync(join(docs, 'errors.md'), 'utf8'), errorsPage(), 'node docs/.vitepress/errors.mjs writes it');
});

/** What a fragment may use without declaring it. */
const AROUND = `import type { Endpoint, Memories, ObjectStorage } from 'memfold';
import type { LoadedEncoder, encoder as load } from 'memfold/encoder';
declare global {
  const memories: Memories, here: Memories, there: Memories;
  const endpoint: Endpoint, embedder: LoadedEncoder, encoder: typeof load;
  const file: Blob, ids: string[], id: string, url: string, token: string, key: Uint8Array, signal: AbortSignal;
  const weights: URL, ctx: { storage: ObjectStorage };
  const myModel: (...given: unknown[]) => Promise<string>, banner: { show(...given: unknown[]): void };
  function show(...given: unknown[]): void;
  function onProgress(...given: unknown[]): void;
  function again(): void;
}`;
/** Packages of other authors; their types are not checked. */
const OTHERS = ['@huggingface/transformers', '@ai-sdk/openai'];

test('every_fragment_uses_the_api_as_its_types_say', () => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const dir = mkdtempSync(join(root, '.cache', 'fragments-'));
  try {
    const files = [join(dir, 'around.d.ts'), join(dir, 'others.d.ts')];
    writeFileSync(files[0], AROUND);
    writeFileSync(files[1], OTHERS.map((name) => `declare module '${name}';`).join('\n'));
    for (const path of [join(root, 'README.md'), ...pages(docs)]) {
      for (const [at, [, body]] of [...readFileSync(path, 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)].entries()) {
        files.push(join(dir, `${relative(root, path).replace(/\W+/g, '-')}-${at + 1}.mjs`));
        // A page's own `open` would be that of the window.
        writeFileSync(files.at(-1), `${/^import \{ .*\bopen\b/m.test(body) ? '' : "import { open } from 'memfold'; "}${body}`);
      }
    }
    const pkg = join(root, 'pkg');
    const compilerOptions = {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      strict: false,
      useUnknownInCatchVariables: false,
      skipLibCheck: true,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom'],
      types: [],
      paths: {
        memfold: [`${pkg}/index.d.ts`],
        'memfold/memfold_bg.wasm': [`${pkg}/wasm.d.ts`],
        'memfold/*': [`${pkg}/*.d.ts`],
        'memfold-encoder': [`${pkg}-encoder/index.d.ts`],
        'memfold-encoder/head': [`${pkg}-encoder/head.d.ts`],
      },
    };
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout, status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', dir], { cwd: dir, encoding: 'utf8' });
    assert.deepEqual([files.length > 10, status, stdout], [true, 0, '']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
