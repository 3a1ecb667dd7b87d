/** What is written to the store of submissions at once, and what is read from it. */

/** A line of the chain that is added behind the last one. `id`, `form`: null for a line that is no submission. */
export interface NewLine {
  readonly id: string | null;
  readonly form: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly key: string | null;
  readonly digest: string | null;
  /** The JSON object of the line, without `prev` and `hash`. */
  readonly body: string;
}

/** A line as it is written: chained, and sealed where the log is. */
export interface WrittenLine extends Omit<NewLine, 'body'> {
  /** Hex, over `bytes` and the hash before it. */
  readonly hash: string;
  readonly bytes: Buffer;
}

/** What a submission waits for, by an entry of its own: the courier (`kind` of a notice), or its tenant. */
export interface WaitingEntry {
  readonly id: string;
  readonly kind: string;
  readonly form: string;
  readonly tenant: string | null;
}

export interface Change {
  readonly lines: readonly NewLine[];
  readonly waiting: readonly WaitingEntry[];
  readonly settled: readonly Pick<WaitingEntry, 'id' | 'kind'>[];
  readonly keepers: readonly string[];
  /** Recorded columns by form, as JSON. */
  readonly forms: readonly (readonly [form: string, columns: string])[];
  /** Lines whose content goes, with all that waits for them. */
  readonly gone: { readonly why: Gone; readonly seqs: readonly number[] } | null;
  /** Lines before `first` go as a whole; `base` is the hash of the last of them. */
  readonly trim: { readonly first: number; readonly base: string } | null;
}

/** `erased` by a person's wish: a line of the chain names it. `expired`: past the retention of its form. */
export type Gone = 'erased' | 'expired';

export const NO_CHANGE: Change = {
  lines: [],
  waiting: [],
  settled: [],
  keepers: [],
  forms: [],
  gone: null,
  trim: null,
};

/** Where the store is. */
export interface Head {
  readonly epoch: number;
  /** Changes so far. */
  readonly no: number;
  /** The newest line, 0 before the first. */
  readonly seq: number;
  /** Its hash, in hex. */
  readonly chain: string;
  /** The oldest line that is kept, and the hash before it. */
  readonly first: number;
  readonly base: string;
  /** The newest id of a submission, '' for none. */
  readonly lastId: string;
  /** Where sealed lines begin, sealed itself; null where none is sealed. */
  readonly mark: Buffer | null;
}

/** The head behind a change, whose lines were written so. */
export function headAfter(head: Head, { trim }: Pick<Change, 'trim'>, lines: readonly WrittenLine[]): Head {
  const ids = lines.flatMap(({ id }) => (id === null ? [] : [id]));
  return {
    epoch: head.epoch,
    no: head.no + 1,
    seq: head.seq + lines.length,
    chain: lines.at(-1)?.hash ?? head.chain,
    first: trim?.first ?? head.first,
    base: trim?.base ?? head.base,
    lastId: ids.reduce((last, id) => (id > last ? id : last), head.lastId),
    mark: head.mark,
  };
}

/** A line as it is stored. */
export interface StoredLine {
  readonly seq: number;
  readonly id: string | null;
  readonly form: string | null;
  readonly at: number;
  readonly gone: Gone | null;
  readonly hash: string;
  /** Null where it is gone. */
  readonly body: string | null;
  /** `body` as it is stored, of which the hash is. */
  readonly bytes: Buffer | null;
}

export interface KeyUse {
  readonly form: string;
  readonly key: string;
  readonly id: string;
  readonly at: number;
  readonly digest: string;
}

/** Another owner has the store: nothing of this one comes in any more. */
export class OwnerLost extends Error {}
