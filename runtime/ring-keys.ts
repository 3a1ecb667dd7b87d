/**
 * The keys that sign tokens, where the platform file puts them into the vault (`identity.keyring: vault:<place>`): main has a key made
 * there, tells identity its name, and passes key handles to the threads that sign. The bytes of a key never come here.
 */
import { randomBytes, type KeyObject } from 'node:crypto';
import { paserkPid, rawPublicKey } from '#actors/kit/token/paserk.ts';
import type { KeyRecord, RingRecord } from '#actors/kit/token/ring.ts';

export interface RingKeysPorts {
  /** The keys' path in the vault; null for a ring in identity's own store. */
  readonly place: string | null;
  /** The vault's key at a path. Where there is none it is made if `make` is true, else the call rejects. */
  signingKey(path: string, make: boolean): Promise<{ readonly key: KeyObject }>;
  forgetKey(path: string): Promise<unknown>;
}

interface NewKey {
  readonly kid: string;
  readonly vault: string;
}

const NAME_BYTES = 12;

export class RingKeys {
  readonly #ports: RingKeysPorts;
  readonly #known = new Map<string, KeyObject>();

  constructor(ports: RingKeysPorts) {
    this.#ports = ports;
  }

  get place(): string | null {
    return this.#ports.place;
  }

  /** Makes a new key in the vault; null for a ring in identity's own store. */
  async make(): Promise<NewKey | null> {
    const { place } = this.#ports;
    if (place === null) return null;
    const vault = `${place}/${randomBytes(NAME_BYTES).toString('hex')}`;
    const { key } = await this.#ports.signingKey(vault, true);
    const kid = paserkPid(rawPublicKey(key));
    this.#known.set(kid, key);
    return { kid, vault };
  }

  /** The records with the keys that the vault holds. Throws, naming the key, when the vault cannot give one, since no thread could sign with it. */
  async withKeys(records: readonly KeyRecord[]): Promise<RingRecord[]> {
    const found = await Promise.all(records.map((record) => this.#withKey(record)));
    const living = new Set(records.map(({ kid }) => kid));
    for (const kid of this.#known.keys()) if (!living.has(kid)) this.#known.delete(kid);
    return found;
  }

  async #withKey(record: KeyRecord): Promise<RingRecord> {
    const { kid, vault } = record;
    if (vault === undefined) return record;
    const key = this.#known.get(kid) ?? (await this.#fetch(kid, vault));
    this.#known.set(kid, key);
    return { ...record, key };
  }

  async #fetch(kid: string, vault: string): Promise<KeyObject> {
    const { key } = await this.#ports.signingKey(vault, false).catch((cause: unknown) => {
      throw new Error(`the vault cannot give the key that signs tokens, vault:${vault}: ${(cause as Error).message}`, {
        cause,
      });
    });
    if (paserkPid(rawPublicKey(key)) === kid) return key;
    throw new Error(`vault:${vault} holds another key than ${kid}: tokens would not verify`);
  }

  /** Destroys keys that left the ring. A key that cannot be destroyed now is harmless and stays. */
  async forget(secrets: readonly string[]): Promise<void> {
    await Promise.allSettled(secrets.map((path) => this.#ports.forgetKey(path)));
  }
}
