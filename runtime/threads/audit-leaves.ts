/** The records of audit logs in the database of the log, as the sealer uses them: where a node takes over, its logs go on with what they have. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { LogBook } from '#actors/audit/log-book.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { LeafStore } from '#storage/leaves/port.ts';
import { PostgresLeaves } from '#storage/leaves/postgres.ts';
import { hasSharedKeys } from '#runtime/cluster/audit.ts';
import { sessionOf } from '#runtime/cluster/log-of.ts';
import { sealOf } from '#runtime/cluster/seal-of.ts';

const { logPauseMs } = limits.storage;
const NAME = 'audit records';

/** `life`: of this node among those on the log. Nothing is asked yet. */
export function openLeaves(platform: Platform, life: string, log: Log, degraded: Degraded): LeafStore {
  const { key_dir } = platform.audit;
  if (!hasSharedKeys(platform))
    log.warn(
      { key_dir },
      'the signing keys of audit logs lie on this machine: another node goes on with a log only where it has the same ones; copy the directory there, or set vault.backend.kind: postgres before the first start',
    );
  let isAway = false;
  return new PostgresLeaves({
    ...sessionOf(platform),
    life,
    seal: () => sealOf(platform),
    now: () => performance.now(),
    pause: async (error) => {
      if (!isAway) {
        const reason =
          'the database does not answer: records of audit logs wait, and so do their outboxes; see to the database';
        log.warn({ error: error.message }, reason);
        degraded.report({ scope: 'log', name: NAME, reason, lasts: 'thread' });
      }
      isAway = true;
      await new Promise((resolve) => setTimeout(resolve, logPauseMs));
    },
    answered: () => {
      if (!isAway) return;
      isAway = false;
      degraded.clear('log', NAME);
      log.info({}, 'the database answers: records of audit logs are kept again');
    },
  });
}

/** Which logs there are. Those of which this machine has less are brought up one after the other, beside what comes. */
export async function knowLogs(book: LogBook, log: Log): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    try {
      void bringUp(book, await book.learn(), log);
      return;
    } catch (error) {
      const says =
        'which audit logs the database has could not be read, so the node cannot serve yet: it is tried again';
      if (!isTold) log.warn({ error: (error as Error).message }, says);
      await new Promise((resolve) => setTimeout(resolve, logPauseMs));
    }
  }
}

async function bringUp(book: LogBook, ids: readonly string[], log: Log): Promise<void> {
  for (const id of ids)
    await book.open(id).catch((error: unknown) => {
      log.warn({ log_id: id, error: (error as Error).message }, 'an audit log could not be brought up yet');
    });
}

/** Closes all logs; while the database does not answer what waits is given up after a while: it was acknowledged to no one. */
export async function closed(book: LogBook, leaves: LeafStore): Promise<void> {
  const late = setTimeout(() => void leaves.close(), limits.audit.leavesCloseMs);
  await book.close();
  clearTimeout(late);
  await leaves.close();
}
