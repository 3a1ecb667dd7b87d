/** A store of blobs as if one of its files were all of it: a copy takes along all that a store has. */
import { NO_DERIVED } from '#storage/blob/derived.ts';
import { MemoryPartials } from '#storage/blob/memory-partials.ts';
import type { BlobStore } from '#storage/blob/port.ts';

export function onlyBlob(blobs: BlobStore, sha256: string): BlobStore {
  return {
    notes: null,
    derived: NO_DERIVED,
    partials: new MemoryPartials(),
    begin: () => blobs.begin(),
    size: (asked) => blobs.size(asked),
    read: (asked, from, to) => blobs.read(asked, from, to),
    sweep: () => Promise.resolve(0),
    bytes: async () => (await blobs.size(sha256)) ?? 0,
    digests: async function* () {
      yield await Promise.resolve(sha256);
    },
    hold: () => blobs.hold(),
    erase: () => Promise.reject(new Error('revisions are shared by tenants')),
  };
}
