/** The vault's store in memory, for behaviour that needs no disk; a test may look into it, damage it, and take it away. */
import { CommitQueue } from '#storage/vault/commit-queue.ts';
import { BackendDown } from '#storage/vault/port.ts';
import type { Change, Committed, Health, Listed, Stored, VaultStore } from '#storage/vault/port.ts';

export class MemoryVault implements VaultStore {
  readonly entries = new Map<string, Stored>();
  down = false;
  revision = 0;
  readonly #queue = new CommitQueue({
    revision: 0,
    versionOf: (path) => this.entries.get(path)?.version ?? 0,
    persist: async (puts, revision) => {
      this.revision = revision;
      for (const { path, value, version } of puts)
        if (value === undefined) this.entries.delete(path);
        else this.entries.set(path, { value: Buffer.from(value), version });
    },
  });

  async get(path: string): Promise<Stored | undefined> {
    this.#answer();
    const found = this.entries.get(path);
    return found === undefined ? undefined : { ...found, value: Buffer.from(found.value) };
  }

  async list(prefix: string, after: string | null, limit: number): Promise<readonly Listed[]> {
    this.#answer();
    return [...this.entries]
      .filter(([path]) => path.startsWith(prefix) && (after === null || path > after))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([path, { value, version }]) => ({ path, version, value: Buffer.from(value) }));
  }

  async commit(changes: readonly Change[]): Promise<Committed> {
    this.#answer();
    return this.#queue.commit(changes);
  }

  async healthy(): Promise<Health> {
    return this.down ? { ok: false, why: 'it was taken away' } : { ok: true, revision: this.revision };
  }

  copyTo(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async close(): Promise<void> {
    await this.#queue.idle();
  }

  /** Everything in it, for a test that looks for what must not be there. */
  dump(): string {
    return [...this.entries].map(([path, { value }]) => `${path} ${value.toString('latin1')}`).join('\n');
  }

  #answer(): void {
    if (this.down) throw new BackendDown('it was taken away');
  }
}
