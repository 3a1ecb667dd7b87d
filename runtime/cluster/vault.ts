/** The vault of a node on a log: where it lies in the same database its tables are made with the log; where it lies on the machine, a standby does not have it. */
import type { Platform } from '#config/platform.ts';
import { vaultDatabase } from '#config/resolve-vault.ts';
import { Session } from '#storage/log-engine/postgres/session.ts';
import type { SessionOptions } from '#storage/log-engine/postgres/session.ts';
import { createVaultTables } from '#storage/vault/postgres-tables.ts';
import { ok, warning } from '#runtime/doctor/finding.ts';
import type { Finding } from '#runtime/doctor/finding.ts';

/** Does nothing where the vault lies elsewhere. Rejects with OutcomeUnknown and EngineRefused. */
export async function makeVault(platform: Platform, options: SessionOptions): Promise<void> {
  const { enabled, backend } = platform.vault;
  if (!enabled || backend.kind !== 'postgres' || vaultDatabase(platform)?.url !== options.url) return;
  const session = await Session.open(options);
  try {
    await createVaultTables(session, options.answerMs);
  } finally {
    session.close();
  }
}

/** What `skep cluster check` says of it; nothing where there is none. */
export function examineVault({ vault: { enabled, backend } }: Platform): Finding[] {
  if (!enabled) return [];
  const { kind } = backend;
  if (kind === 'postgres' || kind === 'etcd')
    return [ok('vault', `its secrets lie in ${kind}, where every node finds them`)];
  const mend = 'set vault.backend.kind: postgres before secrets are written: they are not taken along';
  return [warning('vault', `its secrets lie in ${kind} on this machine, and a standby has none of them`, mend)];
}
