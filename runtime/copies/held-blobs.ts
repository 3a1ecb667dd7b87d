/** The stores of files that a host has open for its tenants, as copies and sets use them. */
import type { BlobStore } from '#storage/blob/port.ts';

/** The files of tenants: those of rows, and those of content stores. */
export interface HeldBlobs {
  of(tenantNo: number): BlobStore;
  content(owner: Owner, store: string): BlobStore;
  contentStores(owner: Owner, roots: boolean): Map<string, BlobStore>;
}

export interface Owner {
  readonly tenantNo: number;
  readonly position: { readonly key: string };
}
