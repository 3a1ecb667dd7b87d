/** Heads, lines and changes as rows and parameters of the statements. */
import { byteArray } from '#storage/log-engine/postgres/binary-array.ts';
import type { Change, Gone, Head, StoredLine, WrittenLine } from './change.ts';
import type { LineReader } from './sealed-lines.ts';

export interface HeadRow {
  readonly epoch: string;
  readonly no: string;
  readonly seq: string;
  readonly chain: string;
  readonly first: string;
  readonly base: string;
  readonly last_id: string;
  readonly seal_mark: Buffer | null;
}

export interface LineRow {
  readonly seq: string;
  readonly id: string | null;
  readonly form: string | null;
  readonly at: string;
  readonly gone: number;
  readonly hash: string;
  readonly body: Buffer | null;
}

/** A row of a line with its numbers read. */
export const numbered = <R extends { readonly seq: string; readonly at: string }>(row: R) => ({
  ...row,
  seq: Number(row.seq),
  at: Number(row.at),
});

const GONE: Readonly<Record<Gone, number>> = { erased: 1, expired: 2 };

export function headOf({ epoch, no, seq, chain, first, base, last_id: lastId, seal_mark: mark }: HeadRow): Head {
  const numbers = { epoch: Number(epoch), no: Number(no), seq: Number(seq), first: Number(first) };
  return { ...numbers, chain, base, lastId, mark };
}

/** Throws Corruption where the line is sealed and does not open. */
export function lineOf(row: LineRow, reader: LineReader): StoredLine {
  const read = numbered(row);
  const { seq, id, form, at, gone, hash, body: bytes } = read;
  const why = gone === 0 ? null : gone === GONE.erased ? 'erased' : 'expired';
  return { seq, id, form, at, gone: why, hash, body: reader.body(read), bytes };
}

/** A change with its lines as they are written. `mark` is noted where the store has none. */
export interface WrittenChange extends Omit<Change, 'lines'> {
  readonly lines: readonly WrittenLine[];
  readonly mark: Buffer | null;
}

/** The parameters of COMMIT, in its order. */
export function tableOf(head: Head, next: Head, change: WrittenChange, isStrict: boolean): readonly unknown[] {
  const { lines, mark, waiting, settled, keepers, forms, gone, trim } = change;
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  return [
    head.epoch,
    head.no,
    next.seq,
    hex(next.chain),
    next.lastId,
    isStrict,
    lines.map((_, at) => head.seq + 1 + at),
    lines.map(({ id }) => id),
    lines.map(({ form }) => form),
    lines.map(({ at }) => at),
    lines.map(({ key }) => key),
    lines.map(({ digest }) => digest),
    byteArray(lines.map(({ hash }) => hex(hash))),
    byteArray(lines.map(({ bytes }) => bytes)),
    waiting.map(({ id }) => id),
    waiting.map(({ kind }) => kind),
    waiting.map(({ form }) => form),
    waiting.map(({ tenant }) => tenant),
    settled.map(({ id }) => id),
    settled.map(({ kind }) => kind),
    keepers,
    gone?.seqs ?? [],
    gone === null ? 0 : GONE[gone.why],
    forms.map(([form]) => form),
    trim?.first ?? null,
    trim === null ? null : hex(trim.base),
    forms.map(([, columns]) => columns),
    mark,
  ];
}
