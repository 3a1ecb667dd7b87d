/**
 * Which files of some folders have changed, found by looking at them in intervals: an editor that writes a new file and renames it, a folder
 * that comes or goes, and a file system that reports nothing are all seen alike (docs/decisions/platform.md PL-12).
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';

/** Path → what tells one state of a file from another. */
export type Snapshot = ReadonlyMap<string, string>;

/** The files at and below these places; names that begin with a dot are left out. At most `limits.develop.watchedFilesMax`. */
export function snapshotOf(roots: readonly string[]): Snapshot {
  const files = new Map<string, string>();
  for (const root of roots) look(root, files);
  return files;
}

function look(path: string, files: Map<string, string>): void {
  if (files.size >= limits.develop.watchedFilesMax) return;
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) {
      for (const name of readdirSync(path)) if (!name.startsWith('.')) look(join(path, name), files);
    } else if (stat !== undefined) files.set(path, `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`);
  } catch {
    // It went while it was looked at, or may not be read: the check that follows says so.
  }
}

/** The paths that came, went or changed, in their order. */
export function changedPaths(before: Snapshot, after: Snapshot): string[] {
  const changed = [...after.keys()].filter((path) => before.get(path) !== after.get(path));
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return [...changed, ...gone].sort();
}

/** Tells a change once nothing has changed between two looks, so that the files of one save, or of a checkout by git, are told together. */
export class Settling {
  #told: Snapshot;
  #last: Snapshot;

  constructor(now: Snapshot) {
    this.#told = now;
    this.#last = now;
  }

  /** The paths that changed since the last ones were told; none while they still change. */
  look(now: Snapshot): string[] {
    const isQuiet = changedPaths(this.#last, now).length === 0;
    this.#last = now;
    if (!isQuiet) return [];
    const changed = changedPaths(this.#told, now);
    this.#told = now;
    return changed;
  }
}

/** Calls `changed` after each change of the files below `roots`, one call at a time, until the returned function is called. */
export function watchFiles(
  roots: readonly string[],
  changed: (paths: readonly string[]) => Promise<void>,
  lookMs: number = limits.develop.lookMs,
): () => void {
  const settling = new Settling(snapshotOf(roots));
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const again = (): void => {
    if (!isStopped) timer = setTimeout(() => void once(), lookMs).unref();
  };
  const once = async (): Promise<void> => {
    const paths = settling.look(snapshotOf(roots));
    if (paths.length > 0) await changed(paths);
    again();
  };
  again();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
