/**
 * A digest of a body in pieces, in bounded memory: equal for equal bodies. It leaves out the boundary of a multipart body: a client makes a
 * new one each time it sends the same form (RFC 2046 §5.1.1).
 */
import { createHash } from 'node:crypto';

const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

export class BodyDigest {
  readonly #hash;
  readonly #boundary: Buffer | null;
  /** The end of what came, in which a boundary may have begun. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(head: string, contentType: string | undefined) {
    this.#hash = createHash('sha256').update(head);
    const match = BOUNDARY.exec(contentType ?? '');
    this.#boundary = match === null ? null : Buffer.from(match[1] ?? match[2]!, 'latin1');
  }

  update(bytes: Uint8Array): void {
    if (this.#boundary === null) this.#hash.update(bytes);
    else this.#updateWithout(this.#boundary, Buffer.concat([this.#rest, bytes]));
  }

  #updateWithout(boundary: Buffer, bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(boundary); at >= 0; at = bytes.indexOf(boundary, from)) {
      this.#hash.update(bytes.subarray(from, at));
      from = at + boundary.length;
    }
    const end = Math.max(from, bytes.length - boundary.length + 1);
    this.#hash.update(bytes.subarray(from, end));
    this.#rest = bytes.subarray(end);
  }

  /** Once, at the end of the body: base64url. */
  text(): string {
    return this.#hash.update(this.#rest).digest('base64url');
  }
}
