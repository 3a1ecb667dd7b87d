/**
 * How far the vault's store had come, by its newest record in the audit log: every event of the vault contains the newest revision that was
 * known. That detects a store which was put back from an older copy together with everything beside it (docs/contract/vault.md §5.3).
 */
import { limits } from '#config/limits.ts';
import type { Keeper } from '#actors/vault/keeper.ts';
import type { VaultAudit } from './vault-audit.ts';

export interface AuditMark {
  /** Resolves when the log has answered, at once where there is no log to ask, and after `limits.vault.recallMs` in any case. */
  settled(): Promise<void>;
}

/** The log line of a detected rollback; its field `why` has the two revisions. */
export const ROLLED_BACK =
  'rollback detected: the vault store is older than it was before, and nothing of it is served. Restore the newest store, or accept this one with vault.accept_rollback';

/** Asks as soon as the vault is open, and again until there is an answer: a log that cannot be read does not keep the vault from serving. */
export function watchAuditMark(audit: VaultAudit | null, keeper: Keeper, accepted: boolean): AuditMark {
  let asking: Promise<void> | null = null;
  if (audit !== null)
    keeper.onOpened.push(async () => {
      asking ??= askUntilAnswered(audit, keeper, accepted);
    });
  return {
    settled: () => (asking === null ? Promise.resolve() : Promise.race([asking, pause(limits.vault.recallMs)])),
  };
}

async function askUntilAnswered(audit: VaultAudit, keeper: Keeper, accepted: boolean): Promise<void> {
  const { highWater, log, store } = keeper.parts;
  for (let isTold = false; !keeper.draining;) {
    try {
      const newest = await audit.recall();
      const revision = newest?.data['revision'];
      const health = await store.healthy();
      if (!health.ok) throw new Error(health.why);
      if (typeof revision === 'number') highWater.compare(health.revision, revision, accepted);
      if (highWater.why !== null) log.error({ why: highWater.why }, ROLLED_BACK);
      return;
    } catch (error) {
      if (!isTold)
        log.info(
          { why: (error as Error).message },
          'the audit log could not be asked how far the vault store had come, so a rollback is not checked yet: it is asked again',
        );
      isTold = true;
      await pause(limits.vault.eventRetryMs);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
