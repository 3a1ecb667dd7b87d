/**
 * CSV (RFC 4180) with a header line that names fields. An empty cell counts as not given: the field's default applies, else null; a quoted empty
 * one is the empty text, `\N` without quotes is null. The library splits cells; the field's type decides what a cell means.
 */
import type { Parser } from 'csv-parse';
import { limits } from '#config/limits.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { parseJson } from '#actors/kit/json.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import { NULL, armed, hasFreeText } from './cell.ts';
import { FormatFault, type Line, type LineReader } from './line.ts';
import { finiteOfText, truthOfText } from '#config/values/value-check.ts';
import type { CsvForm } from '#config/values/type-row.ts';

/** Null: not given. */
type Cell = string | typeof IS_NULL | null;

const IS_NULL = Symbol('null');

interface Parsed {
  readonly record: Cell[];
  readonly info: { readonly lines: number };
}

/** A cell's text as a value of its field. Text that the type does not take stays as it is: the row's check reports it. */
type Meaning = (text: string) => unknown;

/** Loads the parser, which a node that imports no CSV never needs. */
export async function csvReader(model: EntityModel, escapeFormulas: boolean): Promise<LineReader> {
  const { parse } = await import('csv-parse');
  const parser = parse({
    relax_column_count: true,
    info: true,
    skip_empty_lines: true,
    max_record_size: limits.data.importRowCharsMax,
    cast: (value, { quoting }) => (quoting ? value : value === NULL ? IS_NULL : value === '' ? null : value),
  });
  return new CsvReader(parser, model, escapeFormulas);
}

class CsvReader implements LineReader {
  line = 1;
  row = 1;
  readonly #parser: Parser;
  readonly #model: EntityModel;
  readonly #escapeFormulas: boolean;
  #names: string[] | null = null;
  #meanings: Meaning[] = [];

  constructor(parser: Parser, model: EntityModel, escapeFormulas: boolean) {
    this.#parser = parser;
    this.#model = model;
    this.#escapeFormulas = escapeFormulas;
    // `#drain` throws the fault, with its line; an event without a listener would be thrown here.
    parser.on('error', () => undefined);
  }

  read(text: string): Line[] {
    this.#parser.write(text);
    return this.#drain();
  }

  end(): Line[] {
    this.#parser.end();
    const lines = this.#drain();
    if (this.#names === null) throw new FormatFault(1, 'the data is empty; a header line was expected');
    return lines;
  }

  /** Rows that the parser has ready. It parses as it is written to, so that only an incomplete row stays in it. */
  #drain(): Line[] {
    const lines: Line[] = [];
    for (;;) {
      const parsed = this.#parser.read() as Parsed | null;
      if (parsed === null) break;
      const line = this.#take(parsed);
      if (line !== null) {
        lines.push(line);
        this.row++;
      }
      this.line = parsed.info.lines + 1;
    }
    const { errored } = this.#parser;
    if (errored !== null) throw new FormatFault(this.line, csvFault(errored));
    return lines;
  }

  #take({ record, info }: Parsed): Line | null {
    if (this.#names === null) {
      this.#head(record);
      return null;
    }
    const names = this.#names;
    const line = info.lines;
    if (record.length !== names.length)
      return { line, input: null, fault: `has ${record.length} columns, the header has ${names.length}` };
    const input: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const cell = record[i]!;
      if (cell !== null) input[names[i]!] = cell === IS_NULL ? null : this.#meanings[i]!(cell);
    }
    return { line, input, fault: '' };
  }

  #head(record: readonly Cell[]): void {
    const names = record.map((cell) => (typeof cell === 'string' ? cell.trim() : ''));
    for (const [i, name] of names.entries()) {
      const column = this.#model.named(name);
      if (column === undefined) throw new FormatFault(1, `${this.#model.name} has no field "${name.slice(0, 100)}"`);
      if (names.indexOf(name) !== i) throw new FormatFault(1, `the column ${name} is there twice`);
      this.#meanings.push(meaningOf(column, this.#escapeFormulas));
    }
    this.#names = names;
  }
}

const MEANINGS: Readonly<Record<CsvForm, Meaning>> = {
  text: (text) => text,
  truth: (text) => truthOfText(text.toLowerCase()) ?? text,
  number: (text) => finiteOfText(text) ?? text,
  json: (text) => {
    const parsed = parseJson(text);
    return parsed.ok ? parsed.value : text;
  },
};

function meaningOf(column: Column, escapeFormulas: boolean): Meaning {
  return escapeFormulas && hasFreeText(column) ? armed : MEANINGS[FIELD_TYPES[column.type].csv];
}

/** The library's message without its line number, which differs from ours. */
function csvFault(error: Error): string {
  return error.message.replace(/ (?:at|on) line \d+.*$/s, '');
}
