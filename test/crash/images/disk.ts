/**
 * A disk as a recording changes it, with what of it is durable.
 *
 * The model, on the careful side of what file systems promise:
 * - A successful sync of a file makes everything durable that was written to it before the sync began, its size too; the name of the
 *   file is not part of it. A write through a descriptor with O_DSYNC is durable when it returns.
 * - What a failed sync of a file was to make durable, a later one does not make durable either, unless it was written again: Linux takes the pages for
 *   written (fsync(2), EIO).
 * - A successful sync of a directory makes the changes of its names durable, in order. A rename is one change, also between two directories.
 * - Of what is not durable, a disk may have any part: pick.ts.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bytes, outside, type Change, type Write } from './bytes.ts';
import type { Recorded } from './recording.ts';

export interface File {
  readonly durable: Bytes;
  pending: Change[];
  /** By the number of a sync that runs: how many of `pending` it covers. */
  readonly covered: Map<number, number>;
}

/** One change of names: null takes a name away. */
export interface NameChange {
  /** Numbers grow with time. */
  readonly no: number;
  readonly names: readonly { readonly directory: number; readonly name: string; readonly id: number | null }[];
}

type Names = Map<string, number>;

/** A file with its bytes, or a directory with what is in it, as it was before the recording. */
export interface Entry {
  readonly ino: number;
  readonly bytes: Buffer | null;
  readonly entries: ReadonlyMap<string, Entry> | null;
}

/** Sockets are left out: a start makes its own. */
export function entryAt(path: string): Entry {
  const { ino } = lstatSync(path);
  const found = readdirSync(path, { withFileTypes: true });
  const entries = new Map<string, Entry>();
  for (const entry of found) {
    const at = join(path, entry.name);
    if (entry.isDirectory()) entries.set(entry.name, entryAt(at));
    else if (entry.isFile())
      entries.set(entry.name, { ino: lstatSync(at).ino, bytes: readFileSync(at), entries: null });
  }
  return { ino, bytes: null, entries };
}

export class Disk {
  readonly root: number;
  /** By an id of this disk: file systems give the number of an inode again. */
  readonly files = new Map<number, File>();
  /** Durable names of each directory, by its id. */
  readonly durable = new Map<number, Names>();
  /** Changes of names that are not durable, in order. */
  pending: NameChange[] = [];
  readonly #now = new Map<number, Names>();
  /** By the number of a sync that runs: the number of the last change of names before it. */
  readonly #covered = new Map<number, number>();
  #lastChange = 0;
  readonly #ignores: (path: string) => boolean;
  /** Ids of the files and directories that have these inodes now. */
  readonly #ids = new Map<number, number>();
  #last = 0;
  /** The path that a file or directory got last, for `ignores`. */
  readonly #paths = new Map<number, string>();

  /** Everything that was there before is durable. `ignores`: whether syncs of a file or directory of this path do nothing (for the control). */
  constructor(before: Entry, ignores: (path: string) => boolean = () => false) {
    this.#ignores = ignores;
    this.root = this.#makeDirectory(before.ino, '');
    this.#take(before, this.root, '');
  }

  #take(before: Entry, id: number, path: string): void {
    for (const [name, entry] of before.entries!) {
      const below = join(path, name);
      const { ino, bytes } = entry;
      const child = bytes === null ? this.#makeDirectory(ino, below) : this.#makeFile(ino, below, bytes);
      this.durable.get(id)!.set(name, child);
      this.#now.get(id)!.set(name, child);
      if (bytes === null) this.#take(entry, child, below);
    }
  }

  #new(ino: number, path: string): number {
    const id = ++this.#last;
    this.#ids.set(ino, id);
    this.#paths.set(id, path);
    return id;
  }

  #makeDirectory(ino: number, path: string): number {
    const id = this.#new(ino, path);
    this.durable.set(id, new Map());
    this.#now.set(id, new Map());
    return id;
  }

  #makeFile(ino: number, path: string, bytes: Buffer = Buffer.alloc(0)): number {
    const id = this.#new(ino, path);
    this.files.set(id, { durable: new Bytes(Buffer.from(bytes)), pending: [], covered: new Map() });
    return id;
  }

  apply({ kind, ino, number, bytes, flag }: Recorded): void {
    const id = this.#ids.get(ino) ?? 0;
    const file = this.files.get(id);
    if (kind === 'write')
      file?.pending.push({ kind, at: number, bytes, is: flag && !this.#ignored(id) ? 'durable' : 'pending' });
    else if (kind === 'size') file?.pending.push({ kind, size: number });
    else if (kind === 'syncing') this.#syncing(id, number);
    else if (kind === 'synced') this.#synced(id, number, !flag ? 'failed' : this.#ignored(id) ? 'ignored' : 'good');
    else if (kind !== 'note') this.#rename(kind, ino, bytes.toString());
  }

  #ignored(id: number): boolean {
    return this.#ignores(this.#paths.get(id) ?? '');
  }

  #syncing(id: number, number: number): void {
    const file = this.files.get(id);
    if (file !== undefined) file.covered.set(number, file.pending.length);
    else this.#covered.set(number, this.#lastChange);
  }

  #synced(id: number, number: number, how: 'good' | 'failed' | 'ignored'): void {
    const file = this.files.get(id);
    if (file === undefined) {
      if (how === 'good') this.#keepNames(id, this.#covered.get(number) ?? 0);
      this.#covered.delete(number);
      return;
    }
    const count = file.covered.get(number) ?? 0;
    file.covered.delete(number);
    if (how === 'ignored' || count === 0) return;
    const left = how === 'failed' ? file.pending.slice(0, count).map(givenUp) : makeDurable(file, count);
    file.pending.splice(0, count, ...left);
    const fewer = count - left.length;
    for (const [other, covers] of file.covered) file.covered.set(other, Math.max(left.length, covers - fewer));
  }

  /** The changes of a directory's names up to `last`, and what came before them in the other directories that they change. */
  #keepNames(id: number, last: number): void {
    const directories = new Set([id]);
    const kept = new Set<NameChange>();
    for (const change of this.pending.toReversed()) {
      if (change.no > last || !change.names.some(({ directory }) => directories.has(directory))) continue;
      kept.add(change);
      for (const { directory } of change.names) directories.add(directory);
    }
    for (const change of this.pending) if (kept.has(change)) applyNames(this.durable, change);
    this.pending = this.pending.filter((change) => !kept.has(change));
  }

  #rename(kind: Recorded['kind'], ino: number, text: string): void {
    const [path, to] = text.split('\0') as [string, string | undefined];
    const from = this.#placeOf(path);
    const known = this.#now.get(from.directory)!.get(from.name);
    const id =
      kind === 'file' ? this.#makeFile(ino, path) : kind === 'directory' ? this.#makeDirectory(ino, path) : known!;
    const gone = kind === 'rename' || kind === 'unlink' || kind === 'rmdir';
    const names = kind === 'link' ? [] : [{ ...from, id: gone ? null : id }];
    if (to !== undefined) {
      names.push({ ...this.#placeOf(to), id });
      this.#paths.set(id, to);
    }
    const change = { no: ++this.#lastChange, names };
    applyNames(this.#now, change);
    this.pending.push(change);
  }

  #placeOf(path: string): { readonly directory: number; readonly name: string } {
    const parts = path.split('/');
    const name = parts.pop()!;
    let directory = this.root;
    for (const part of parts) {
      const next = this.#now.get(directory)?.get(part);
      if (next === undefined) throw new Error(`the recording does not know ${path}`);
      directory = next;
    }
    return { directory, name };
  }

  /** Every file as the process saw it, by its path. Directories have null. */
  *asSeen(directory = this.root, path = ''): Generator<readonly [path: string, bytes: Buffer | null]> {
    for (const [name, id] of this.#now.get(directory)!) {
      const below = join(path, name);
      const file = this.files.get(id);
      if (file === undefined) {
        yield [below, null];
        yield* this.asSeen(id, below);
        continue;
      }
      const bytes = file.durable.copy();
      for (const change of file.pending) bytes.apply(change);
      yield [below, bytes.all];
    }
  }
}

const givenUp = (change: Change): Change =>
  change.kind === 'write' && change.is === 'pending' ? { ...change, is: 'given-up' } : change;

/** Applies the first changes of a file to what is durable of it. Gives those of them that are not made durable any more. */
function makeDurable({ durable, pending }: File, count: number): Write[] {
  let left: Write[] = [];
  for (const change of pending.slice(0, count)) {
    if (change.kind === 'write' && change.is === 'given-up') {
      left.push(change);
      continue;
    }
    durable.apply(change);
    const [from, to] = change.kind === 'size' ? [change.size, Infinity] : [change.at, change.at + change.bytes.length];
    left = left.flatMap((write) => outside(write, from, to));
  }
  return left;
}

/** Changes the names of directories. */
export function applyNames(directories: Map<number, Names>, { names }: NameChange): void {
  for (const { directory, name, id } of names) {
    if (id === null) directories.get(directory)?.delete(name);
    else directories.get(directory)?.set(name, id);
  }
}
