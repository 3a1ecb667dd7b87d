/** `skep vault server -f <file>`: a node whose only service on the wire is the vault, with the operations listener beside it. */
import { loadOrExplain } from './config-show.ts';
import { guarded } from './operator-verb.ts';
import { serve } from './serve.ts';
import type { Terminal } from './terminal.ts';

interface Flags {
  readonly port?: string;
  readonly datacenter?: string;
  readonly cluster?: string;
  readonly sid?: string;
  readonly mode?: string;
}

/** Serves the file of the service; resolves when it answers requests. */
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
  await guarded(() => serve(platform));
}
