/**
 * Where the audit logs' signing keys come from: an existing key file, else the node's own vault, else the vault that
 * `audit.vault.url` names, else a new file.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { KeyPort } from '#actors/audit/key-port.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { keyFiles } from './key-files.ts';
import { vaultKeys } from './vault-keys.ts';

/** The source of signing keys. A log keeps the key that it began with, since its verifiers have the public one. */
export function logKeys(channel: Channel, { audit, vault }: Platform, log: Log): KeyPort {
  const files = keyFiles(audit.key_dir);
  const { url, tls } = audit.vault;
  const elsewhere = url === undefined || tls === undefined ? null : vaultKeys(url, tls, log);
  const inVault = vault.enabled
    ? { signingKey: async (path: string) => (await channel.ask('vault.key', { path })).key }
    : elsewhere;
  if (inVault === null) return files;
  return {
    signingKey: (path) => {
      const file = join(audit.key_dir, `${path}.pem`);
      if (!existsSync(file)) return inVault.signingKey(path);
      if (elsewhere !== null)
        log.warn({ file }, 'this log goes on with the key file that it began with, not with the vault’s');
      return files.signingKey(path);
    },
  };
}
