/** Serials of revoked certificates, in memory: a caller's certificate is checked against them at once. */
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

  /** Reads revocations that this instance has not seen: all of them at the start, later those of other instances. Gives whether there were any. */
  async catchUp(): Promise<boolean> {
    const before = this.#cursor;
    for await (const { cursor, entry } of this.#book.revoked(this.#cursor)) {
      this.#serials.add(entry.serial);
      this.#cursor = cursor;
    }
    return this.#cursor !== before;
  }
}
