/** Field definitions compiled to closures that list every fault of a row. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import { constraintsOf, takesNull, type ConstraintCode } from '#config/values/constraint.ts';
import { FORMATS } from '#config/values/field-format.ts';
import { FIELD_TYPES, type FieldType, type StoredType } from '#config/values/field-types.ts';
import type { TypeRow } from '#config/values/type-row.ts';
import { compilePattern } from './pattern.ts';
import { DefinitionError } from './rule.ts';

export type FaultCode =
  | 'required'
  | 'unknown'
  | 'null'
  | 'type'
  | ConstraintCode
  | 'read_only'
  | 'reference'
  | 'unique';

export interface FieldFault {
  readonly field: string;
  readonly code: FaultCode;
  readonly message: string;
}

type Check = (value: unknown, faults: FieldFault[]) => void;

export interface FieldCheck {
  readonly name: string;
  readonly type: TypeRow;
  readonly nullable: boolean;
  readonly required: boolean;
  /** The checked default, or undefined. */
  readonly default: unknown;
  /** The value as it is stored; its faults are added to `faults`. */
  check(value: unknown, faults: FieldFault[]): unknown;
}

/**
 * Compiles one field. `type` is what its values look like (a ref has its target's key type).
 * Throws DefinitionError naming `where` for a bad pattern, an unknown format, or a default that its own field refuses.
 */
export function compileField(name: string, field: FieldDefinition, type: StoredType, where: string): FieldCheck {
  const row = FIELD_TYPES[type];
  const { of, expected } = row;
  const nullable = takesNull(field);
  const constraints = compiledConstraints(name, field, type, where);
  const check = (value: unknown, faults: FieldFault[]): unknown => {
    if (value === null) {
      if (!nullable) faults.push({ field: name, code: 'null', message: 'may not be null' });
      return null;
    }
    const stored = of(value);
    if (stored === undefined) faults.push({ field: name, code: 'type', message: `must be ${expected}` });
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

/** Each adds its fault to those of a row. */
function compiledConstraints(name: string, field: FieldDefinition, type: FieldType, where: string): Check[] {
  const matcherOf = (pattern: string): ((text: string) => boolean) => patternOf(pattern, name, where);
  return constraintsOf(field, type, matcherOf, (format) => formatOf(format, name, where)).map(
    ({ code, message, holds }) =>
      (value, faults) => {
        if (!holds(value as never)) faults.push({ field: name, code, message });
      },
  );
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

  /** Keys of the input that name no field. */
  strangers(input: Input): string[] {
    return Object.keys(input).filter((key) => !this.#byName.has(key));
  }

  /** Values of a whole new row in field order: defaults filled in, null for what is not given. */
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
