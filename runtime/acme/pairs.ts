/** The pairs on the disk: what is there, what is put there, and what the door needs before it opens. */
import { readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createPrivateKey, hash, type KeyObject } from 'node:crypto';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Life } from './next-action.ts';
import { fallbackPair, keyPem, newKey, readPair } from './paper.ts';
import { acmeDirectory, fallbackPlace, orderedPairs } from './places.ts';
import { readIfThere, removeUnfinished, writePrivately } from './private-file.ts';

/** The life of the pair in a file; null where there is none, and where it cannot be used. */
export function lifeIn(file: string): Life | null {
  try {
    return readPair(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Leaves the files as the door needs them: what a crash left is removed, a damaged pair is put aside (its name is ordered anew), and where the
 * platform file names no certificate there is one to show.
 */
export async function preparePairs(
  platform: Pick<Platform, 'gateway' | 'storage'>,
  log: Log,
  nowMs: number,
): Promise<void> {
  const { dir } = platform.storage;
  const pairs = orderedPairs(platform);
  await removeUnfinished(acmeDirectory(dir));
  for (const directory of new Set(pairs.map(({ file }) => dirname(file)))) await removeUnfinished(directory);
  for (const { name, file } of pairs) await putAsideDamaged(name, file, log);
  if (platform.gateway.tls?.cert !== undefined || lifeIn(fallbackPlace(dir)) !== null) return;
  await writePrivately(fallbackPlace(dir), await fallbackPair(nowMs));
}

async function putAsideDamaged(name: string, file: string, log: Log): Promise<void> {
  try {
    const text = await readIfThere(file);
    if (text !== null) readPair(text);
  } catch (error) {
    await rename(file, `${file}.damaged`);
    log.error(
      { name, file: `${file}.damaged`, err: error },
      'the certificate of a site cannot be used: it was put aside, and a new one is ordered. Look at the disk: the node writes such a file whole or not at all',
    );
  }
}

/** An authority elsewhere has another one. */
export const accountPlace = (dataDir: string, directory: string): string =>
  join(acmeDirectory(dataDir), 'accounts', `${hash('sha256', directory).slice(0, 16)}.pem`);

/** The key of the account at an authority; it is made, and durable, where there is none. */
export async function accountKey(dataDir: string, directory: string): Promise<KeyObject> {
  const place = accountPlace(dataDir, directory);
  const kept = await readIfThere(place);
  if (kept !== null) return createPrivateKey(kept);
  const key = await newKey();
  await writePrivately(place, keyPem(key));
  return key;
}
