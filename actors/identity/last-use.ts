/** When keys were last used: kept in memory, written at most once a minute, never on the path of a verification (docs/contract/identity.md §2.4). */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Activation } from '#actors/host/activation.ts';
import { putLastUse } from './store.ts';

/** Runs something after the current turn. */
export type Later = (run: () => void) => void;

export class LastUse {
  readonly #activation: Activation;
  readonly #later: Later;
  #uses = new Map<string, number>();
  #writtenMs = -Infinity;
  #planned = false;

  constructor(activation: Activation, later: Later) {
    this.#activation = activation;
    this.#later = later;
  }

  /** Remembers a use; when the last writing is a minute old, the next one is planned. Past its bound it forgets the new key. */
  note(keyId: string): void {
    const now = this.#activation.context.clock.now();
    if (this.#uses.size < limits.identity.lastUseEntriesMax || this.#uses.has(keyId)) this.#uses.set(keyId, now);
    if (this.#planned || now - this.#writtenMs < limits.identity.lastUseEveryMs) return;
    this.#planned = true;
    this.#later(() => this.#write());
  }

  /** When a key was last used, where its row does not know it yet: milliseconds. */
  noted(keyId: string): number | undefined {
    return this.#uses.get(keyId);
  }

  /** A turn of its own. When it fails the uses are lost: they are a convenience, and a full store has other worries. */
  #write(): void {
    const uses = this.#uses;
    this.#uses = new Map();
    this.#planned = false;
    this.#writtenMs = this.#activation.context.clock.now();
    const turn = this.#activation.store.begin();
    try {
      for (const [keyId, ms] of uses) putLastUse(turn, keyId, timestamp(ms));
      if (turn.dirty) turn.commit();
    } catch (error) {
      turn.abort();
      this.#activation.context.log.warn({ service: 'identity', error: String(error) }, 'last use of keys not written');
    }
  }
}
