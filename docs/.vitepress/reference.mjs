// The reference of the package's types, as pages: made of its declarations by TypeDoc.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
if (!existsSync(at('pkg/index.d.ts'))) throw new Error('the package is not built: make build');
const { exports } = JSON.parse(readFileSync(at('pkg.json'), 'utf8'));
const entries = [...new Set(Object.values(exports).flatMap(({ types }) => (types ? [at(`pkg/${types.slice(2)}`)] : [])))];

rmSync(at('docs/reference'), { recursive: true, force: true });
const app = await Application.bootstrapWithPlugins({
  name: 'memfold',
  entryPoints: entries,
  tsconfig: at('docs/.vitepress/tsconfig.json'),
  out: at('docs/reference'),
  plugin: ['typedoc-plugin-markdown'],
  readme: 'none',
  githubPages: false,
  hideGenerator: true,
  excludeInternal: true,
  excludePrivate: true,
  entryFileName: 'index',
  logLevel: 'Error',
  disableSources: true,
  expandObjects: true,
  parametersFormat: 'table',
  propertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  interfacePropertiesFormat: 'table',
  tableColumnSettings: { hideSources: true },
});
const project = await app.convert();
if (!project) process.exit(1);
// As they are imported.
for (const module of project.children ?? []) module.name = module.name === 'index' ? 'memfold' : `memfold/${module.name}`;
await app.generateOutputs(project);
