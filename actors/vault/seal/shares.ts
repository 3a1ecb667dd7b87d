/** A root key in shares (Shamir): made once, then given share by share until enough are there. Given shares are zeroed afterwards. */
import { limits } from '#config/limits.ts';
import { SealRefused, type Seal } from './seal.ts';

export interface SharesPorts {
  readonly seal: Seal;
  random(bytes: number): Buffer;
}

export class Shares {
  readonly #ports: SharesPorts;
  #given: Uint8Array[] = [];

  constructor(ports: SharesPorts) {
    this.#ports = ports;
  }

  /** Shares given since the vault was sealed. */
  get progress(): number {
    return this.#given.length;
  }

  /** Makes a root key, unseals with it, and gives its shares in base64. The caller has checked that there is no root key yet. */
  async init(shares: number, threshold: number): Promise<string[]> {
    const { split } = await import('shamir-secret-sharing');
    const root = this.#ports.random(limits.vault.rootKeyBytes);
    const copy = Uint8Array.from(root);
    const parts = await split(copy, shares, threshold);
    copy.fill(0);
    await this.#ports.seal.unseal(root, null, { kind: 'shamir', shares, threshold });
    return parts.map((part) => {
      const text = Buffer.from(part).toString('base64');
      part.fill(0);
      return text;
    });
  }

  /**
   * Takes one share. `more` while others are needed, `unsealed`, or `wrong` when enough were given and they are not the shares of this vault: then
   * all are dropped.
   */
  async give(share: Uint8Array, threshold: number): Promise<'more' | 'unsealed' | 'wrong'> {
    if (this.#given.every((other) => Buffer.compare(other, share) !== 0)) this.#given.push(share);
    if (this.#given.length < threshold) return 'more';
    const given = this.#given;
    this.#given = [];
    const root = await combined(given);
    for (const one of given) one.fill(0);
    if (root === null) return 'wrong';
    try {
      await this.#ports.seal.unseal(root, null);
      return 'unsealed';
    } catch (error) {
      root.fill(0);
      if (error instanceof SealRefused) return 'wrong';
      throw error;
    }
  }

  /** Drops and zeroes the given shares. */
  drop(): void {
    for (const one of this.#given) one.fill(0);
    this.#given = [];
  }
}

/** Null where they cannot be shares of one secret; wrong shares of the right form give a key that does not match the check value. */
async function combined(shares: Uint8Array[]): Promise<Buffer | null> {
  const { combine } = await import('shamir-secret-sharing');
  try {
    return Buffer.from((await combine(shares)).buffer);
  } catch {
    return null;
  }
}
