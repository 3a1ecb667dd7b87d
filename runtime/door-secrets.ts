/** What the doors of a node that stands by know of the secrets of its platform file: those that doors need, and of all others nothing. */
import { randomBytes } from 'node:crypto';
import { doorReferencesOf, referencesOf, withSecrets } from '#config/references.ts';
import type { Platform } from '#config/platform.ts';

const FILLER_BYTES = 32;

/** The platform for doors: in the place of each other secret is random text, which cannot be guessed, so that it matches nothing. `read` gives secrets by their names; it rejects where one cannot be had. */
export async function platformOfDoors(
  platform: Platform,
  read: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<Platform> {
  const all = referencesOf(platform);
  if (all.length === 0) return platform;
  const known = await read(doorReferencesOf(platform));
  return withSecrets(
    platform,
    new Map(all.map((name) => [name, known.get(name) ?? randomBytes(FILLER_BYTES).toString('hex')])),
  );
}
