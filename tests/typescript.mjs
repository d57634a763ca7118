// A TypeScript module of this repository, for a test that looks at it by itself.
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** What the module at this path of the repository gives. */
export async function imported(path) {
  const { output } = await build({ input: fileURLToPath(new URL(`../${path}`, import.meta.url)), write: false, logLevel: 'silent' });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}
