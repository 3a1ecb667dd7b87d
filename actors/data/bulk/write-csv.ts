/**
 * Rows as CSV (RFC 4180). Null is an empty cell, the empty text a quoted one. Text that a spreadsheet would run as a formula gets an apostrophe
 * (cell.ts), a number does not: only the field's type tells them apart, so the library's writer is not used.
 */
import type { Slots } from '#actors/engine/rows/codec.ts';
import type { Column } from '#actors/engine/rows/model.ts';
import { partOf } from '#actors/engine/rows/path/part.ts';
import { isComputed, withComputed } from '#actors/engine/rows/with-computed.ts';
import type { ShownColumn } from '#actors/engine/rows/path/select.ts';
import { NULL, disarmed, hasFreeText } from './cell.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

/** A value that is the text of a null is quoted too. */
const NEEDS_QUOTES = /[",\r\n]|^\\N$/;

export interface CsvOptions {
  readonly escapeFormulas: boolean;
}

/** The header line of these columns. */
export function csvHead(columns: readonly Column[]): string {
  return `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
}

/** Writes one row of these columns, its line end included; masked ones as their masks show them. */
export function csvWriterOf(columns: readonly ShownColumn[], options: CsvOptions): (slots: Slots) => string {
  if (columns.some(isComputed)) return withComputed(columns, (placed) => csvWriterOf(placed, options));
  const { escapeFormulas } = options;
  const places = columns.map(({ at }) => at);
  const masks = columns.map(({ mask }) => mask);
  const guarded = columns.map((column) => escapeFormulas && hasFreeText(column));
  const nulls = columns.map(({ defaulted }) => (defaulted ? NULL : ''));
  const parts = columns.map(({ inside }) => inside);
  const isJson = columns.map(({ type }) => FIELD_TYPES[type].csv === 'json');
  return (slots) => {
    let line = '';
    for (let i = 0; i < places.length; i++) {
      if (i > 0) line += ',';
      const value = slots[places[i]!];
      const mask = masks[i]!;
      const whole = mask === null ? value : mask(value);
      const part = parts[i];
      const shown = part === undefined ? whole : partOf(whole, part);
      if (shown === null || shown === undefined) line += nulls[i]!;
      else line += isJson[i]! ? quoted(JSON.stringify(shown)) : cellOf(shown, guarded[i]!);
    }
    return `${line}\r\n`;
  };
}

function cellOf(value: unknown, guarded: boolean): string {
  if (typeof value === 'string') {
    if (value === '') return '""';
    return quoted(guarded ? disarmed(value) : value);
  }
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : `${value as number | boolean}`;
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
