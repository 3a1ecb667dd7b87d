/** The operator of the vault: its root keys or shares, whether it is sealed, and what a restart is given. */
import type { Random } from '#test/kit/random.ts';
import type { RootKeys } from './keeper-room.ts';
import type { VaultRunSettings } from './settings.ts';

const KEY_BYTES = 32;

export class Operator {
  readonly #settings: VaultRunSettings;
  readonly #random: Random;
  #current: Buffer;
  /** Beside a current key that the store may not have taken yet. */
  #previous: Buffer | null = null;
  /** Made by init; null before it is answered. */
  shares: readonly string[] | null = null;
  /** What was acknowledged last. */
  isSealed = false;
  /** Seals and unseals on their way, and how often one began or ended. */
  changing = 0;
  turns = 0;
  rotations = 0;

  constructor(settings: VaultRunSettings, random: Random) {
    this.#settings = settings;
    this.#random = random;
    this.#current = this.#newKey();
  }

  #newKey(): Buffer {
    return Buffer.from(Array.from({ length: KEY_BYTES }, () => this.#random.below(256)));
  }

  /** The keys of the next start: now and then a new one, beside the one before. Null with shares, where it starts sealed. */
  keys(): RootKeys | null {
    this.turns++;
    this.changing = 0;
    this.isSealed = this.#settings.seal === 'shamir';
    if (this.isSealed) return null;
    if (this.#previous === null && this.#random.chance(0.3)) {
      this.#previous = this.#current;
      this.#current = this.#newKey();
      this.rotations++;
    }
    return { current: this.#current, previous: this.#previous };
  }

  /** The store is open under the current key: the one before is not needed any more. */
  opened(): void {
    this.#previous = null;
  }

  /** A seal or unseal begins; gives the function that ends it, with whether the vault is sealed then, null where that did not change. */
  begins(): (isSealed: boolean | null) => void {
    this.changing++;
    this.turns++;
    return (isSealed) => {
      this.changing--;
      this.turns++;
      if (isSealed !== null) this.isSealed = isSealed;
    };
  }

  /** What a request may be sure of, from now on until it is answered: whether the vault is sealed, or null. */
  watch(): () => boolean | null {
    const { turns, changing, isSealed } = this;
    return () => (changing > 0 || turns !== this.turns ? null : isSealed);
  }
}
