/** The vault of a node on a log: where it lies in the same database its tables are made with the log; where it lies on the machine, a standby does not have it. */
import type { Platform } from '#config/platform.ts';
import { isLogSealed } from '#config/journal-problems.ts';
import { referencesOf } from '#config/references.ts';
import { vaultDatabase } from '#config/resolve-vault.ts';
import { neededOfVault, whyClosed } from '#config/shared-vault.ts';
import { sealMarks } from '#storage/log-engine/postgres/seal-marks.ts';
import { Session, type SessionOptions } from '#storage/log-engine/postgres/session.ts';
import { createVaultTables } from '#storage/vault/postgres-tables.ts';
import { fault, ok, warning, type Finding } from '#runtime/doctor/finding.ts';
import { inVault, readSecrets } from './in-vault.ts';
import { logSeal } from './log-seal.ts';
import { sessionOf } from './log-of.ts';

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

/** Whether the doors of this machine's node could open while it stands by: what they need of the vault is read, and not kept. Nothing where they need nothing, and where they have no link. Rejects with nothing. */
export async function examineDoors(platform: Platform): Promise<Finding[]> {
  const needed = neededOfVault(platform);
  if (platform.cluster.link === undefined || needed === null) return [];
  const closed = whyClosed(platform);
  if (closed !== null) return [warning('doors', `${closed.why}: ${CLOSED}`, closed.mend)];
  try {
    const names = referencesOf(platform);
    await inVault(platform, ({ secrets: own }) => readSecrets(own, names));
    const secrets =
      names.length === 0
        ? 'it opens with the root key of this machine'
        : `it gives the ${names.length} secrets that the file names`;
    return [ok('doors', `those of a node that stands by open: ${needed}, and ${secrets}`)];
  } catch (error) {
    const [what, mend] = (error as Error).message.split('\n').map((line) => line.trim()) as [string, string?];
    return [fault('doors', `${what}: ${CLOSED}`, mend ?? 'see to the vault, and to the root key of this machine')];
  }
}

/** What an operator reads of a platform file whose doors do not open. */
export const CLOSED = 'the doors of a node with this file stay closed while it stands by';

/** Whether the vault gives the keys by which the log is sealed: what a start finds. Rejects with nothing. */
export async function examineSeal(platform: Platform): Promise<Finding[]> {
  const marks = await sealMarks(sessionOf(platform));
  if (!isLogSealed(platform)) {
    if (marks.size === 0) return [];
    const mend = 'set storage.journal.seal: vault, with the vault of this log';
    return [fault('seal', 'the log is sealed, and the platform file does not name its keys', mend)];
  }
  // A node makes the first key as it starts: a check changes nothing.
  if (marks.size === 0) return [ok('seal', 'the log is sealed from the next start on')];
  try {
    const seal = (await logSeal(platform))!;
    return [ok('seal', `what is written is sealed by key ${seal.current}, and the vault has every key of the log`)];
  } catch (error) {
    return [fault('seal', (error as Error).message, 'no node opens the log so: see to the vault')];
  }
}
