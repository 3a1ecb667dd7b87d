/** What a set of the whole node is made of beside its tenants, in the order in which it is taken; main asks the threads that hold it. */
import { existsSync } from 'node:fs';
import { rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { dataFile } from '#storage/data-file.ts';
import type { SetTree } from '#storage/backup-set/manifest.ts';
import { WORK } from './place-of.ts';
import type { TakenTreeReport, TreeWish } from './set-job.ts';

export interface NodePartsPorts {
  readonly platform: Platform;
  channel(name: 'audit-sealer' | 'vault-keeper' | 'intake-writer'): Channel | undefined;
  tree(wish: TreeWish): Promise<TakenTreeReport>;
}

export interface TakenParts {
  readonly trees: SetTree[];
  readonly leftOut: string[];
  newBytes: number;
}

/** The folder of the sealer's signed heads, beside the logs. */
const STATE = '.state';

/**
 * The audit logs come before the vault: a vault that is older than its newest record in a log would be taken for rolled back. Of the logs come
 * first the checkpoints, then the signed heads, then the records: each may be further than the one before, and none may be less far.
 */
export async function takeNodeParts(ports: NodePartsPorts, taken: TakenParts): Promise<void> {
  const { audit, intake, vault } = ports.platform;
  const take = new Takes(ports, taken);
  if (audit.enabled) {
    await take.tree('audit/keys', audit.key_dir);
    await take.tree('audit/logs', audit.base_dir, 'log-heads');
    await take.database('audit-sealer', `audit/logs/${STATE}`, join(audit.base_dir, STATE));
    await take.tree('audit/logs', audit.base_dir, 'log-records');
  }
  if (vault.enabled) {
    await take.tree('vault/state', vault.state_dir);
    const has = await take.database('vault-keeper', 'vault/store', vault.backend.dir);
    if (!has) taken.leftOut.push(`the vault's store: it lies in ${vault.backend.kind}, which is backed up there`);
  }
  const { backend, wal_jsonl } = intake.storage;
  if (backend === 'embedded') await take.database('intake-writer', 'intake/embedded', intake.embedded.path);
  if (backend === 'postgres') return; // sets are not made of a node on a log
  if (backend === 'jsonl' || wal_jsonl) await take.tree('intake/jsonl', intake.jsonl.dir);
}

class Takes {
  readonly #ports: NodePartsPorts;
  readonly #taken: TakenParts;

  constructor(ports: NodePartsPorts, taken: TakenParts) {
    this.#ports = ports;
    this.#taken = taken;
  }

  async tree(as: string, from: string, pick: TreeWish['pick'] = 'all', root = from): Promise<void> {
    if (!existsSync(root)) return;
    const { tree, newBytes } = await this.#ports.tree({ as, from, root, pick });
    this.#taken.trees.push(tree);
    this.#taken.newBytes += newBytes;
  }

  /** The thread that has the database open copies it; the copy is taken and removed. False where it has none in files. */
  async database(thread: Parameters<NodePartsPorts['channel']>[0], as: string, from: string): Promise<boolean> {
    const { platform } = this.#ports;
    const channel = this.#ports.channel(thread);
    if (channel === undefined) throw new Error(`${thread} does not run at the moment: the backup is tried again`);
    const copy = join(platform.storage.dir, WORK, thread);
    await rm(copy, { recursive: true, force: true });
    await assertRoom(platform, from);
    try {
      const { copied } = await channel.ask('thread.copy', { directory: copy });
      if (copied) await this.tree(as, from, 'all', copy);
      return copied;
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }
}

/** A copy must not fill the disk that tenants write to. */
async function assertRoom({ storage }: Platform, from: string): Promise<void> {
  const file = dataFile(from);
  const size = existsSync(file) ? (await stat(file)).size : 0;
  const { bavail, bsize } = await statfs(storage.dir);
  const left = bavail * bsize - size;
  if (left >= storage.free_bytes_min) return;
  throw new Error(
    `the copy of ${file} (${size} bytes) would leave ${left} bytes free on the disk of ${storage.dir}, less than storage.free_bytes_min\n    make room on it`,
  );
}
