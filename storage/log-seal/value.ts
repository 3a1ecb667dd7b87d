/**
 * Values of a log that are sealed one by one, as rows of a table beside its entries: format (1 byte), number of the data key (4), salt of the writer (16), number of the value (6), the sealed bytes, and a tag (16). The number is
 * the nonce. A writer counts what it seals, also what is never stored, so that no number comes twice under its key; the place of a row is no such number, since one that was refused comes again with other bytes.
 */
import { EngineRefused } from '#storage/log-engine/port.ts';
import { nonceOf, SALT_BYTES, TAG_BYTES, type LogSeal, type SealedKind, type SealKey } from './seal.ts';

const FORMAT = 2;
const KEY_AT = 1;
const SALT_AT = KEY_AT + 4;
const NUMBER_AT = SALT_AT + SALT_BYTES;
const NUMBER_BYTES = 6;
const HEAD_BYTES = NUMBER_AT + NUMBER_BYTES;

/** What a sealed value has besides its bytes. */
export const VALUE_SEAL_BYTES = HEAD_BYTES + TAG_BYTES;

/** Whether bytes may be a sealed value. Those that are plain must begin with another byte, or be told by something else. */
export function isSealedValue(bytes: Uint8Array): boolean {
  return bytes[0] === FORMAT;
}

/** Seals under a key of its own. To be made once for each claim of what it writes to. */
export class ValueWriter {
  readonly #key: SealKey;
  #number = 0;

  /** `of`: what of this kind is written to, by its name within the log. */
  constructor(seal: LogSeal, kind: SealedKind, of: number | string) {
    this.#key = seal.writer(kind, of);
  }

  /** `bound`: what the value belongs to. In another place it does not open. */
  close(bound: string, plain: Uint8Array): Buffer {
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    const number = this.#number++;
    head[0] = FORMAT;
    head.writeUInt32LE(this.#key.no, KEY_AT);
    this.#key.salt.copy(head, SALT_AT);
    head.writeUIntLE(number, NUMBER_AT, NUMBER_BYTES);
    return Buffer.concat([head, ...this.#key.close(nonceOf(number), boundOf(bound, head), plain)]);
  }
}

/** Opens what writers of one kind have sealed. */
export class ValueReader {
  readonly #seal: LogSeal | null;
  readonly #kind: SealedKind;
  readonly #of: number | string;

  constructor(seal: LogSeal | null, kind: SealedKind, of: number | string) {
    this.#seal = seal;
    this.#kind = kind;
    this.#of = of;
  }

  /** Is waited for before the values are opened. Rejects with EngineRefused where there are some, and a key is not there. */
  async know(values: readonly Uint8Array[]): Promise<void> {
    const whole = values.filter(isWhole);
    if (whole.length === 0) return;
    if (this.#seal === null) throw unnamed(`${this.#kind} in the database of the log are sealed`);
    await this.#seal.know(new Set(whole.map((value) => viewOf(value).readUInt32LE(KEY_AT))));
  }

  /** Null where one bit differs, or the value belongs elsewhere. `know` comes before. */
  open(bound: string, value: Uint8Array): Buffer | null {
    if (!isWhole(value)) return null;
    const bytes = viewOf(value);
    const head = bytes.subarray(0, HEAD_BYTES);
    const tagAt = bytes.length - TAG_BYTES;
    const salt = head.subarray(SALT_AT, NUMBER_AT);
    const key = this.#seal!.reader(this.#kind, this.#of, head.readUInt32LE(KEY_AT), salt);
    const nonce = nonceOf(head.readUIntLE(NUMBER_AT, NUMBER_BYTES));
    return key.open(nonce, boundOf(bound, head), bytes.subarray(HEAD_BYTES, tagAt), bytes.subarray(tagAt));
  }
}

/** What is sealed, and the platform file does not say by which keys. */
export function unnamed(what: string): EngineRefused {
  return new EngineRefused(`${what}\n    set storage.journal.seal: vault, with the vault of this log`);
}

const isWhole = (value: Uint8Array): boolean => value.length >= VALUE_SEAL_BYTES && isSealedValue(value);

const viewOf = (value: Uint8Array): Buffer => Buffer.from(value.buffer, value.byteOffset, value.length);

function boundOf(bound: string, head: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bound}\0`), head]);
}
