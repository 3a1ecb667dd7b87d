/** Serials of revoked certificates in memory, for who must know at once whether a caller's certificate still counts. */
import type { CertificateBook } from './certificate-book.ts';

export class RevokedSerials {
  readonly #book: CertificateBook;
  readonly #serials = new Set<string>();
  #cursor: string | null = null;

  constructor(book: CertificateBook) {
    this.#book = book;
    book.onRevoked((serial) => this.#serials.add(serial));
  }

  has(serial: string): boolean {
    return this.#serials.has(serial);
  }

  /** Reads what the store has and this instance has not yet seen: at the start, and what other instances did. Whether there was any. */
  async catchUp(): Promise<boolean> {
    const before = this.#cursor;
    for await (const { cursor, entry } of this.#book.revoked(this.#cursor)) {
      this.#serials.add(entry.serial);
      this.#cursor = cursor;
    }
    return this.#cursor !== before;
  }
}
