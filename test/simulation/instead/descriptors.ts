/** Open files of simulated machines. Their numbers lie above those of the operating system. */
import { fault, ROOT_PATH, type Inode } from '#test/simulation/machine/disk.ts';
import { machine } from '#test/simulation/machine/machine.ts';

const FIRST = 1_000_000;
interface Descriptor {
  readonly inode: Inode;
  readonly path: string;
  readonly appends: boolean;
  /** Where a write without a place goes. */
  at: number;
}

const open = new Map<number, Descriptor>();
let last = FIRST;

export const isOurs = (path: unknown): path is string =>
  typeof path === 'string' && (path === ROOT_PATH || path.startsWith(`${ROOT_PATH}/`));
export const isOurDescriptor = (fd: unknown): fd is number => typeof fd === 'number' && fd >= FIRST;

export function forgetDescriptors(): void {
  open.clear();
  last = FIRST;
}

export function inodeOf(fd: number): Inode {
  const found = open.get(fd);
  if (found === undefined) throw fault('EBADF', String(fd));
  return found.inode;
}

/** Where so many bytes go, by the place that is asked for. */
export function placeOf(fd: number, bytes: number, position: number | null | undefined): number {
  const found = open.get(fd)!;
  if (found.appends) return found.inode.bytes!.size;
  if (typeof position === 'number') return position;
  found.at += bytes;
  return found.at - bytes;
}

export const pathOf = (fd: number): string => open.get(fd)?.path ?? '';

/** Flags as those of open(2): as a text, or with O_CREAT as a bit. */
function wishOf(flags: string | number): {
  readonly creates: boolean;
  readonly cuts: boolean;
  readonly isNew: boolean;
} {
  if (typeof flags === 'number')
    return { creates: (flags & 0o100) !== 0, cuts: (flags & 0o1000) !== 0, isNew: (flags & 0o200) !== 0 };
  return { creates: !flags.startsWith('r'), cuts: flags.startsWith('w'), isNew: flags.includes('x') };
}

/** Opens, and makes or empties where the flags say so. */
export function openNow(path: string, flags: string | number = 'r'): number {
  const { disk } = machine();
  const { creates, cuts, isNew } = wishOf(flags);
  const present = disk.find(path);
  if (present !== null && isNew) throw fault('EEXIST', path);
  if (present === null && !creates) throw fault('ENOENT', path);
  const inode = present ?? disk.make(path);
  if (present !== null && cuts) disk.resize(inode, 0);
  open.set(++last, { inode, path, appends: String(flags).startsWith('a'), at: 0 });
  return last;
}

export function closeNow(fd: number): void {
  if (!open.delete(fd)) throw fault('EBADF', String(fd));
}

export function bufferOf(data: unknown): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  const view = data as Uint8Array;
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
