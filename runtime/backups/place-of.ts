/** The place that the platform file names for the sets of its node. */
import { join } from 'node:path';
import type { BackupsConfig, Platform } from '#config/platform.ts';
import type { AdmitsBytes } from '#storage/blob/directory.ts';
import type { S3Login } from '#storage/blob/s3-client.ts';
import { DirectoryPlace } from '#storage/backup-set/directory-place.ts';
import type { BackupPlace } from '#storage/backup-set/place.ts';
import { S3Place } from '#storage/backup-set/s3-place.ts';

/** Where a backup leaves what it has for moments only, under the data directory. */
export const WORK = 'backup';

/** Throws an error for operators where the file names no place. */
export function placeOf(
  { backups, storage }: Pick<Platform, 'backups' | 'storage'>,
  admits: AdmitsBytes = () => true,
): BackupPlace {
  const { to, s3 } = backups;
  if (to !== undefined) return new DirectoryPlace(to);
  if (s3 === undefined)
    throw new Error(
      'the platform file names no place for backups\n    add for example backups: { to: /mnt/backups/node-1 }',
    );
  return new S3Place({ ...loginOf(s3), prefix: s3.prefix, spool: join(storage.dir, WORK, 'spool'), admits });
}

/** How a client signs in to the bucket of a file. */
export function loginOf({
  accesskey,
  bucket,
  region,
  secretkey,
  url,
  usessl,
}: NonNullable<BackupsConfig['s3']>): S3Login {
  const endpoint = `${usessl ? 'https' : 'http'}://${url}/${bucket}`;
  return { endpoint, region, accessKey: accesskey, secretKey: secretkey };
}
