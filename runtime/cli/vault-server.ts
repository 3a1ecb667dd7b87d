/** `skep vault server -f <file>`: a node that serves only the vault, with the operations listener beside it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { defaults } from '#config/defaults.ts';
import type { Platform } from '#config/platform.ts';
import { loadOrExplain } from './config-show.ts';
import { guarded } from './operator-verb.ts';
import { serve } from './serve.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface Flags {
  readonly port?: string;
  readonly datacenter?: string;
  readonly cluster?: string;
  readonly sid?: string;
  readonly mode?: string;
}

/** Serves the file of the service; resolves when it accepts requests. */
export async function vaultServer(
  file: string,
  flags: Flags,
  level: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const given = Object.entries(flags).map(([key, value]) => [`vault.${key}`, value as string] as const);
  const platform = loadOrExplain(file, {
    env: terminal.env,
    service: 'vault',
    flags: { 'vault.enabled': true, ...Object.fromEntries(given), ...(level !== undefined && { 'log.level': level }) },
  });
  refuseLeftBehind(platform);
  await guarded(() => serve(platform));
}

/**
 * Relative paths of the file, and the default directory, start at the file. An earlier version started the default directory at the working
 * directory: a vault there must not be replaced by a new, empty one.
 */
function refuseLeftBehind({ storage, vault }: Platform): void {
  const before = resolve(cwd(), defaults.storage.dir);
  const store = resolve(storage.dir, defaults.vault.backend.dir);
  const old = resolve(before, defaults.vault.backend.dir);
  if (vault.backend.dir !== store || store === old || existsSync(store) || !existsSync(old)) return;
  throw new CliError(
    `skep: ${old} holds a vault, but this file’s vault lies in ${store}, which is not there\n    move it: mv ${before} ${storage.dir}; or name it in the file: backend: { dir: ${old} }, state_dir: ${resolve(before, defaults.vault.state_dir)}\n`,
    EXIT.usage,
  );
}
