/** The message about a shard whose pages cannot be read. */
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { shardPath } from '#storage/archive.ts';
import type { Unread } from '#storage/check.ts';
import { dataFile } from '#storage/data-file.ts';
import { workOnShard } from './shard-process.ts';
import type { PlacedTenant } from './shard-work.ts';

/** Reads the registry once, and only where a shard is damaged: it is in shard 0, which may be the damaged one. */
export class UnreadShards {
  readonly #dir: string;
  #tenants: Promise<readonly PlacedTenant[] | null> | null = null;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The full message where the pages are damaged; otherwise the given one. */
  async explain(no: number, { what, pages }: Unread): Promise<string> {
    if (!pages) return what;
    const file = dataFile(shardPath(this.#dir, no));
    const damage = `the pages of ${file} are damaged so that they cannot be read (${what})`;
    if (no === CONTROL_ENTRY.shard)
      return `${damage}\n    the registry of all tenants lies in it: restore the data directory from a backup`;
    return `${damage}\n    ${await this.#held(no, file)}`;
  }

  async #held(no: number, file: string): Promise<string> {
    this.#tenants ??= this.#placed();
    const tenants = await this.#tenants;
    if (tenants === null)
      return 'its tenants are unknown because the registry cannot be read: restore the data directory from a backup';
    const keys = tenants.filter(({ shard }) => shard === no).map(({ key }) => key);
    const away = `move ${file} out of the data directory`;
    if (keys.length === 0) return `the registry names no tenant in it: ${away}`;
    return (
      `it holds ${keys.join(', ')}\n    restore these tenants from a backup: ${away}, start the node, and for each tenant run ` +
      'skep tenant delete -f <platform file> <tenant> --confirm <tenant>, then skep tenant restore -f <platform file> <backup>'
    );
  }

  async #placed(): Promise<readonly PlacedTenant[] | null> {
    const outcome = await workOnShard('tenants', this.#dir, CONTROL_ENTRY.shard);
    return 'answer' in outcome ? outcome.answer : null;
  }
}
