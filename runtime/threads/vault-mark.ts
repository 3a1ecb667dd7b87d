/**
 * How far the vault's store had come, as its newest record in the audit log says it: every event of the vault carries the revision
 * that was known when it was told. It finds a store that was put back together with everything beside it (docs/contract/vault.md §5.3).
 */
import { limits } from '#config/limits.ts';
import type { Keeper } from '#actors/vault/keeper.ts';
import type { VaultAudit } from './vault-audit.ts';

export interface AuditMark {
  /** Resolves when the log has answered, at once where nobody asks it, and in time in any case. */
  settled(): Promise<void>;
}

/** Asks as soon as the vault is open, again until there is an answer: a log that cannot be read is no reason not to serve. */
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
      if (highWater.why !== null) log.error({ why: highWater.why }, 'the store was put back');
      return;
    } catch (error) {
      if (!isTold)
        log.info({ why: (error as Error).message }, 'the audit log is asked again how far the store had come');
      isTold = true;
      await pause(limits.vault.eventRetryMs);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
