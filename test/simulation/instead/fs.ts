/**
 * In the place of node:fs for modules of the floors: paths below /sim are on the disk of the simulated machine, all others real. Synchronous calls take no
 * simulated time, and the machine may fall at each that changes something.
 */
import * as real from 'node:fs';
import { fault, type Inode } from '#test/simulation/machine/disk.ts';
import { machine } from '#test/simulation/machine/machine.ts';
import { bufferOf, closeNow, inodeOf, isOurDescriptor, isOurs, openNow, pathOf, placeOf } from './descriptors.ts';

export * from 'node:fs';

type Any = any; // oxlint-disable-line no-explicit-any -- signatures of node:fs with all their overloads

/** The function of node:fs, or ours where the first argument is of the machine. */
function either(name: keyof typeof real, ours: (...args: Any[]) => unknown): Any {
  const theirs = real[name] as (...args: Any[]) => unknown;
  return (...args: Any[]) => (isOurs(args[0]) || isOurDescriptor(args[0]) ? ours(...args) : theirs(...args));
}

/** Our function, where the machine has not fallen. */
const change = (line: string, make: () => void): void => {
  if (machine().changing(line)) make();
};

export const existsSync = either('existsSync', (path: string) => machine().disk.find(path) !== null);

export const openSync = either('openSync', (path: string, flags?: string | number) => {
  const isThere = machine().disk.find(path) !== null;
  // Of a dead room: a descriptor of something that is nowhere.
  if ((!isThere || String(flags).startsWith('w')) && !machine().changing(`open ${path}`)) return openNow('/sim');
  return openNow(path, flags);
});

export const closeSync = either('closeSync', closeNow);

export const writeSync = either(
  'writeSync',
  (fd: number, data: unknown, offset = 0, length?: number, position?: number | null) => {
    const all = bufferOf(data);
    const bytes = all.subarray(offset, offset + (length ?? all.length - offset));
    const inode = inodeOf(fd);
    if (inode.bytes === null) return bytes.length;
    change(`write ${pathOf(fd)} ${bytes.length}`, () =>
      machine().disk.write(inode, bytes, placeOf(fd, bytes.length, position)),
    );
    return bytes.length;
  },
);

export const readSync = either(
  'readSync',
  (fd: number, into: Uint8Array, offset: number, length: number, position: number) => {
    const found = inodeOf(fd).bytes!.all.subarray(position, position + length);
    into.set(found, offset);
    return found.length;
  },
);

export const ftruncateSync = either('ftruncateSync', (fd: number, size = 0) => {
  const inode = inodeOf(fd);
  if (inode.bytes !== null) change(`resize ${pathOf(fd)}`, () => machine().disk.resize(inode, size));
});

function syncNow(fd: number): void {
  const inode = inodeOf(fd);
  change(`sync ${pathOf(fd)}`, () => {
    const isGood = !machine().syncFails();
    machine().disk.beginSync(inode)(isGood);
    if (!isGood) throw fault('EIO', pathOf(fd));
  });
}

export const fsyncSync = either('fsyncSync', syncNow);
export const fdatasyncSync = either('fdatasyncSync', syncNow);

/** A sync that the kernel does meanwhile. */
export function syncLater(inode: Inode, path: string, then: (error: Error | null) => void): void {
  const { disk, world } = machine();
  const end = disk.beginSync(inode);
  world.answer(
    `sync ${path}`,
    () => {
      const isGood = !machine().syncFails();
      end(isGood);
      if (!isGood) throw fault('EIO', path);
    },
    then,
  );
}

export const fdatasync = either('fdatasync', (fd: number, then: (error: Error | null) => void) =>
  syncLater(inodeOf(fd), pathOf(fd), then),
);
export const fsync = either('fsync', (fd: number, then: (error: Error | null) => void) =>
  syncLater(inodeOf(fd), pathOf(fd), then),
);

export function namesIn(path: string, options?: { readonly withFileTypes?: boolean }): unknown[] {
  const entries = machine().disk.entries(path);
  if (options?.withFileTypes !== true) return [...entries.keys()];
  return [...entries].map(([name, { bytes }]) => ({ name, parentPath: path, ...kindOf(bytes !== null) }));
}

const kindOf = (isFile: boolean) => ({ isFile: () => isFile, isDirectory: () => !isFile, isSymbolicLink: () => false });

export const readdirSync = either('readdirSync', namesIn);

export function contentOf(path: string, options?: string | { readonly encoding?: string }): Buffer | string {
  const bytes = Buffer.from(machine().disk.file(path).bytes.all);
  const encoding = typeof options === 'string' ? options : options?.encoding;
  return encoding === undefined ? bytes : bytes.toString(encoding as BufferEncoding);
}

export const readFileSync = either('readFileSync', contentOf);

export const writeFileSync = either(
  'writeFileSync',
  (path: string | number, data: unknown, options?: BufferEncoding | { readonly flush?: boolean }) => {
    if (typeof path === 'number') {
      writeSync(path, typeof data === 'string' ? Buffer.from(data, options as BufferEncoding) : data);
      return;
    }
    const fd = openSync(path, 'w') as number;
    writeSync(fd, bufferOf(data), 0, undefined, 0);
    if ((options as { readonly flush?: boolean } | undefined)?.flush === true) syncNow(fd);
    closeNow(fd);
  },
);

export const renameSync = either('renameSync', (from: string, to: string) =>
  change(`rename ${from} ${to}`, () => machine().disk.rename(from, to)),
);

/** Each name by itself: the machine may fall between any two. */
export function removeAll(path: string, isForced: boolean): void {
  const { disk } = machine();
  const inode = disk.find(path);
  if (inode === null && isForced) return;
  for (const name of Array.from(inode?.entries?.keys() ?? [])) removeAll(`${path}/${name}`, isForced);
  change(`remove ${path}`, () => machine().disk.remove(path));
}

export const rmSync = either('rmSync', (path: string, options?: { readonly force?: boolean }) =>
  removeAll(path, options?.force === true),
);
export const unlinkSync = either('unlinkSync', (path: string) => removeAll(path, false));

export const mkdirSync = either('mkdirSync', (path: string) =>
  change(`directory ${path}`, () => machine().disk.makeDirectory(path)),
);

export function factsOf(path: string): object {
  const { bytes } = machine().disk.at(path);
  const facts = { size: bytes?.size ?? 0, mode: bytes === null ? 0o700 : 0o600, uid: 0, mtimeMs: 0 };
  return { ...facts, ...kindOf(bytes !== null) };
}

export const statSync = either('statSync', factsOf);
export const lstatSync = either('lstatSync', factsOf);
export const chmodSync = either('chmodSync', () => undefined);

/** A disk that is never full. */
export const ROOM = { bavail: 1e9, bsize: 4096 };
export const statfsSync = either('statfsSync', () => ROOM);
