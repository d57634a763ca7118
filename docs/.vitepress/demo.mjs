// The demo page as a part of the site: the playground is one of its views.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
if (!existsSync(at('pkg/index.js'))) throw new Error('the package is not built: make build');
await build({
  root: at('www/demo'),
  configFile: at('www/demo/vite.config.js'),
  logLevel: 'warn',
  build: { outDir: at('docs/public/demo'), emptyOutDir: true },
});
