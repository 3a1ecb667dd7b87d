/** The `content` part of the platform file, and a tenant's storage backends. Source: docs/contract/content.md §3.2, §3.4. */
import * as z from 'zod';
import { appFile } from './definitions/content/app-file.ts';
import { SLUG, storeFile } from './definitions/content/stores.ts';
import { limits } from './limits.ts';
import * as kit from './schema-kit.ts';

/** A position's key; `platform.ts` checks that it is a tenant of the file. */
const tenantKey = kit.text('a tenant key customer:product:env:tenant', 'acme:atlas:dev:main');

const osRoot = kit.entry({
  type: z.literal('os'),
  path: kit.path('a directory', './media'),
});

const s3Root = kit.entry({
  type: z.literal('s3'),
  url: kit.pattern(/^[A-Za-z0-9.[\]:-]+:\d{1,5}$/, 'an address as host:port', 's3.example.org:443'),
  accesskey: kit.secret('the access key'),
  secretkey: kit.secret('the secret key'),
  usessl: kit.yesNo().default(true),
  path: kit.pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket that is there', 'media'),
  region: kit.text('a region', 'us-east-1').default('us-east-1'),
});

/** Where a tenant's stores keep their bytes. */
export const storageBackends = kit.list(
  kit.entry({
    name: kit.pattern(SLUG, 'the name of a content store', 'media'),
    contentroot: z
      .discriminatedUnion('type', [osRoot, s3Root])
      .meta({ description: '{type: os, path} or {type: s3, url, accesskey, secretkey, usessl, path}' }),
  }),
  'storage backends',
);

const keys = {
  defaultstoreaction: kit.yesNo().default(false),
  defaultappaction: kit.yesNo().default(false),
  loadtenants: kit.list(tenantKey, 'tenant keys').default([]),
  contentsource: kit.section({
    type: kit.oneOf(['meta', 'localdir', 'inline']).default('meta'),
    path: kit.path('the directory of a content folder', './content').optional(),
  }),
  contentstores: kit.list(storeFile, 'content stores').default([]),
  assets: kit.section({
    /** The largest file of an asset. */
    bytes_max: kit.whole(1, limits.content.assetBytesMax).default(limits.content.assetBytesMax),
    /** What all files of one store may take together, earlier versions included; without it the disk decides. */
    store_bytes_max: kit.whole(1, limits.content.storeBytesMax).optional(),
  }),
  contentapps: kit.list(appFile, 'content apps').default([]),
};

export const contentSection = kit.section(keys);

/** Keys that stand at the root of a file given to `skep content`, beside those of the node. */
export const CONTENT_ROOT = { section: 'content', keys: new Set(Object.keys(keys)) };
