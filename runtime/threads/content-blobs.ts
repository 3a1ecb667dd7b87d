/** Where each content store of a tenant keeps its bytes: in the data directory, unless the platform file names another place. */
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { DirectoryBlobs, type AdmitsBytes } from '#storage/blob/directory.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { S3Blobs } from '#storage/blob/s3.ts';
import { Space } from '#storage/space.ts';

/** The tenant that a store belongs to. */
export interface Owner {
  readonly tenantNo: number;
  readonly position: { readonly key: string };
}

/** Admits bytes to a disk while `storage.free_bytes_min` stays free there; checked as bytes come, not by a timer. */
export function admitsOn(path: string, { storage }: Pick<Platform, 'storage'>, pending?: () => number): AdmitsBytes {
  const options = { freeBytesMin: storage.free_bytes_min, everyMs: null };
  const space = new Space(path, pending === undefined ? options : { ...options, pending });
  return (bytes) => space.admits(bytes, false);
}

/** Makes a content store. Tenants may share a root, so each tenant and store has its own place below it, and neither reads nor sweeps another's files. */
export function contentBlobs(
  { hives, storage }: Platform,
  admits: AdmitsBytes,
): (owner: Owner, store: string) => BlobStore {
  return ({ tenantNo, position: { key } }, store) => {
    const tenant = hives.tenant.find((node) => node.key === key);
    const root = tenant?.contentstores.find(({ name }) => name === store)?.contentroot;
    if (root?.type === 's3') {
      const { url, accesskey, secretkey, usessl, path, region } = root;
      return new S3Blobs({
        endpoint: `${usessl ? 'https' : 'http'}://${url}/${path}`,
        region,
        accessKey: accesskey,
        secretKey: secretkey,
        prefix: `${key.split(':').join('/')}/${store}/`,
        spool: join(storage.dir, 'content', String(tenantNo), `${store}.spool`),
        admits,
      });
    }
    if (root?.type === 'os')
      return new DirectoryBlobs(join(root.path, ...key.split(':'), store), admitsOn(root.path, { storage }));
    return new DirectoryBlobs(join(storage.dir, 'content', String(tenantNo), store), admits);
  };
}

/** Whether a store's place depends on the tenant's key instead of its number. */
export function isRooted({ hives }: Platform, { position: { key } }: Owner, store: string): boolean {
  const stores = hives.tenant.find((node) => node.key === key)?.contentstores ?? [];
  const type = stores.find(({ name }) => name === store)?.contentroot?.type;
  return type === 's3' || type === 'os';
}
