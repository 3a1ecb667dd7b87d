/** Folders that work under way puts an asset into, or deletes: files have no references, so the two must not happen at the same time. */
import { end } from '../refused.ts';

export class FolderUse {
  readonly #used = new Map<string, number>();
  readonly #ending = new Set<string>();

  /** Runs work that needs a folder to stay; null: none. 404 where it is being deleted. */
  async using<R>(folder: string | null, work: () => Promise<R>): Promise<R> {
    if (folder === null) return work();
    if (this.#ending.has(folder)) end('content.folder_not_found', { message: `there is no folder ${folder}` });
    this.#used.set(folder, (this.#used.get(folder) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = this.#used.get(folder)! - 1;
      if (left === 0) this.#used.delete(folder);
      else this.#used.set(folder, left);
    }
  }

  /** Runs work that deletes a folder; calls `inUse` when other work uses or deletes it. */
  async ending<R>(folder: string, work: () => Promise<R>, inUse: () => never): Promise<R> {
    if (this.#used.has(folder) || this.#ending.has(folder)) return inUse();
    this.#ending.add(folder);
    try {
      return await work();
    } finally {
      this.#ending.delete(folder);
    }
  }
}
