/** Where the audit logs' signing keys come from: a key file that is there goes on, else the vault of the node where it has one, else a new file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import type { KeyPort } from '#actors/audit/key-port.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { keyFiles } from './key-files.ts';

/** A log keeps the key that it began with: who verifies it holds the public one. */
export function logKeys(channel: Channel, { audit, vault }: Platform): KeyPort {
  const files = keyFiles(audit.key_dir);
  if (!vault.enabled) return files;
  return {
    signingKey: async (path) =>
      existsSync(join(audit.key_dir, `${path}.pem`))
        ? files.signingKey(path)
        : (await channel.ask('vault.key', { path })).key,
  };
}
