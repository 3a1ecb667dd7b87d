/** Which constraints a field of a type may carry, and whether they make sense together. Shared by entities and forms. */
import { RE2JS } from 're2js';

export interface Constrained {
  readonly type: string;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  readonly pattern?: string | undefined;
  readonly enum?: readonly string[] | undefined;
}

export interface Fault {
  /** The key at fault; it may be a missing one. */
  readonly key: string;
  readonly message: string;
  readonly mend: string;
}

/** By constraint, the types that may carry it. */
export type Allowed = Readonly<Record<string, readonly string[]>>;

/** Every fault of a field's constraints. */
export function constraintFaults(field: Constrained, allowed: Allowed): Fault[] {
  return [
    ...misplaced(field, allowed),
    ...crossed(field.min, field.max, 'min', 'max'),
    ...crossed(field.min_length, field.max_length, 'min_length', 'max_length'),
    ...enumFaults(field),
    ...patternFaults(field.pattern),
  ];
}

function misplaced(field: Constrained, allowed: Allowed): Fault[] {
  const faults: Fault[] = [];
  for (const [key, types] of Object.entries(allowed)) {
    if ((field as unknown as Record<string, unknown>)[key] === undefined || types.includes(field.type)) continue;
    const mend = `remove it, or change the type: ${key} goes with ${types.join(', ')}`;
    faults.push({ key, message: `${key} does not apply to type ${field.type}`, mend });
  }
  return faults;
}

function crossed(low: number | undefined, high: number | undefined, lowKey: string, highKey: string): Fault[] {
  if (low === undefined || high === undefined || low <= high) return [];
  return [{ key: lowKey, message: `${lowKey} ${low} is above ${highKey} ${high}`, mend: 'swap them' }];
}

function enumFaults(field: Constrained): Fault[] {
  if (field.type !== 'enum') return [];
  if (field.enum === undefined)
    return [{ key: 'enum', message: 'an enum field needs its values', mend: 'add `enum: [first, second]`' }];
  const twice = field.enum.find((value, at) => field.enum!.indexOf(value) !== at);
  return twice === undefined
    ? []
    : [{ key: 'enum', message: `the value "${twice}" is listed twice`, mend: 'remove one' }];
}

function patternFaults(pattern: string | undefined): Fault[] {
  if (pattern === undefined) return [];
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (error) {
    const message = `pattern is no RE2 expression: ${(error as Error).message}`;
    const mend = 'mend it; look-around and back references have no linear form and are not taken';
    return [{ key: 'pattern', message, mend }];
  }
}
