/** The client's two files for a page without a build tool, wherever this program runs from (docs/decisions/runtime.md RT-40). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programUrl } from '../place.ts';

/** Their names, in `dist/` as in a product. */
export const CLIENT_MODULE = 'skep-client.js';
export const CLIENT_DECLARATIONS = 'skep-client.d.ts';

/** By name: those of the build that this program runs from, or for whose sources it is told to (`SKEP_DIST`); without one they are made now, in a fifth of a second. */
export async function clientFiles(): Promise<Readonly<Record<string, string>>> {
  const built = fileURLToPath(programUrl(CLIENT_MODULE.replace('.js', '.ts')));
  const [module, declarations] = built.endsWith('.js')
    ? [readFileSync(built, 'utf8'), readFileSync(built.replace(CLIENT_MODULE, CLIENT_DECLARATIONS), 'utf8')]
    : await made();
  return { [CLIENT_MODULE]: module, [CLIENT_DECLARATIONS]: declarations };
}

interface Builder {
  readonly buildClient: () => Promise<readonly [module: string, declarations: string]>;
}

async function made(): Promise<readonly [string, string]> {
  // An address that is made here is not followed by the bundler: the bundle of this program has the files beside it, and no bundler in it.
  const builder = new URL('build-client.ts', import.meta.url).href;
  const { buildClient } = (await import(builder)) as Builder;
  return buildClient();
}
