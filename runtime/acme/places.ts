/** Where the certificates that a node gained by itself lie: files of mode 0600 in `acme` of the data directory. */
import { join } from 'node:path';
import { acmeNames } from '#config/resolve-tls.ts';
import type { Platform } from '#config/platform.ts';

export const acmeDirectory = (dataDir: string): string => join(dataDir, 'acme');

/** Key and chain of a name, in one file: one rename replaces both, so there is never half a pair. */
export const pairPlace = (dataDir: string, name: string): string =>
  join(acmeDirectory(dataDir), 'pairs', `${name}.pem`);

/** Shown where there is no other; it is signed by itself. */
export const fallbackPlace = (dataDir: string): string => join(acmeDirectory(dataDir), 'fallback.pem');

export interface OrderedPair {
  readonly name: string;
  readonly file: string;
}

/** The names of which the node orders certificates, each with the file of its pair, which may not be there yet. */
export function orderedPairs(platform: Pick<Platform, 'gateway' | 'storage'>): readonly OrderedPair[] {
  return acmeNames(platform).map((name) => ({ name, file: pairPlace(platform.storage.dir, name) }));
}
