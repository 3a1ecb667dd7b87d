/** Writes rows as JSON text straight from their slots: the text that JSON.stringify would give for the shaped row, without making that row. */
import type { Mask } from '#actors/kit/mask.ts';
import type { Slots } from './codec.ts';
import { partOf } from './path/part.ts';
import { isComputed, withComputed } from './with-computed.ts';

/** Characters that JSON text must or may have to escape: quotes, backslashes, controls, and surrogates (only a lone one is escaped). */
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

interface WrittenColumn {
  readonly name: string;
  readonly at: number;
  readonly mask: Mask | null;
  /** The members that lead to the part of its values which is shown; absent where that is all. */
  readonly inside?: readonly string[];
  /** Of a computed field, which has no slot. */
  readonly compute?: (slots: Slots) => unknown;
}

/** Writes rows with these columns, in this order; masked columns as their mask shows them, unless `unmasked`. */
export function jsonWriterOf(columns: readonly WrittenColumn[], unmasked = false): (slots: Slots) => string {
  if (columns.some(isComputed)) return withComputed(columns, (placed) => jsonWriterOf(placed, unmasked));
  const places = columns.map((column) => column.at);
  const heads = columns.map(({ name }, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  if (columns.some(({ inside }) => inside !== undefined)) return partWriterOf(columns, heads, unmasked);
  if (!unmasked && columns.some((column) => column.mask !== null)) return maskingWriterOf(columns, heads);
  return (slots) => {
    let text = '';
    for (let i = 0; i < places.length; i++) text += heads[i]! + jsonText(slots[places[i]!]);
    return text === '' ? '{}' : `${text}}`;
  };
}

function maskingWriterOf(columns: readonly WrittenColumn[], heads: readonly string[]): (slots: Slots) => string {
  return (slots) => {
    let text = '';
    for (const [i, { at, mask }] of columns.entries())
      text += heads[i]! + jsonText(mask === null ? slots[at] : mask(slots[at]));
    return `${text}}`;
  };
}

/** A part of a masked value is a part of what the mask shows. */
function partWriterOf(
  columns: readonly WrittenColumn[],
  heads: readonly string[],
  unmasked: boolean,
): (slots: Slots) => string {
  return (slots) => {
    let text = '';
    for (const [i, { at, mask, inside }] of columns.entries()) {
      const value = mask === null || unmasked ? slots[at] : mask(slots[at]);
      text += heads[i]! + jsonText(inside === undefined ? value : partOf(value, inside));
    }
    return `${text}}`;
  };
}

export function jsonText(value: unknown): string {
  if (typeof value === 'string') return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null';
  return value === null ? 'null' : (JSON.stringify(value) ?? 'null');
}
