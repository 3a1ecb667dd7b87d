/**
 * A keyed hash of (tenant, address) into two words, without an allocation: HalfSipHash with one compression and three
 * finalisation rounds over 32-bit words. A plain seeded hash would do for spreading, but its collisions can be
 * constructed whatever the seed; those of a keyed one cannot, so no caller can fill a chosen set.
 */
export class CallerHash {
  readonly #key0: number;
  readonly #key1: number;
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;
  /** Which set: any bits of it. */
  set = 0;
  /** Which caller within the set; never zero. */
  tag = 0;

  constructor(key0: number, key1: number) {
    this.#key0 = key0;
    this.#key1 = key1;
  }

  /** Hashes one caller into `set` and `tag`. Characters of an address fit a byte each. */
  of(tenantNo: number, ip: string): void {
    this.#v0 = this.#key0;
    this.#v1 = this.#key1;
    this.#v2 = 0x6c796765 ^ this.#key0;
    this.#v3 = 0x74656462 ^ this.#key1;
    this.#v1 ^= 0xee;
    this.#absorb(tenantNo | 0);
    const whole = ip.length & ~3;
    for (let i = 0; i < whole; i += 4) this.#absorb(word(ip, i, 4));
    this.#absorb(word(ip, whole, ip.length & 3) ^ (ip.length << 24));
    this.#v2 ^= 0xee;
    this.#finish();
    this.set = this.#v1 ^ this.#v3;
    this.#v1 ^= 0xdd;
    this.#finish();
    this.tag = this.#v1 ^ this.#v3 || 1;
  }

  #absorb(input: number): void {
    this.#v3 ^= input;
    this.#round();
    this.#v0 ^= input;
  }

  #finish(): void {
    this.#round();
    this.#round();
    this.#round();
  }

  #round(): void {
    let v0 = this.#v0;
    let v1 = this.#v1;
    let v2 = this.#v2;
    let v3 = this.#v3;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}

function word(text: string, at: number, length: number): number {
  let out = 0;
  for (let i = 0; i < length; i++) out |= (text.charCodeAt(at + i) & 0xff) << (8 * i);
  return out;
}
