/** Where each content store of a tenant keeps its bytes: a directory of the data directory, unless the platform file says otherwise. */
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import type { BlobStore } from '#storage/blob/port.ts';

/** Whose store it is. */
interface Owner {
  readonly tenantNo: number;
  readonly position: { readonly key: string };
}

/** Roots may be shared, so every tenant and store has a place of its own below them: none reaches another's, none sweeps another's. */
export function contentBlobs({ hives, storage }: Platform): (owner: Owner, store: string) => BlobStore {
  return ({ tenantNo, position: { key } }, store) => {
    const tenant = hives.tenant.find((node) => node.key === key);
    const root = tenant?.contentstores.find(({ name }) => name === store)?.contentroot;
    if (root?.type === 'os') return new DirectoryBlobs(join(root.path, ...key.split(':'), store));
    return new DirectoryBlobs(join(storage.dir, 'content', String(tenantNo), store));
  };
}
