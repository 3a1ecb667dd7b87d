/** In the place of node:fs/promises: each call is done, and answered, after a while. */
import * as real from 'node:fs/promises';
import { fault } from '#test/simulation/machine/disk.ts';
import { machine } from '#test/simulation/machine/machine.ts';
import { bufferOf, closeNow, inodeOf, isOurs, openNow, pathOf, placeOf } from './descriptors.ts';
import { contentOf, factsOf, namesIn, ROOM, syncLater } from './fs.ts';

export * from 'node:fs/promises';

type Any = any; // oxlint-disable-line no-explicit-any -- signatures of node:fs/promises with all their overloads

function either(name: keyof typeof real, ours: (...args: Any[]) => unknown): Any {
  const theirs = real[name] as (...args: Any[]) => unknown;
  return (...args: Any[]) => (isOurs(args[0]) ? ours(...args) : theirs(...args));
}

/** What the operating system does meanwhile. */
function later<T>(line: string, act: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    machine().world.answer(line, act, (error, value) => (error === null ? resolve(value as T) : reject(error)));
  });
}

/** The part of a FileHandle that the floors use. */
class Handle {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  #later<T>(verb: string, act: () => T): Promise<T> {
    return later(`${verb} ${pathOf(this.fd)}`, act);
  }

  write(
    data: Uint8Array,
    offset = 0,
    length = data.length - offset,
    position?: number,
  ): Promise<{ bytesWritten: number }> {
    // A copy, for the caller may use its buffer again only when it is answered, but a write of a dead room may still be done.
    const bytes = Buffer.from(bufferOf(data).subarray(offset, offset + length));
    const inode = inodeOf(this.fd);
    const { disk } = machine();
    const at = placeOf(this.fd, bytes.length, position);
    return this.#later(`write ${bytes.length}`, () => {
      disk.write(inode, bytes, at);
      return { bytesWritten: bytes.length };
    });
  }

  async writeFile(data: unknown): Promise<void> {
    await this.write(bufferOf(data));
  }

  read(into: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }> {
    const { bytes } = inodeOf(this.fd);
    return this.#later('read', () => {
      const found = bytes!.all.subarray(position, position + length);
      into.set(found, offset);
      return { bytesRead: found.length };
    });
  }

  truncate(size: number): Promise<void> {
    const inode = inodeOf(this.fd);
    const { disk } = machine();
    return this.#later('resize', () => disk.resize(inode, size));
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) =>
      syncLater(inodeOf(this.fd), pathOf(this.fd), (error) => (error === null ? resolve() : reject(error))),
    );
  }

  datasync(): Promise<void> {
    return this.sync();
  }

  async close(): Promise<void> {
    closeNow(this.fd);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export const open = either('open', (path: string, flags?: string | number) =>
  later(`open ${path}`, () => new Handle(openNow(path, flags))),
);
export const rename = either('rename', (from: string, to: string) => {
  const { disk } = machine();
  return later(`rename ${from} ${to}`, () => disk.rename(from, to));
});

/** As rmdir and unlink of each name, in turn. */
export const rm = either('rm', async (path: string, options?: { readonly force?: boolean }): Promise<void> => {
  const { disk } = machine();
  const inode = disk.find(path);
  if (inode === null && options?.force === true) return;
  if (inode === null) throw fault('ENOENT', path);
  for (const name of Array.from(inode.entries?.keys() ?? [])) await rm(`${path}/${name}`, options);
  await later(`remove ${path}`, () => {
    if (disk.find(path) !== null) disk.remove(path);
  });
});

export const readFile = either('readFile', (path: string, options?: string) =>
  later(`read ${path}`, () => contentOf(path, options)),
);
export const readdir = either('readdir', (path: string, options?: { readonly withFileTypes?: boolean }) =>
  later(`names ${path}`, () => namesIn(path, options)),
);
export const stat = either('stat', (path: string) => later(`stat ${path}`, () => factsOf(path)));
export const chmod = either('chmod', (path: string) => later(`chmod ${path}`, () => undefined));
export const statfs = either('statfs', (path: string) => later(`statfs ${path}`, () => ROOM));
