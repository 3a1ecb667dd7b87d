/** One blob store for each tenant of a thread, so that whoever holds its files is known to whoever sweeps them. */
import { join } from 'node:path';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import type { BlobStore } from '#storage/blob/port.ts';

export class BlobRooms {
  readonly #root: string;
  readonly #rooms = new Map<number, BlobStore>();

  constructor(dataDir: string) {
    this.#root = join(dataDir, 'blobs');
  }

  of(tenantNo: number): BlobStore {
    const present = this.#rooms.get(tenantNo);
    if (present !== undefined) return present;
    const room = new DirectoryBlobs(join(this.#root, String(tenantNo)));
    this.#rooms.set(tenantNo, room);
    return room;
  }

  forget(tenantNo: number): void {
    this.#rooms.delete(tenantNo);
  }
}
