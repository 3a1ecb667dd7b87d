/**
 * Bytes of a log elsewhere, sealed: AES-256-GCM (NIST SP 800-38D) under a key that is made for one writer alone, from a data key of the vault and a salt that the writer draws (HKDF, RFC 5869). A nonce is a
 * number that the writer never gives twice, so that no pair of key and nonce comes twice, whatever was restarted, taken over or put back. Why so: docs/decisions/storage.md ST-46.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { EngineRefused } from '#storage/log-engine/port.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const SUBKEYS_KEPT = 64;
export const DATA_KEY_BYTES = 32;
export const TAG_BYTES = 16;
export const SALT_BYTES = 16;

/** What is sealed under one kind is never opened as another. Names of rows are the tables' (./value.ts). */
export type SealedKind = 'entries' | 'copy' | 'submissions' | 'audit records';

export interface LogSealParts {
  /** The id of the log. */
  readonly log: string;
  /** Data keys of 32 bytes, by number, from 1 on; the greatest number seals. */
  readonly keys: ReadonlyMap<number, Buffer>;
  /** Asks the vault again: another node may have begun a key. */
  readonly renew: () => Promise<ReadonlyMap<number, Buffer>>;
  /** Fresh random bytes. */
  readonly random: (bytes: number) => Buffer;
}

/** A key for one writer, or of one that wrote before. */
export class SealKey {
  /** Of the data key. */
  readonly no: number;
  readonly salt: Buffer;
  readonly #key: Buffer;

  constructor(no: number, salt: Buffer, key: Buffer) {
    this.no = no;
    this.salt = salt;
    this.#key = key;
  }

  /** Ciphertext, and the tag behind it. `nonce` must be new for this key; `bound` is what the bytes belong to. */
  close(nonce: Buffer, bound: Uint8Array, plain: Uint8Array): [Buffer, Buffer] {
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(bound);
    const sealed = cipher.update(plain);
    cipher.final();
    return [sealed, cipher.getAuthTag()];
  }

  /** Null where one bit of bytes, tag, place or key differs. */
  open(nonce: Buffer, bound: Uint8Array, sealed: Uint8Array, tag: Uint8Array): Buffer | null {
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(bound);
    decipher.setAuthTag(tag);
    const plain = decipher.update(sealed);
    try {
      decipher.final();
      return plain;
    } catch {
      return null;
    }
  }
}

export class LogSeal {
  readonly #parts: LogSealParts;
  #keys: ReadonlyMap<number, Buffer>;
  readonly #subkeys = new Map<string, SealKey>();

  /** Throws RangeError where a key is none. */
  constructor(parts: LogSealParts) {
    this.#parts = parts;
    this.#keys = parts.keys;
    for (const key of parts.keys.values())
      if (key.length !== DATA_KEY_BYTES) throw new RangeError(`a data key has ${DATA_KEY_BYTES} bytes`);
  }

  /** The number of the key that seals. */
  get current(): number {
    return Math.max(...this.#keys.keys());
  }

  /** Of all keys that are known here. */
  get numbers(): readonly number[] {
    return [...this.#keys.keys()];
  }

  /** A key for a new writer of a shard, or of what has this name: no other one has it. */
  writer(kind: SealedKind, of: number | string): SealKey {
    const no = this.current;
    return this.#derived(kind, of, no, this.#parts.random(SALT_BYTES));
  }

  /** Keys by which others wrote are there behind it. Rejects with EngineRefused where the vault does not have one. */
  async know(numbers: Iterable<number>): Promise<void> {
    for (const no of numbers) {
      if (this.#keys.has(no)) continue;
      this.#keys = await this.#parts.renew();
      if (!this.#keys.has(no))
        throw new EngineRefused(
          `the log has bytes that key ${no} sealed, and the vault has no such key: is it the vault of this log, and not put back from an older copy?`,
        );
    }
  }

  /** The key by which a writer sealed. `know` comes before. */
  reader(kind: SealedKind, of: number | string, no: number, salt: Uint8Array): SealKey {
    const name = `${kind} ${of} ${no} ${Buffer.from(salt).toString('hex')}`;
    const found = this.#subkeys.get(name);
    if (found !== undefined) return found;
    const derived = this.#derived(kind, of, no, Buffer.from(salt));
    if (this.#subkeys.size >= SUBKEYS_KEPT) this.#subkeys.clear();
    this.#subkeys.set(name, derived);
    return derived;
  }

  /** A name for a text by a known data key, in hex: always the same one, and without the key it confirms no guess of the text (HMAC). */
  nameOf(kind: SealedKind, of: number | string, no: number, text: string): string {
    const info = `skep log names of ${kind}\0${this.#parts.log}\0${of}`;
    const key = hkdfSync('sha256', this.#keys.get(no)!, '', info, DATA_KEY_BYTES);
    return createHmac('sha256', Buffer.from(key)).update(text).digest('hex');
  }

  #derived(kind: SealedKind, of: number | string, no: number, salt: Buffer): SealKey {
    const info = `skep log ${kind}\0${this.#parts.log}\0${of}`;
    return new SealKey(no, salt, Buffer.from(hkdfSync('sha256', this.#keys.get(no)!, salt, info, DATA_KEY_BYTES)));
  }
}

/** A nonce of a number: 8 bytes of it, 4 of `more`. */
export function nonceOf(number: number, more = 0): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeBigUInt64LE(BigInt(number));
  nonce.writeUInt32LE(more, 8);
  return nonce;
}

/** What the log itself keeps of a key, so that another one is refused before anything is opened with it: it says nothing of the key. */
export function markOf(key: Buffer, log: string, no: number): Buffer {
  return createHmac('sha256', key).update(`skep log key\0${log}\0${no}`).digest();
}

export function fitsMark(key: Buffer, log: string, no: number, mark: Buffer): boolean {
  const own = markOf(key, log, no);
  return mark.length === own.length && timingSafeEqual(mark, own);
}
