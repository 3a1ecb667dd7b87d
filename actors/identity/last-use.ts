/** The last use of each key: kept in memory, and written at most once a minute beside the requests (docs/contract/identity.md §2.4). */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
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

  /** Remembers a use, and plans a write when the last one is a minute old. When the table is full, a use of a further key is not remembered. */
  note(keyId: string): void {
    const now = this.#activation.context.clock.now();
    if (this.#uses.size < limits.identity.lastUseEntriesMax || this.#uses.has(keyId)) this.#uses.set(keyId, now);
    if (this.#planned || now - this.#writtenMs < limits.identity.lastUseEveryMs) return;
    this.#planned = true;
    this.#later(() => this.#write());
  }

  /** The last use of a key that is not in its row yet, in milliseconds since the epoch. */
  noted(keyId: string): number | undefined {
    return this.#uses.get(keyId);
  }

  /** Writes in a turn of its own. When that fails, these uses are lost: they only inform operators. */
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
      this.#activation.context.log.warn(
        { service: 'identity', error: String(error) },
        'last_used_at of keys could not be written: uses of the last minute are lost, the keys stay valid',
      );
    }
  }
}

/** Of a tenant's keys. */
export const LAST_USE = new Part<LastUse>('last use of keys');
