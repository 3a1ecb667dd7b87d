/** A file that goes to the node part by part, until its end, or until its reader stops it or the node answers no further; then it goes on where it was. Pure. */
import type { Part } from './import-parts.ts';

/** What the node says of a part, as far as it is needed here. */
interface Answer {
  readonly imported: number;
  /** Both from 1, of the part. */
  readonly errors: readonly { readonly row: number; readonly line: number; readonly error: string }[];
  readonly omitted: number;
}

export interface RefusedRow {
  /** From 1, among all rows of the file. */
  readonly row: number;
  readonly line: number;
  readonly error: string;
  /** As it was sent; null where rows are not told apart. */
  readonly text: string | null;
}

export interface ImportSo {
  /** Rows that were written, or fit. */
  readonly taken: number;
  readonly refused: readonly RefusedRow[];
  /** Rows that are refused and not named. */
  readonly omitted: number;
  /** Of the file. */
  readonly bytes: number;
  readonly isOver: boolean;
  /** Why it went no further; null where it was stopped, or is over. */
  readonly halt: Error | null;
  /** The line above the rows as they are sent. */
  readonly head: string;
}

/** So many refused rows are named. */
const NAMED_MAX = 1_000;

export class ImportRun {
  so: ImportSo = { taken: 0, refused: [], omitted: 0, bytes: 0, isOver: false, halt: null, head: '' };
  readonly #parts: AsyncGenerator<Part, void, undefined>;
  readonly #send: (part: Part, no: number) => Promise<Answer>;
  /** One that was read and not answered. */
  #open: Part | null = null;
  #no = 0;
  #rows = 0;

  /** `send` takes the number of a part, which is the same where one is sent again. */
  constructor(parts: AsyncGenerator<Part, void, undefined>, send: (part: Part, no: number) => Promise<Answer>) {
    this.#parts = parts;
    this.#send = send;
  }

  /** Ends with how far it is. `told` hears it after each part; it gives false to stop. */
  async go(told: (so: ImportSo) => boolean): Promise<ImportSo> {
    this.so = { ...this.so, halt: null };
    try {
      while (!this.so.isOver && told(this.so)) await this.#step();
    } catch (error) {
      this.so = { ...this.so, halt: error as Error };
    }
    return this.so;
  }

  async #step(): Promise<void> {
    if (this.#open === null) {
      const next = await this.#parts.next();
      if (next.done === true) {
        this.so = { ...this.so, isOver: true };
        return;
      }
      this.#open = next.value;
    }
    const part = this.#open;
    this.#keep(part, await this.#send(part, this.#no));
    this.#open = null;
    this.#no++;
    this.#rows += part.rows?.length ?? 0;
  }

  #keep({ rows, bytes, head }: Part, { imported, errors, omitted }: Answer): void {
    const found = errors.map(({ row, line, error }): RefusedRow => {
      const sent = rows?.[row - 1];
      return { row: this.#rows + row, line: sent?.line ?? line, error, text: sent?.text ?? null };
    });
    const named = [...this.so.refused, ...found];
    this.so = {
      ...this.so,
      taken: this.so.taken + imported,
      refused: named.slice(0, NAMED_MAX),
      omitted: this.so.omitted + omitted + Math.max(0, named.length - NAMED_MAX),
      bytes,
      head,
    };
  }
}
