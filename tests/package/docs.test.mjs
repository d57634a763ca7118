// The documentation: links have targets, every page is listed, and the error table matches the source.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
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
const anchors = (text) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title.toLowerCase().replace(/[`*]/g, '').replace(/[^\p{L}\p{N} _-]/gu, '').trim().replaceAll(' ', '-'));

test('every_link_of_a_page_has_a_target', () => {
  const lost = [];
  for (const path of [join(root, 'README.md'), join(root, 'CONTRIBUTING.md'), ...pages(docs)]) {
    const text = readFileSync(path, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file, anchor] = link.split('#');
      const to = file === '' ? path : resolve(dirname(path), file);
      if (!existsSync(to) || (anchor && to.endsWith('.md') && !anchors(readFileSync(to, 'utf8')).includes(anchor))) lost.push(`${relative(root, path)}: ${link}`);
    }
  }
  assert.deepEqual(lost, []);
});

test('the_sites_page_list_matches_the_pages', () => {
  const listed = SECTIONS.flatMap(({ items }) => items.map(({ link }) => link)).filter((link) => link !== '/reference/');
  const there = [...pages(docs)].map((path) => `/${relative(docs, path).replace(/(^|\/)(?:README|index)\.md$/, '$1').replace(/\.md$/, '')}`).filter((link) => !/^\/design\/./.test(link) && link !== '/');
  assert.deepEqual(listed.toSorted(), there.toSorted());
});

test('the_error_table_matches_the_source', () => {
  assert.equal(readFileSync(join(docs, 'errors.md'), 'utf8'), errorsPage(), 'node docs/.vitepress/errors.mjs writes it');
});
