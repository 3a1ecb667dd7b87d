/**
 * The header fields of one request, and the check of its framing. Both servers fill one of these in a single pass, so their
 * refusals against request smuggling are the same (RFC 9112 §3.2, §6.1, §6.3).
 */
import { limits } from '#config/limits.ts';

/** Body length of a chunked request. */
export const CHUNKED = -1;

const DIGITS = /^[0-9]{1,15}$/;

/** Fields that name the caller and the position. Repeated ones are refused, since a proxy and this door could each take another one (RFC 9110 §5.3: none is a list). */
const ONCE: ReadonlyMap<string, number> = new Map(
  ['authorization', 'x-api-key', 'x-customer', 'x-product', 'x-env', 'x-tenant'].map((name, bit) => [name, 1 << bit]),
);
/** The lengths of those names as bits, so that most fields need no lookup in the map. */
const ONCE_LENGTHS = [...ONCE.keys()].reduce((bits, { length }) => bits | (1 << length), 0);

export class HeaderFields {
  /** A declared length, 0 for no body, CHUNKED. */
  bodyLength = 0;
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #count = 0;
  #hosts = 0;
  #lengths = 0;
  #codings = 0;
  #seen = 0;
  #sound = true;

  reset(): void {
    this.bodyLength = 0;
    this.#count = 0;
    this.#hosts = 0;
    this.#lengths = 0;
    this.#codings = 0;
    this.#seen = 0;
    this.#sound = true;
  }

  /** Adds a field, its name in lower case. An arrow, so that uWebSockets.js can call it without a closure per request. */
  readonly add = (name: string, value: string): void => {
    const i = this.#count++;
    this.#names[i] = name;
    this.#values[i] = value;
    const length = name.length;
    if (length === 4 && name === 'host') this.#hosts++;
    else if (length === 14 && name === 'content-length') this.#addLength(value);
    else if (length === 17 && name === 'transfer-encoding') this.#addCoding(value);
    else if (length < 32 && (ONCE_LENGTHS & (1 << length)) !== 0) this.#addOnce(name);
  };

  /** The first value of a field, '' when absent. */
  get(name: string): string {
    const names = this.#names;
    for (let i = 0, n = this.#count; i < n; i++) if (names[i] === name) return this.#values[i]!;
    return '';
  }

  /** The names of the fields, each once. */
  names(): Set<string> {
    return new Set(this.#names.slice(0, this.#count));
  }

  /** All values of a field in their order, joined as one list (RFC 9110 §5.3); '' when absent. */
  all(name: string): string {
    let list = '';
    for (let i = 0; i < this.#count; i++)
      if (this.#names[i] === name) list = list === '' ? this.#values[i]! : `${list}, ${this.#values[i]!}`;
    return list;
  }

  /**
   * 0, or the status that refuses a request whose end, target, caller or position two readers could understand differently. A chunked HEAD is
   * refused too (RFC 9110 §9.3.2 allows it), since its answer could not close the connection on uWebSockets.js. `old`: HTTP/1.0, which needs no
   * Host and has no transfer codings (RFC 9112 §3.2, §6.1).
   */
  fault(method: string, old = false): number {
    if (this.#count > limits.door.headerFieldsMax) return 431;
    if (method === 'HEAD' && this.bodyLength === CHUNKED) return 400;
    if (old && (this.#codings > 0 || this.#hosts > 1)) return 400;
    return this.#sound && (old || this.#hosts === 1) && this.#lengths + this.#codings <= 1 ? 0 : 400;
  }

  #addOnce(name: string): void {
    const bit = ONCE.get(name) ?? 0;
    if ((this.#seen & bit) !== 0) this.#sound = false;
    this.#seen |= bit;
  }

  #addLength(value: string): void {
    this.#lengths++;
    if (DIGITS.test(value)) this.bodyLength = Number(value);
    else this.#sound = false;
  }

  /** Any coding but a single `chunked` is refused: the door has no decoder for another. */
  #addCoding(value: string): void {
    this.#codings++;
    if (value.toLowerCase() === 'chunked') this.bodyLength = CHUNKED;
    else this.#sound = false;
  }
}
