/**
 * The dependencies of the package, with what they need in turn, each in the one version with which the workspace was tested. Without the
 * latter npm would take the newest that their ranges allow on the day of the install. A shrinkwrap would say the same, but npm (11.19) reads it
 * only of packages that come from a registry.
 */

interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** Where one of them is set, the package is a part of another for one platform, which names it with its exact version. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** A `package-lock.json` of version 3, as far as it is read here. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const FOLDER = 'node_modules/';

/**
 * The exact version of each of `names` and of everything that they need, by name. Left out are parts for one platform, with what those need, and copies that lie below another
 * package, since a dependency of ours would not reach them. Throws where the lock lacks a package that is not optional.
 */
export function exactVersions(lock: Lock, names: readonly string[]): Record<string, string> {
  const versions: Record<string, string> = {};
  const seen = new Set<string>();
  const visit = (from: string, name: string, isOptional: boolean): void => {
    const path = locate(lock, from, name);
    if (path === null && !isOptional)
      throw new Error(`package-lock.json lacks ${name}, which ${from || 'the package'} needs`);
    if (path === null || seen.has(path)) return;
    seen.add(path);
    const { version, os, cpu, dependencies, optionalDependencies } = lock.packages[path]!;
    if (os !== undefined || cpu !== undefined) return;
    if (path === `${FOLDER}${name}`) versions[name] = version!;
    for (const wanted of Object.keys(dependencies ?? {})) visit(path, wanted, false);
    for (const wanted of Object.keys(optionalDependencies ?? {})) visit(path, wanted, true);
  };
  for (const name of names) visit('', name, false);
  return Object.fromEntries(Object.entries(versions).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The paths of `paths` and of all that they need, parts for one platform and copies that lie below another package included. What is optional may be missing. */
export function closureOf(lock: Lock, paths: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const { dependencies, optionalDependencies } = lock.packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const needed = locate(lock, path, name);
      if (needed !== null) visit(needed);
    }
  };
  for (const path of paths) visit(path);
  return [...seen];
}

/** What the package at `from` means by a name: the nearest one, outwards (https://nodejs.org/api/modules.html#loading-from-node_modules-folders). */
function locate(lock: Lock, from: string, name: string): string | null {
  for (let place = from; ; place = outside(place)) {
    const path = place === '' ? `${FOLDER}${name}` : `${place}/${FOLDER}${name}`;
    if (path in lock.packages) return path;
    if (place === '') return null;
  }
}

/** The path of the package in whose `node_modules` this one lies; '' is the workspace. */
function outside(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(`/${FOLDER}`)));
}
