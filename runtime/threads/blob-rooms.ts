/** The blob stores of a thread: one object for each store, so that a sweep knows the files that readers and uploads hold. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { ArchiveCells } from '#storage/archive-cells.ts';
import { DirectoryBlobs, type AdmitsBytes } from '#storage/blob/directory.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { admitsOn, contentBlobs, isRooted, type Owner } from './content-blobs.ts';

const SPOOL = '.spool';

export class BlobRooms {
  readonly #platform: Platform;
  readonly #make: (owner: Owner, store: string) => BlobStore;
  readonly #rooms = new Map<number, BlobStore>();
  readonly #content = new Map<string, BlobStore>();

  /** Whether the data directory's disk has room. */
  readonly admits: AdmitsBytes;

  /** `archives`: shows how many bytes the hosts have accepted and not written yet (storage/archive-cells.ts). */
  constructor(platform: Platform, archives?: SharedArrayBuffer) {
    this.#platform = platform;
    const cells = new ArchiveCells(archives);
    this.admits = admitsOn(platform.storage.dir, platform, () => cells.pendingOfAll);
    this.#make = contentBlobs(platform, this.admits);
  }

  /** The store for files of a tenant's rows. */
  of(tenantNo: number): BlobStore {
    const path = join(this.#platform.storage.dir, 'blobs', String(tenantNo));
    return kept(this.#rooms, tenantNo, () => new DirectoryBlobs(path, this.admits));
  }

  /** A content store of a tenant. */
  content(owner: Owner, store: string): BlobStore {
    return kept(this.#content, `${owner.tenantNo} ${store}`, () => this.#make(owner, store));
  }

  /** Every content store that a tenant has or may have. `roots`: with those whose place depends on the tenant's key instead of its number. */
  contentStores(owner: Owner, roots: boolean): Map<string, BlobStore> {
    const directory = join(this.#platform.storage.dir, 'content', String(owner.tenantNo));
    const here = existsSync(directory) ? readdirSync(directory).filter((name) => !name.endsWith(SPOOL)) : [];
    const node = this.#platform.hives.tenant.find(({ key }) => key === owner.position.key);
    const rooted = (node?.contentstores ?? [])
      .map(({ name }) => name)
      .filter((name) => isRooted(this.#platform, owner, name));
    const names = [...here.filter((name) => !rooted.includes(name)), ...(roots ? rooted : [])];
    return new Map(names.map((name) => [name, this.content(owner, name)]));
  }

  /** A tenant's content stores whose files are on a disk of this node. */
  onDisk(owner: Owner): Map<string, BlobStore> {
    const stores = this.contentStores(owner, true);
    for (const [name, blobs] of stores) if (!(blobs instanceof DirectoryBlobs)) stores.delete(name);
    return stores;
  }

  forget(tenantNo: number): void {
    this.#rooms.delete(tenantNo);
    for (const place of this.#content.keys()) if (place.startsWith(`${tenantNo} `)) this.#content.delete(place);
  }
}

function kept<K>(rooms: Map<K, BlobStore>, key: K, make: () => BlobStore): BlobStore {
  const present = rooms.get(key);
  if (present !== undefined) return present;
  const room = make();
  rooms.set(key, room);
  return room;
}
