// The site: the pages of this folder. It makes no request to another origin.
import { defineConfig } from 'vitepress';
import { withMermaid } from 'vitepress-plugin-mermaid';
import { SECTIONS } from './pages.mjs';

/** Shows the file name of a code block above it. */
function showNames(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const [, name] = /\[(.+)\]/.exec(tokens[at].info) ?? [];
    return `${name ? `<p class="file">${md.utils.escapeHtml(name)}</p>` : ''}${fence(tokens, at, ...rest)}`;
  };
}

/** The anchor of a heading, as GitHub makes it: links work here and there. */
const anchorOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Shows links to files outside this folder as plain text: the site has no copy of them. */
function removeOutsideLinks(md) {
  const isOutside = (token) => /^(?:\.\.\/)+(?!docs\/)/.test(token?.attrGet('href') ?? '');
  md.core.ruler.push('inside', (state) => {
    const depth = (state.env.relativePath ?? '').split('/').length - 1;
    for (const { children } of state.tokens) {
      let open = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open' && isOutside(token) && token.attrGet('href').split('../').length - 1 > depth) {
          [open, token.tag, token.attrs] = [true, 'span', []];
        } else if (token.type === 'link_close' && open) {
          [open, token.tag] = [false, 'span'];
        }
      }
    }
  });
}

export default withMermaid(
  defineConfig({
    title: 'memfold',
    description: 'Folds new memories into what is already known, on the device of their owner.',
    lang: 'en',
    lastUpdated: false,
    srcExclude: ['node_modules/**'],
    rewrites: { 'design/README.md': 'design/index.md' },
    markdown: { anchor: { slugify: anchorOf }, config: (md) => (showNames(md), removeOutsideLinks(md)) },
    themeConfig: {
      nav: [
        { text: 'Start', link: '/start' },
        { text: 'Guides', link: '/mail' },
        { text: 'Cookbook', link: '/cookbook' },
        { text: 'API', link: '/reference/' },
        { text: 'Help', link: '/troubleshooting' },
        { text: 'Playground', link: '/playground' },
      ],
      sidebar: SECTIONS,
      search: { provider: 'local' },
      outline: 'deep',
    },
    mermaid: { theme: 'neutral' },
  }),
);
