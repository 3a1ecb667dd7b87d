/** A page with an offline queue: its login is in a storage that other pages share, its entries in a store that outlives it. */
import { createClient, offlineQueue } from '#client/index.ts';
import type { OfflineOptions, OfflineQueue, TokenStorage } from '#client/index.ts';
import { HERE } from '#test/client/fake-node.ts';
import type { MemoryQueueStore } from './memory-queue-store.ts';

/** A token that reads as one of the user, signed by no one. */
export const tokenOf = (user: string): string =>
  `v4.public.${Buffer.concat([Buffer.from(JSON.stringify({ type: 'user', sub: user })), Buffer.alloc(64)]).toString('base64url')}`;

/** What `localStorage` is to the pages of an origin. */
export class SharedLogin implements TokenStorage {
  #text: string | null = null;

  as(user: string | null): void {
    const login = { access: tokenOf(user ?? ''), refresh: 'r', endsAt: Number.MAX_SAFE_INTEGER, login: user };
    this.#text = user === null ? null : JSON.stringify(login);
  }
  getItem = (): string | null => this.#text;
  setItem = (_: string, text: string): void => void (this.#text = text);
  removeItem = (): void => void (this.#text = null);
}

export interface OfflineTab {
  readonly queue: OfflineQueue<never>;
  crash(): void;
}

export function openTab(
  fetch: typeof globalThis.fetch,
  login: SharedLogin,
  kept: MemoryQueueStore,
  options: OfflineOptions = {},
) {
  const store = kept.tab();
  const skep = createClient({ ...HERE, storage: login, fetch });
  const queue = offlineQueue(skep, { store, ...options });
  return {
    queue,
    notes: queue.from('note'),
    /** Nothing of the page goes on: what it has sent is sent, what it has not kept is lost. */
    crash: () => {
      store.crash();
      queue.close();
    },
  };
}
