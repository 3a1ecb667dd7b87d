/** What a field's declaration asks of its values beyond their type: of those that callers send, and of its default. */
import type { FieldType } from './field-types.ts';

export type ConstraintCode = 'enum' | 'min' | 'max' | 'min_length' | 'max_length' | 'pattern' | 'format';

type TextTest = (text: string) => boolean;

export interface Constrained {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly enum?: readonly string[] | undefined;
}

export interface Constraint {
  readonly code: ConstraintCode;
  /** Begins with "must". */
  readonly message: string;
  /** Of a value that has the field's type. */
  readonly holds: (value: never) => boolean;
}

/** The constraints of a field. The caller compiles patterns and finds formats: requests pay for a match, the loader does not. */
export function constraintsOf(
  field: Constrained,
  type: FieldType,
  matcherOf: (pattern: string) => TextTest,
  formatOf: (format: string) => TextTest,
): Constraint[] {
  const out: Constraint[] = [];
  const add = (code: ConstraintCode, message: string, holds: Constraint['holds']): unknown =>
    out.push({ code, message, holds });
  const { min, max, min_length: shortest, max_length: longest, pattern, format } = field;
  if (type === 'enum') {
    const allowed = new Set(field.enum);
    add('enum', `must be one of ${[...allowed].join(', ')}`, (value: string) => allowed.has(value));
  }
  if (min !== undefined) add('min', `must be at least ${min}`, (value: unknown) => Number(value) >= min);
  if (max !== undefined) add('max', `must be at most ${max}`, (value: unknown) => Number(value) <= max);
  if (shortest !== undefined)
    add('min_length', `must have at least ${shortest} characters`, (value: string) => isLonger(value, shortest - 1));
  if (longest !== undefined)
    add('max_length', `must have at most ${longest} characters`, (value: string) => !isLonger(value, longest));
  if (pattern !== undefined) add('pattern', `must match ${pattern}`, matcherOf(pattern));
  if (format !== undefined) add('format', `must be a valid ${format}`, formatOf(format));
  return out;
}

/** A field may be null unless it says otherwise; a required one only when it says so. */
export function takesNull(field: { readonly nullable?: boolean; readonly required?: boolean }): boolean {
  return field.nullable ?? field.required !== true;
}

/** Counts characters, not UTF-16 units; only texts near the bound are walked. */
function isLonger(text: string, bound: number): boolean {
  if (text.length <= bound) return false;
  if (text.length > 2 * bound) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > bound;
}
