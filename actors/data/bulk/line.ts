/** Rows of imported data, each with the line that it begins on, or with its fault. */
import type { Input } from '#actors/kit/field-check.ts';

/** One row of the data. `input` is null where it could not be read, and `fault` says why; the next rows can still be read. */
export interface Line {
  readonly line: number;
  readonly input: Input | null;
  readonly fault: string;
}

/** Reads one format piece by piece. Throws FormatFault where no further row can be read. */
export interface LineReader {
  /** The line and the row that it has come to, both from 1. */
  readonly line: number;
  readonly row: number;
  /** Rows that are complete with this text. */
  read(text: string): Line[];
  /** What is left at the end. */
  end(): Line[];
}

/** The data breaks its format, so that no row behind that place can be told apart. */
export class FormatFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.line = line;
  }
}

/** A JSON value as a row. */
export function lineOf(line: number, parsed: { ok: true; value: unknown } | { ok: false; fault: string }): Line {
  if (!parsed.ok) return { line, input: null, fault: parsed.fault };
  const { value } = parsed;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { line, input: value as Input, fault: '' };
  return { line, input: null, fault: 'a row must be a JSON object' };
}
