/** Places of a statement in the file that its author wrote, and the errors at them. */
import { DefinitionError } from '#actors/kit/rule.ts';

/** The place of the statement's first character; lines and columns from 1. */
export interface SqlSource {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A statement that cannot be compiled; the message is `file:line:column: what; how to mend it`. */
export class SqlDefinitionError extends DefinitionError {
  readonly line: number;
  readonly column: number;

  constructor(file: string, line: number, column: number, message: string) {
    super(`${file}:${line}:${column}`, message);
    this.line = line;
    this.column = column;
  }
}

/** A text of the statement that was replaced before it was parsed. */
export interface Replacement {
  /** Byte in the statement as it is parsed. */
  readonly at: number;
  readonly length: number;
  /** Byte in the statement as its author wrote it. */
  readonly from: number;
  readonly written: number;
}

/** From the parser's byte offsets to lines and columns of the file. Columns count characters, as editors do. */
export class Places {
  readonly #text: Buffer;
  readonly #source: SqlSource;
  readonly #replaced: readonly Replacement[];

  constructor(text: string, source: SqlSource, replaced: readonly Replacement[] = []) {
    this.#text = Buffer.from(text);
    this.#source = source;
    this.#replaced = replaced;
  }

  /** An error at a byte of the parsed text. Assumes that every line of the statement begins in the column of the first. */
  fault(at: number, what: string, mend: string): SqlDefinitionError {
    const { file, line, column } = this.#source;
    const before = this.#text.subarray(0, this.#writtenAt(at)).toString();
    const lines = before.split('\n');
    const last = Array.from(lines.at(-1)!).length;
    return new SqlDefinitionError(file, line + lines.length - 1, column + last, `${what}; ${mend}`);
  }

  #writtenAt(at: number): number {
    let shift = 0;
    for (const { at: start, length, from, written } of this.#replaced) {
      if (at < start) break;
      if (at < start + length) return from;
      shift = from + written - (start + length);
    }
    return Math.min(at + shift, this.#text.length);
  }
}
