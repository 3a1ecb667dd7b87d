/** The records of audit logs of a node on a log: in its database their tables are made with the log; on the machine a standby does not have them. */
import { isLogSealed } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { createLeafTables } from '#storage/leaves/postgres-tables.ts';
import { Session, type SessionOptions } from '#storage/log-engine/postgres/session.ts';
import { ok, warning, type Finding } from '#runtime/doctor/finding.ts';

/** Does nothing where they lie elsewhere. Rejects with OutcomeUnknown and EngineRefused. */
export async function makeAudit({ audit }: Platform, options: SessionOptions): Promise<void> {
  if (!audit.enabled || audit.backend.kind !== 'postgres') return;
  const session = await Session.open(options);
  try {
    await createLeafTables(session, options.answerMs);
  } finally {
    session.close();
  }
}

/** Whether every node on the log finds the keys that sign audit logs. */
export function hasSharedKeys({ audit, vault }: Pick<Platform, 'audit' | 'vault'>): boolean {
  if (!vault.enabled) return audit.vault.url !== undefined;
  return vault.backend.kind === 'postgres' || vault.backend.kind === 'etcd';
}

/** What `skep cluster check` says of them; nothing where there are none. */
export function examineAudit(platform: Platform): Finding[] {
  const { audit } = platform;
  if (!audit.enabled) return [];
  if (audit.backend.kind === 'files') {
    const mend = 'set audit: { backend: { kind: postgres } }';
    return [warning('audit', 'audit logs lie on this machine, and a standby has none of their records', mend)];
  }
  const lie = `records of audit logs lie in the database${isLogSealed(platform) ? ', sealed' : ''}`;
  if (hasSharedKeys(platform)) return [ok('audit', `${lie}, and every node finds the signing keys`)];
  const mend = `copy ${audit.key_dir} to every node, or keep keys in a vault of kind postgres from the first start on`;
  return [warning('audit', `${lie}, and the keys that sign them on this machine`, mend)];
}
