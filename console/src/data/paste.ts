/** What a paste would change, cell by cell, and what is wrong with a cell as far as the entity's document says; the rest the node says when it is written. Pure. */
import type { Block } from './block.ts';
import { unguarded } from './formula.ts';
import type { EntityDoc, Field, Row } from './shapes.ts';
import { isEditable, textOf, valueOf } from './value.ts';

/** `kept`: it is not changed here. `figure`, `choice`, `json`: it is no value of the type. `required`: it may not be empty. */
export type CellFault = 'kept' | 'figure' | 'choice' | 'json' | 'required';

export interface PastedCell {
  readonly field: Field;
  readonly before: unknown;
  readonly text: string;
  /** Undefined where it has a fault. */
  readonly value: unknown;
  readonly fault: CellFault | null;
}

export interface PastedRow {
  readonly row: Row;
  /** Those that would change. */
  readonly cells: readonly PastedCell[];
}

export interface Paste {
  readonly rows: readonly PastedRow[];
  /** Cells that have the value already. */
  readonly same: number;
  /** Cells beyond the last row or column, or of rows that are not here. */
  readonly outside: number;
}

export interface Target {
  readonly entity: EntityDoc;
  readonly shown: readonly Field[];
  readonly at: Block;
  readonly rowAt: (index: number) => Row | undefined;
}

/** A single cell fills the block; more of them are put down from its first cell on. */
export function pasteOf(cells: readonly (readonly string[])[], { entity, shown, at, rowAt }: Target): Paste {
  const isOne = cells.length === 1 && cells[0]!.length === 1;
  const width = at.right - at.left + 1;
  const lines = isOne
    ? Array.from({ length: at.bottom - at.top + 1 }, () => Array.from({ length: width }, () => cells[0]![0]!))
    : cells;
  const rows: PastedRow[] = [];
  let [same, outside] = [0, 0];
  lines.forEach((line, down) => {
    const row = rowAt(at.top + down);
    const changed: PastedCell[] = [];
    line.forEach((text, across) => {
      const field = shown[at.left + across];
      if (row === undefined || field === undefined) outside++;
      else {
        const cell = cellOf(entity, field, row[field.name], unguarded(text, field));
        if (cell === null) same++;
        else changed.push(cell);
      }
    });
    if (row !== undefined && changed.length > 0) rows.push({ row, cells: changed });
  });
  return { rows, same, outside };
}

/** Null where nothing would change. */
function cellOf(entity: EntityDoc, field: Field, before: unknown, text: string): PastedCell | null {
  if (textOf(before) === text) return null;
  const refused = (fault: CellFault): PastedCell => ({ field, before, text, value: undefined, fault });
  if (!isEditable(field) || field.mask !== undefined || field.name === entity.primary_key) return refused('kept');
  let value: unknown;
  try {
    value = valueOf(field.type === 'boolean' ? text.toLowerCase() : text, field);
  } catch {
    return refused('json');
  }
  if (textOf(value) === textOf(before)) return null;
  const fault = faultOf(value, field);
  return fault === null ? { field, before, text, value, fault } : refused(fault);
}

function faultOf(value: unknown, { type, required, enum: choices }: Field): CellFault | null {
  if (value === null || value === '') return required ? 'required' : null;
  if (type === 'integer') return Number.isInteger(value) || isWhole(value) ? null : 'figure';
  if (type === 'number' || type === 'decimal') return Number.isFinite(Number(value)) ? null : 'figure';
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'choice';
  return choices === undefined || choices.includes(textOf(value)) ? null : 'choice';
}

/** One that a number would not hold whole stays a text. */
const isWhole = (value: unknown): boolean => typeof value === 'string' && /^\s*-?\d+\s*$/.test(value);
