/** Files of the floors that only tests import: what stands in for a part of a node in tests belongs to the tests. Pure. */
import { posix } from 'node:path';
import type { Violation } from './floor-plan.ts';
import { scan, type SourceFile } from './source.ts';

/** Files that no file of the floors imports: `files` are those of the floors, `begins` tells what is started by its name, as programs and jobs are. */
export function checkServed(files: readonly SourceFile[], begins: (path: string) => boolean): Violation[] {
  const imported = new Set(
    files.flatMap(({ path, text }) => scan(text).imports.map(({ specifier }) => at(path, specifier))),
  );
  return files
    .filter(({ path }) => !imported.has(path) && !begins(path))
    .map(({ path }) => ({ rule: 'served', path, what: 'is imported by tests alone: it belongs into test/' }));
}

function at(path: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return posix.join(posix.dirname(path), specifier);
}
