/** How many distinct values a field has. */
import { createHash } from 'node:crypto';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Slots } from '../codec.ts';
import type { Column } from '../model.ts';

/** Longer texts are remembered by their digest. */
const PLAIN_CHARS_MAX = 64;

/** What equal values of a column have in common. Decimals of one value may be written at different scales: `1.5` and `1.50` are one. */
export function formOf({ type }: Column): (value: unknown) => unknown {
  const { sameForm } = FIELD_TYPES[type];
  return sameForm === null ? (value) => value : (value) => (typeof value === 'string' ? sameForm(value) : value);
}

export class Distinct {
  readonly #at: number;
  readonly #form: (value: unknown) => unknown;
  readonly #room: { left: number };
  readonly #seen = new Set<unknown>();

  /** `room.left` falls with each new value; the caller ends the query where it falls below 0. */
  constructor(column: Column, room: { left: number }) {
    this.#at = column.at;
    this.#form = formOf(column);
    this.#room = room;
  }

  add(slots: Slots): void {
    const value = slots[this.#at];
    if (value === null) return;
    const key = short(this.#form(value));
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#room.left--;
  }

  value(): number {
    return this.#seen.size;
  }
}

/** A digest is longer than any text that stands for itself, so none is taken for the other. */
function short(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= PLAIN_CHARS_MAX) return value;
  return `#${createHash('sha256').update(value, 'utf16le').digest('hex')}`;
}
