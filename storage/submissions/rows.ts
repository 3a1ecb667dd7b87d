/** Heads, lines and changes as rows and parameters of the statements. */
import { byteArray } from '#storage/log-engine/postgres/binary-array.ts';
import type { Change, Gone, Head, StoredLine } from './change.ts';

export interface HeadRow {
  readonly epoch: string;
  readonly no: string;
  readonly seq: string;
  readonly chain: string;
  readonly first: string;
  readonly base: string;
  readonly last_id: string;
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

const GONE: Readonly<Record<Gone, number>> = { erased: 1, expired: 2 };

export function headOf({ epoch, no, seq, chain, first, base, last_id: lastId }: HeadRow): Head {
  return { epoch: Number(epoch), no: Number(no), seq: Number(seq), chain, first: Number(first), base, lastId };
}

export function lineOf({ seq, id, form, at, gone, hash, body }: LineRow): StoredLine {
  const why = gone === 0 ? null : gone === GONE.erased ? 'erased' : 'expired';
  return { seq: Number(seq), id, form, at: Number(at), gone: why, hash, body: body?.toString() ?? null };
}

/** The parameters of COMMIT, in its order. */
export function tableOf(head: Head, next: Head, change: Change, isStrict: boolean): readonly unknown[] {
  const { lines, waiting, settled, keepers, forms, gone, trim } = change;
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
    byteArray(lines.map(({ body }) => Buffer.from(body))),
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
  ];
}
