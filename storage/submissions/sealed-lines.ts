/**
 * Lines as they lie in the database: plain, or sealed by the keys of the log (../log-seal/value.ts). A line is sealed before it is chained, so that its hash says nothing of what it holds; its idempotency key and the digest of its fields are sealed
 * together, since both outlive it for a day. Why so: docs/decisions/storage.md ST-50.
 */
import { hash } from 'node:crypto';
import { Corruption } from '#storage/fault.ts';
import { sealLine } from '#storage/log/chain.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { isSealedValue, unnamed, ValueReader, ValueWriter } from '#storage/log-seal/value.ts';
import type { NewLine, WrittenLine } from './change.ts';

const KIND = 'submissions';
/** Of one store of submissions in a log there is no other one. */
const STORE = '';

/** What a line is told from others by: its sealed bytes belong to it. */
export interface LinePlace {
  readonly seq: number;
  readonly id: string | null;
  readonly form: string | null;
  readonly at: number;
}

/** The hash of a line as it is stored, behind the one before it. A plain line begins with a brace. */
export function lineHash(bytes: Buffer, prev: string): string {
  if (!isSealedValue(bytes)) return sealLine(bytes.toString(), prev).hash;
  return hash('sha256', Buffer.concat([bytes, Buffer.from(`,"prev":"${prev}"`)]), 'hex');
}

/** Lines of one owner of the store. */
export class LineWriter {
  readonly #values: ValueWriter | null;

  /** Draws a salt: to be made once for each claim. */
  constructor(seal: LogSeal | null) {
    this.#values = seal === null ? null : new ValueWriter(seal, KIND, STORE);
  }

  /** The lines of one change, behind a place and a hash. To be called once for each change: what is sent again are the same bytes. */
  write(lines: readonly NewLine[], after: { readonly seq: number; readonly chain: string }): WrittenLine[] {
    let prev = after.chain;
    return lines.map((line, at) => {
      const written = this.#written(line, after.seq + 1 + at);
      prev = lineHash(written.bytes, prev);
      return { ...written, hash: prev };
    });
  }

  /** Says that lines from this place on are sealed; null where they are not. */
  mark(seq: number): Buffer | null {
    return this.#values?.close(MARK, Buffer.from(String(seq))) ?? null;
  }

  #written({ body, ...line }: NewLine, seq: number): Omit<WrittenLine, 'hash'> {
    const values = this.#values;
    if (values === null) return { ...line, bytes: Buffer.from(body) };
    const place = { ...line, seq };
    const { key, digest } = line;
    const use = key === null ? null : values.close(boundOf('use', place), Buffer.from(JSON.stringify([key, digest])));
    const bytes = values.close(boundOf('body', place), Buffer.from(body));
    return { ...line, key: use?.toString('base64') ?? null, digest: null, bytes };
  }
}

/** A row of the store, as far as it may be sealed. */
export interface SealedRow extends LinePlace {
  readonly body?: Buffer | null;
  readonly key?: string | null;
  readonly digest?: string | null;
}

/** Opens rows of a store whose head has this mark. */
export class LineReader {
  readonly #values: ValueReader;
  readonly #mark: Buffer | null;
  #from = Infinity;

  constructor(seal: LogSeal | null, mark: Buffer | null) {
    this.#values = new ValueReader(seal, KIND, STORE);
    this.#mark = mark;
  }

  /** Is waited for before rows are opened. Rejects with EngineRefused where something is sealed and its key is not there, and with Corruption where the mark is not the log's. */
  async know(rows: readonly SealedRow[]): Promise<void> {
    const values = rows.flatMap((row) => [bodyIn(row), useIn(row)]).filter((value) => value !== null);
    await this.#values.know(this.#mark === null ? values : [this.#mark, ...values]);
    if (this.#mark === null || this.#from !== Infinity) return;
    const from = this.#values.open(MARK, this.#mark);
    if (from === null) throw new Corruption('seal_mark of skep_intake', OTHER);
    this.#from = Number(from.toString());
  }

  /** The JSON object of a line; null where it is gone. Throws Corruption. */
  body(row: SealedRow): string | null {
    if (row.body === null || row.body === undefined) return null;
    const sealed = bodyIn(row);
    if (sealed === null) return this.#plain(row, row.body.toString());
    return this.#opened('body', row, sealed).toString();
  }

  /** Its idempotency key, and the digest of its fields. Throws Corruption. */
  use(row: SealedRow): readonly [key: string, digest: string] {
    const sealed = useIn(row);
    if (sealed === null) return this.#plain(row, [row.key!, row.digest!]);
    return JSON.parse(this.#opened('use', row, sealed).toString()) as [string, string];
  }

  #plain<T>(row: SealedRow, value: T): T {
    if (row.seq < this.#from) return value;
    throw damaged(row, 'it is not sealed, and lines before it are');
  }

  #opened(part: Part, row: SealedRow, sealed: Buffer): Buffer {
    const plain = this.#values.open(boundOf(part, row), sealed);
    if (plain === null) throw damaged(row, OTHER);
    return plain;
  }
}

/** Rejects a node whose file does not name the keys of a store that is sealed. */
export function assertNamed(seal: LogSeal | null, mark: Buffer | null): void {
  if (seal === null && mark !== null) throw unnamed('the submissions of forms in the database of the log are sealed');
}

type Part = 'body' | 'use';

const MARK = 'mark';
const OTHER = 'it was changed, moved, or sealed by another key';

const boundOf = (part: Part, { seq, id, form, at }: LinePlace): string => JSON.stringify([part, seq, id, form, at]);

const bodyIn = ({ body }: SealedRow): Buffer | null =>
  body !== null && body !== undefined && isSealedValue(body) ? body : null;

/** A key in the clear has its digest beside it. */
function useIn({ key, digest }: SealedRow): Buffer | null {
  return typeof key === 'string' && digest === null ? Buffer.from(key, 'base64') : null;
}

function damaged({ seq }: LinePlace, what: string): Corruption {
  return new Corruption(`line ${seq} of skep_intake_line`, what);
}
