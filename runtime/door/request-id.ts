/**
 * Request ids: the caller's own when it looks like one (a UUID, a ULID, hexadecimal, base64, a trace header of a load balancer), else a new
 * one, unique within and across starts of the node. An id is sent back and written to log lines, so characters with a meaning to a shell, a
 * browser or a log reader are not taken.
 */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';

const WELL_FORMED = /^[0-9A-Za-z][0-9A-Za-z._:=+/@-]*$/;

export class RequestIds {
  readonly #prefix: string;
  #count = 0;

  constructor(prefix: string = randomBytes(6).toString('hex')) {
    this.#prefix = prefix;
  }

  of(given: string): string {
    if (given !== '' && given.length <= limits.door.requestIdCharsMax && WELL_FORMED.test(given)) return given;
    return `${this.#prefix}-${(this.#count++).toString(36)}`;
  }
}
