/** Secrets that the platform file names and the node's own vault holds: asked for once, before any other thread starts. */
import { referencesOf, withSecrets } from '#config/references.ts';
import type { Platform } from '#config/platform.ts';

/** The platform with its secrets. `reveal` asks the vault; it rejects, and so refuses the start, where the vault cannot give one. */
export async function withVaultSecrets(
  platform: Platform,
  reveal: (name: string) => Promise<string>,
): Promise<Platform> {
  const secrets = new Map<string, string>();
  for (const name of referencesOf(platform)) secrets.set(name, await reveal(name));
  return secrets.size === 0 ? platform : withSecrets(platform, secrets);
}
