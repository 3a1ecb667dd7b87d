/** A default is judged as a value of its field is: by the row of its type and by the field's constraints. */
import { RE2JS } from 're2js';
import { constraintsOf, takesNull } from '#config/values/constraint.ts';
import { FORMATS } from '#config/values/field-format.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { FieldDefinition } from './product.ts';

/** What is wrong with the default, in words that begin with "must"; null when it is right. */
export function defaultFault(field: FieldDefinition): string | null {
  const value = field.default;
  if (value === undefined) return null;
  if (value === null) return takesNull(field) ? null : 'must be a value: the field takes no null';
  const { of, expected, takesDefault } = FIELD_TYPES[field.type];
  if (!takesDefault) return `must be left out: a ${field.type} has no default`;
  if (hasHalves(value))
    return `must be ${expected}, without half of a surrogate pair: no caller could send it, and not all can read it`;
  const stored = of(value);
  if (stored === undefined) return `must be ${expected}`;
  if (field.type === 'enum' && field.enum === undefined) return null; // that is the fault, and it is reported
  const broken = constraintsOf(field, field.type, matcherOf, formatOf).find(({ holds }) => !holds(stored as never));
  return broken?.message ?? null;
}

/** A bad pattern is a fault of its own, reported elsewhere. */
function matcherOf(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matcher(text).find();
  } catch {
    return () => true;
  }
}

/** An unknown format is a fault of its own, too. */
function formatOf(format: string): (text: string) => boolean {
  return FORMATS.get(format) ?? (() => true);
}

/** YAML can write what strict JSON refuses in a request. */
function hasHalves(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => !key.isWellFormed() || hasHalves(member));
}
