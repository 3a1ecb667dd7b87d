/** The content service with its files in a directory, and without receivers of webhooks. */
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { contentService } from '#actors/content/service.ts';
import type { Service } from '#actors/host/service.ts';
import { NO_JOBS } from '#actors/kit/jobs.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';

export const benchContent = (dir: string): Service =>
  contentService({
    version: 'bench',
    defaultstoreaction: false,
    defaultappaction: false,
    assetBytesMax: limits.content.assetBytesMax,
    storeBytesMax: null,
    blobs: () => new DirectoryBlobs(join(dir, 'blobs')),
    jobs: NO_JOBS,
    secret: () => Promise.resolve(null),
    after: () => undefined,
    webhooksPending: () => undefined,
  });
