/** Where each content store of a tenant keeps its bytes: a directory of the data directory, unless the platform file says otherwise. */
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { S3Blobs } from '#storage/blob/s3.ts';

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
    if (root?.type === 's3') {
      const { url, accesskey, secretkey, usessl, path, region } = root;
      return new S3Blobs({
        endpoint: `${usessl ? 'https' : 'http'}://${url}/${path}`,
        region,
        accessKey: accesskey,
        secretKey: secretkey,
        prefix: `${key.split(':').join('/')}/${store}/`,
        spool: join(storage.dir, 'content', String(tenantNo), `${store}.spool`),
      });
    }
    if (root?.type === 'os') return new DirectoryBlobs(join(root.path, ...key.split(':'), store));
    return new DirectoryBlobs(join(storage.dir, 'content', String(tenantNo), store));
  };
}
