/** Field definitions compiled to closures that list every fault of a row. */
import type { FieldDefinition, FieldType } from '#config/definitions/product.ts';
import { FORMATS } from './field-format.ts';
import { FIELD_TYPES } from './field-type.ts';
import type { TypeRow } from './field-type.ts';
import { compilePattern } from './pattern.ts';
import { DefinitionError } from './rule.ts';

export type FaultCode =
  | 'required'
  | 'unknown'
  | 'null'
  | 'type'
  | 'enum'
  | 'min'
  | 'max'
  | 'min_length'
  | 'max_length'
  | 'pattern'
  | 'format'
  | 'read_only'
  | 'reference'
  | 'unique';

export interface FieldFault {
  readonly field: string;
  readonly code: FaultCode;
  readonly message: string;
}

type Constraint = (value: unknown, faults: FieldFault[]) => void;

export interface FieldCheck {
  readonly name: string;
  readonly type: TypeRow;
  readonly nullable: boolean;
  readonly required: boolean;
  /** The checked default, or undefined. */
  readonly default: unknown;
  /** The value as it is stored; what is wrong with it is added to `faults`. */
  check(value: unknown, faults: FieldFault[]): unknown;
}

/** A field may be null unless it says otherwise; a required one only when it says so. */
function isNullable(field: FieldDefinition): boolean {
  return field.nullable ?? field.required !== true;
}

/**
 * Compiles one field. `type` is what its values look like (a ref has its target's key type).
 * Throws DefinitionError naming `where` for a bad pattern, an unknown format, or a default that its own field refuses.
 */
export function compileField(
  name: string,
  field: FieldDefinition,
  type: Exclude<FieldType, 'ref'>,
  where: string,
): FieldCheck {
  const row = FIELD_TYPES[type];
  const nullable = isNullable(field);
  const constraints = constraintsOf(name, field, type, where);
  const check = (value: unknown, faults: FieldFault[]): unknown => {
    if (value === null) {
      if (!nullable) faults.push({ field: name, code: 'null', message: 'may not be null' });
      return null;
    }
    const stored = row.of(value);
    if (stored === undefined) faults.push({ field: name, code: 'type', message: `must be ${row.expected}` });
    else for (const constraint of constraints) constraint(stored, faults);
    return stored;
  };
  const defaulted = field.default === undefined ? undefined : defaultOf(name, field.default, check, where);
  return { name, type: row, nullable, required: field.required === true, default: defaulted, check };
}

function defaultOf(name: string, value: unknown, check: FieldCheck['check'], where: string): unknown {
  const faults: FieldFault[] = [];
  const stored = check(value, faults);
  if (faults.length > 0) throw new DefinitionError(where, `default of ${name} ${faults[0]!.message}`);
  return stored;
}

function constraintsOf(name: string, field: FieldDefinition, type: FieldType, where: string): Constraint[] {
  const out: Constraint[] = [];
  const refuseUnless = (code: FaultCode, message: string, holds: (value: never) => boolean): void => {
    out.push((value, faults) => {
      if (!holds(value as never)) faults.push({ field: name, code, message });
    });
  };
  const { min, max, min_length: shortest, max_length: longest, pattern, format } = field;
  if (type === 'enum') {
    const allowed = new Set(field.enum);
    refuseUnless('enum', `must be one of ${[...allowed].join(', ')}`, (value: string) => allowed.has(value));
  }
  if (min !== undefined) refuseUnless('min', `must be at least ${min}`, (value: unknown) => Number(value) >= min);
  if (max !== undefined) refuseUnless('max', `must be at most ${max}`, (value: unknown) => Number(value) <= max);
  if (shortest !== undefined)
    refuseUnless('min_length', `must have at least ${shortest} characters`, (v: string) => isLonger(v, shortest - 1));
  if (longest !== undefined)
    refuseUnless('max_length', `must have at most ${longest} characters`, (v: string) => !isLonger(v, longest));
  if (pattern !== undefined) refuseUnless('pattern', `must match ${pattern}`, patternOf(pattern, name, where));
  if (format !== undefined) refuseUnless('format', `must be a valid ${format}`, formatOf(format, name, where));
  return out;
}

/** Counts characters, not UTF-16 units; only texts near the bound are walked. */
function isLonger(text: string, bound: number): boolean {
  if (text.length <= bound) return false;
  if (text.length > 2 * bound) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > bound;
}

function patternOf(pattern: string, name: string, where: string): (text: string) => boolean {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw new DefinitionError(where, `pattern of ${name}: ${(error as Error).message}`);
  }
}

function formatOf(format: string, name: string, where: string): (text: string) => boolean {
  const known = FORMATS.get(format);
  if (known === undefined)
    throw new DefinitionError(
      where,
      `format of ${name}: there is no ${format}, only ${[...FORMATS.keys()].join(', ')}`,
    );
  return known;
}

export type Input = Readonly<Record<string, unknown>>;

/** All fields of an entity or a form, in their declared order. */
export class RowCheck {
  readonly fields: readonly FieldCheck[];
  readonly #byName: ReadonlyMap<string, FieldCheck>;

  constructor(fields: readonly FieldCheck[]) {
    this.fields = fields;
    this.#byName = new Map(fields.map((field) => [field.name, field]));
  }

  /** Keys of the input that are no field. */
  strangers(input: Input): string[] {
    return Object.keys(input).filter((key) => !this.#byName.has(key));
  }

  /** Values of a whole new row in field order: defaults filled in, null where nothing is given. */
  complete(input: Input, faults: FieldFault[]): unknown[] {
    return this.fields.map((field) => {
      if (Object.hasOwn(input, field.name)) return field.check(input[field.name], faults);
      if (field.default !== undefined) return field.default;
      if (field.required || !field.nullable)
        faults.push({ field: field.name, code: 'required', message: 'is required' });
      return null;
    });
  }

  /** Values of the fields that are given, undefined for the others. */
  partial(input: Input, faults: FieldFault[]): unknown[] {
    return this.fields.map((field) =>
      Object.hasOwn(input, field.name) ? field.check(input[field.name], faults) : undefined,
    );
  }
}

/** `{<field>: [reasons]}` for the details of a refusal. */
export function faultsByField(faults: readonly FieldFault[]): Record<string, string[]> {
  const out = new Map<string, string[]>();
  for (const { field, message } of faults) {
    const reasons = out.get(field);
    if (reasons === undefined) out.set(field, [message]);
    else reasons.push(message);
  }
  return Object.fromEntries(out);
}
