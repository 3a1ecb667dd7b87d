/**
 * Which files a linter that knows types has to read again: those that differ from the last clean run, and all that import such a file, near or far, for
 * their types may differ with it. Pure: files come in as text.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';

/** The last run that found nothing wrong: every file by its path from the root, with the hash of what it held. */
export type CleanRun = Readonly<Record<string, string>>;

/** Paths from the root, with what each file holds. */
export type Files = ReadonlyMap<string, string>;

/** A file of this kind decides what is wrong in all others: settings, versions, and types that no import names. */
const DECIDES_ALL = /(?:^|\/)(?:tsconfig[\w.]*\.json|package(?:-lock)?\.json|\.oxlintrc\.json)$|\.d\.[mc]?ts$/;
const SPECIFIER = /\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g;
/** `@skep/client` and its rooms. */
const OWN_PACKAGE = /^@skep\//;

export const cleanRunOf = (files: Files): CleanRun =>
  Object.fromEntries([...files].map(([path, text]) => [path, createHash('sha1').update(text).digest('base64')]));

/**
 * Paths of the files to read again, those that are gone left out; `all` where there was no clean run, or a file that decides for all has changed.
 * `imports`: the member of package.json.
 */
export function staleFiles(files: Files, before: CleanRun | null, imports: Readonly<Record<string, string>>) {
  if (before === null) return 'all';
  const now = cleanRunOf(files);
  const paths = new Set([...Object.keys(now), ...Object.keys(before)]);
  const changed = [...paths].filter((path) => now[path] !== before[path]);
  if (changed.some((path) => DECIDES_ALL.test(path))) return 'all';
  const importers = importersOf(files, imports);
  const stale = new Set(changed);
  for (const path of stale) for (const importer of importers.get(path) ?? []) stale.add(importer);
  return [...stale].filter((path) => files.has(path)).toSorted();
}

function importersOf(files: Files, imports: Readonly<Record<string, string>>): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, text] of files)
    for (const [, specifier] of text.matchAll(SPECIFIER))
      for (const named of namedBy(path, specifier!, imports)) {
        const known = importers.get(named);
        if (known === undefined) importers.set(named, [path]);
        else known.push(path);
      }
  return importers;
}

/** The paths that a specifier may mean, whether there is such a file or not: one that is gone has importers, too. */
function namedBy(from: string, specifier: string, imports: Readonly<Record<string, string>>): string[] {
  const bare = bareOf(from, specifier, imports);
  if (bare === null) return [];
  return posix.extname(bare) !== '' ? [bare] : [`${bare}.ts`, `${bare}.tsx`, `${bare}/index.ts`, `${bare}/index.tsx`];
}

function bareOf(from: string, specifier: string, imports: Readonly<Record<string, string>>): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  if (OWN_PACKAGE.test(specifier)) return specifier.replace(OWN_PACKAGE, '');
  if (!specifier.startsWith('#')) return null;
  const room = Object.keys(imports).find((pattern) => specifier.startsWith(pattern.slice(0, -1)));
  if (room === undefined) return null;
  return posix.join(imports[room]!.slice(0, -1), specifier.slice(room.length - 1));
}
