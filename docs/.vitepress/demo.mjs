// The demo page as a part of the site: the playground is one of its views.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
if (!existsSync(at('pkg/index.js'))) throw new Error('the package is not built: make build');
// The demo's own Vite: the site has an older one.
const require = createRequire(at('www/package.json'));
const { build } = await import(pathToFileURL(require.resolve('vite')).href);
await build({
  root: at('www/demo'),
  configFile: at('www/demo/vite.config.js'),
  logLevel: 'warn',
  build: { outDir: at('docs/public/demo'), emptyOutDir: true },
});
