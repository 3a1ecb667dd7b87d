/** Secrets of the platform file that the node's own vault holds: asked for once, before any other thread starts. */
import { referencesOf, withSecrets } from '#config/references.ts';
import type { Platform } from '#config/platform.ts';

/** The platform with its secrets. `reveal` asks the vault; what it cannot give refuses the start, saying which and how to mend it. */
export async function withVaultSecrets(
  platform: Platform,
  reveal: (name: string) => Promise<string>,
): Promise<Platform> {
  const secrets = new Map<string, string>();
  for (const name of referencesOf(platform)) secrets.set(name, await reveal(name));
  return secrets.size === 0 ? platform : withSecrets(platform, secrets);
}
