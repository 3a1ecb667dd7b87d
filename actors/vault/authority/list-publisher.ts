/**
 * The published revocation list. A request signs it again after a revocation, and from two thirds of its life on. Its number comes from the store,
 * where it was written before any list is signed with it (RFC 5280 §5.2.3: it never decreases).
 */
import { limits } from '#config/limits.ts';
import { RevocationList, type SignedList } from '../pki/revocation-list.ts';
import { serialBytes } from '../pki/serial.ts';
import type { CertificateBook } from './certificate-book.ts';
import type { PkiPorts } from './ports.ts';
import type { SealedKeys } from './sealed-keys.ts';

const FRESH_SHARE = 2 / 3;

export class ListPublisher {
  readonly #ports: PkiPorts;
  readonly #keys: SealedKeys;
  readonly #book: CertificateBook;
  #list: RevocationList | null = null;
  #cursor: string | null = null;
  #signed: SignedList | null = null;
  #signing: Promise<SignedList> | null = null;

  constructor(ports: PkiPorts, keys: SealedKeys, book: CertificateBook) {
    this.#ports = ports;
    this.#keys = keys;
    this.#book = book;
  }

  /** The list with every revocation that was durable when it was requested; while the store is away, the last list as long as it is valid. */
  async current(): Promise<SignedList> {
    try {
      return await this.#current();
    } catch (error) {
      if (this.#signed === null || !this.isFresh) throw error;
      return this.#signed;
    }
  }

  async #current(): Promise<SignedList> {
    const number = await this.#book.listNumber();
    const signed = this.#signed;
    if (signed !== null && signed.number >= number && this.#isYoung(signed)) return signed;
    if (this.#signing === null) {
      this.#signing = this.#sign(number).finally(() => {
        this.#signing = null;
      });
      return this.#signing;
    }
    // That signing may have begun before the revocation that this caller knows of: check its result again.
    await this.#signing;
    return this.#current();
  }

  /** Whether the last signed list is still valid. True before the first request, when no list is needed. */
  get isFresh(): boolean {
    return this.#signed === null || this.#ports.clock.now() < this.#signed.nextUpdateMs;
  }

  async #sign(stored: number): Promise<SignedList> {
    const { issuer } = await this.#keys.authority();
    this.#list ??= new RevocationList(issuer);
    this.#list.issuer = issuer;
    // Every revocation stored a number of its own; a list that is only renewed needs one, too.
    const isNamed = this.#signed !== null && stored > this.#signed.number;
    const number = isNamed ? stored : await this.#book.renumber();
    await this.#catchUp(this.#list);
    this.#signed = this.#list.sign(number, this.#ports.clock.now());
    return this.#signed;
  }

  async #catchUp(list: RevocationList): Promise<void> {
    for await (const { cursor, entry } of this.#book.revoked(this.#cursor)) {
      list.add(serialBytes(entry.serial), entry.at_ms, entry.reason);
      this.#cursor = cursor;
    }
  }

  #isYoung({ thisUpdateMs }: SignedList): boolean {
    return this.#ports.clock.now() < thisUpdateMs + FRESH_SHARE * limits.pki.crlMs;
  }
}
