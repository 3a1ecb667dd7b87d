/** Request ids: the caller's own when it is well formed, else one of ours, unique within and across starts of the node. */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';

const WELL_FORMED = /^[\x21-\x7e]+$/;

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
