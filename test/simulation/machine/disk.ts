/**
 * The file system of a simulated machine. What of it is durable follows the model of the images of disks (test/crash/images/disk.ts, PL-14); what a process
 * sees lies beside it. Environments (LMDB) are twins that keep what was committed.
 */
import { basename, dirname } from 'node:path';
import { Bytes } from '#test/crash/images/bytes.ts';
import { Disk, type Entry } from '#test/crash/images/disk.ts';
import { pickBytes, pickNames, type Style } from '#test/crash/images/pick.ts';
import type { Random } from '#test/kit/random.ts';
import type { Cells } from './cells.ts';

/** Everything simulated lies below it. */
export const ROOT_PATH = '/sim';

/** A file has bytes, a directory has entries. */
export interface Inode {
  readonly ino: number;
  readonly bytes: Bytes | null;
  readonly entries: Map<string, Inode> | null;
}

export function fault(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

const NOTHING = Buffer.alloc(0);

export class SimulatedDisk {
  readonly root: Inode;
  readonly durable: Disk;
  /** By path. */
  readonly environments: Map<string, Cells>;
  readonly #ignores: (path: string) => boolean;
  #inos = 1;
  #syncs = 0;

  /** `ignores`: whether syncs of a file or directory of this path do nothing (for the control). */
  constructor(before: Entry, environments: ReadonlyMap<string, Cells>, ignores: (path: string) => boolean) {
    this.durable = new Disk(before, ignores);
    this.#ignores = ignores;
    this.root = this.#take(before);
    this.environments = new Map([...environments].map(([path, cells]) => [path, cells.copy()]));
  }

  static empty(ignores: (path: string) => boolean): SimulatedDisk {
    return new SimulatedDisk({ ino: 1, bytes: null, entries: new Map() }, new Map(), ignores);
  }

  #take({ ino, bytes, entries }: Entry): Inode {
    this.#inos = Math.max(this.#inos, ino);
    if (entries === null) return { ino, bytes: new Bytes(Buffer.from(bytes!)), entries: null };
    return { ino, bytes: null, entries: new Map([...entries].map(([name, entry]) => [name, this.#take(entry)])) };
  }

  /** What the machine finds when its power comes back. */
  afterPowerCut(style: Style, random: Random): SimulatedDisk {
    const names = pickNames(this.durable, style, random);
    const kept = new Map<number, Buffer>();
    const entryOf = (id: number): Entry => {
      const file = this.durable.files.get(id);
      if (file === undefined)
        return {
          ino: id,
          bytes: null,
          entries: new Map([...names.get(id)!].map(([name, child]) => [name, entryOf(child)])),
        };
      const bytes = kept.get(id) ?? pickBytes(file, style, random);
      kept.set(id, bytes);
      return { ino: id, bytes, entries: null };
    };
    return new SimulatedDisk(entryOf(this.durable.root), this.environments, this.#ignores);
  }

  find(path: string): Inode | null {
    let inode = this.root;
    for (const name of partsOf(path)) {
      const next = inode.entries?.get(name);
      if (next === undefined) return null;
      inode = next;
    }
    return inode;
  }

  /** Throws ENOENT. */
  at(path: string): Inode {
    const inode = this.find(path);
    if (inode === null) throw fault('ENOENT', path);
    return inode;
  }

  /** Throws ENOENT, or EISDIR. */
  file(path: string): Inode & { readonly bytes: Bytes } {
    const inode = this.at(path);
    if (inode.bytes === null) throw fault('EISDIR', path);
    return inode as Inode & { readonly bytes: Bytes };
  }

  /** Throws ENOENT, or ENOTDIR. */
  entries(path: string): Map<string, Inode> {
    const { entries } = this.at(path);
    if (entries === null) throw fault('ENOTDIR', path);
    return entries;
  }

  /** Makes a file, or gives the one that is there. */
  make(path: string): Inode {
    const entries = this.entries(dirname(path));
    const present = entries.get(basename(path));
    if (present !== undefined) return present;
    const inode = { ino: ++this.#inos, bytes: new Bytes(NOTHING), entries: null };
    entries.set(basename(path), inode);
    this.#change('file', inode.ino, below(path));
    return inode;
  }

  /** A directory that was there before the machine was switched on. */
  install(path: string): void {
    this.makeDirectory(path);
    this.beginSync(this.at(dirname(path)))(true);
  }

  makeDirectory(path: string): void {
    const entries = this.entries(dirname(path));
    if (entries.has(basename(path))) throw fault('EEXIST', path);
    const inode = { ino: ++this.#inos, bytes: null, entries: new Map<string, Inode>() };
    entries.set(basename(path), inode);
    this.#change('directory', inode.ino, below(path));
  }

  rename(from: string, to: string): void {
    const inode = this.at(from);
    const target = this.entries(dirname(to));
    this.entries(dirname(from)).delete(basename(from));
    target.set(basename(to), inode);
    this.#change('rename', 0, `${below(from)}\0${below(to)}`);
  }

  /** Removes a file, or a directory with what it holds. */
  remove(path: string): void {
    const { entries } = this.at(path);
    for (const name of Array.from(entries?.keys() ?? [])) this.remove(`${path}/${name}`);
    this.entries(dirname(path)).delete(basename(path));
    this.#change(entries === null ? 'unlink' : 'rmdir', 0, below(path));
  }

  write({ ino, bytes }: Inode, data: Buffer, at: number): void {
    const copy = Buffer.from(data);
    bytes!.write(copy, at);
    this.durable.apply({ kind: 'write', flag: false, ino, number: at, bytes: copy });
  }

  resize({ ino, bytes }: Inode, size: number): void {
    bytes!.resize(size);
    this.durable.apply({ kind: 'size', flag: false, ino, number: size, bytes: NOTHING });
  }

  /** A sync of a file or a directory begins: it covers what was done by now. Gives the function that ends it. */
  beginSync({ ino }: Inode): (isGood: boolean) => void {
    const number = ++this.#syncs;
    this.durable.apply({ kind: 'syncing', flag: false, ino, number, bytes: NOTHING });
    return (isGood) => this.durable.apply({ kind: 'synced', flag: isGood, ino, number, bytes: NOTHING });
  }

  #change(kind: 'file' | 'directory' | 'rename' | 'unlink' | 'rmdir', ino: number, path: string): void {
    this.durable.apply({ kind, flag: false, ino, number: 0, bytes: Buffer.from(path) });
  }
}

const below = (path: string): string => path.slice(ROOT_PATH.length + 1);
const partsOf = (path: string): string[] =>
  below(path)
    .split('/')
    .filter((name) => name !== '');
