/**
 * Where this program lies: the project's root, and the files that threads and processes are started from. The program runs from its
 * sources or from bundles in `dist/` (`npm run build`, which makes one of each program): both lie one folder below the root, so this
 * file's own address leads there from either.
 */
import { basename, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of package.json, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The variable that names the folder of bundles to start programs from, relative to the root. Without it sources start sources, and bundles the bundles beside them. */
const DIST = 'SKEP_DIST';

const runsFromSources = import.meta.url.endsWith('.ts');

/** The URL that starts a program. `source`: its source file from the root, such as `runtime/threads/tenant-host.worker.ts`. */
export function programUrl(source: string): URL {
  const bundle = `${basename(source, '.ts')}.js`;
  if (!runsFromSources) return new URL(bundle, import.meta.url);
  const dist = process.env[DIST];
  return dist === undefined || dist === ''
    ? pathToFileURL(`${ROOT}${source}`)
    : pathToFileURL(resolve(ROOT, dist, bundle));
}
