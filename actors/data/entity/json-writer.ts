/** Rows as JSON text straight from their slots: the same text as JSON.stringify gives of the shaped row, without the row. */
import type { Slots } from './codec.ts';

/** What JSON text cannot hold as it stands: quotes, backslashes, controls, and surrogates (a lone one is escaped). */
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Writes rows of these columns, in their order. */
export function jsonWriterOf(
  columns: readonly { readonly name: string; readonly at: number }[],
): (slots: Slots) => string {
  const places = columns.map((column) => column.at);
  const heads = columns.map(({ name }, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return (slots) => {
    let text = '';
    for (let i = 0; i < places.length; i++) text += heads[i]! + jsonText(slots[places[i]!]);
    return text === '' ? '{}' : `${text}}`;
  };
}

function jsonText(value: unknown): string {
  if (typeof value === 'string') return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null';
  return value === null ? 'null' : (JSON.stringify(value) ?? 'null');
}
