// The site: the pages of this folder as they lie here. It asks no other origin for anything.
import { defineConfig } from 'vitepress';
import { withMermaid } from 'vitepress-plugin-mermaid';
import { SECTIONS } from './pages.mjs';

/** The name of the file that a block of code is, above it. */
function named(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const [, name] = /\[(.+)\]/.exec(tokens[at].info) ?? [];
    return `${name ? `<p class="file">${md.utils.escapeHtml(name)}</p>` : ''}${fence(tokens, at, ...rest)}`;
  };
}

/** What lies outside of this folder is named and not linked: the site has no copy of it. */
function inside(md) {
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

export default withMermaid(defineConfig({
  title: 'memfold', description: 'Folds new memories into what is already known, on the device of their owner.', lang: 'en', lastUpdated: false,
  srcExclude: ['node_modules/**'],
  rewrites: { 'design/README.md': 'design/index.md' },
  markdown: { config: (md) => (named(md), inside(md)) },
  themeConfig: {
    nav: [{ text: 'Start', link: '/start' }, { text: 'Recipes', link: '/recipes/vite' }, { text: 'API', link: '/reference/' }, { text: 'Playground', link: '/playground' }],
    sidebar: SECTIONS, search: { provider: 'local' }, outline: 'deep',
  },
  mermaid: { theme: 'neutral' },
}));
