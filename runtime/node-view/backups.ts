/** The sets of the node's backups as they lie in their place, and the schedule. A host reads the place, which may be far away: one look at a time. */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { NodeBackupSets } from '#actors/protocol/node-view.ts';
import type { SetSummary } from '#runtime/backups/set-job.ts';
import { OneLook } from './one-look.ts';
import type { ViewParts } from './view-parts.ts';

const { backupsFreshMs, backupsWaitMs, backupSets } = limits.nodeView;

export class BackupsView {
  readonly #backups: ViewParts['backups'];
  readonly #look: OneLook<readonly SetSummary[]>;

  constructor({ backups }: Pick<ViewParts, 'backups'>) {
    this.#backups = backups;
    const bounds = { freshMs: backupsFreshMs, waitMs: backupsWaitMs, what: 'the place of backups' };
    this.#look = new OneLook(() => backups.list(), bounds);
  }

  async show(): Promise<NodeBackupSets> {
    const { plan } = this.#backups;
    if (plan === null) return { backups: null };
    const { last, failed } = await this.#look.now();
    const sets = last?.value ?? [];
    return {
      backups: {
        ...plan,
        seen_at: last === null ? null : timestamp(last.at),
        unseen: failed,
        sets: sets.slice(0, backupSets).map(({ id, moment, ended_at, tenants, bytes, new_bytes, encrypted, fault }) => {
          return { id, moment, ended_at, tenants, bytes, new_bytes, encrypted, fault: fault ?? null };
        }),
        sets_more: Math.max(0, sets.length - backupSets),
      },
    };
  }
}
