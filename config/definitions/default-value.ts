/** Checks a default like any value of its field: by the row of its type and by the field's constraints. */
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
  if (field.type === 'enum' && field.enum === undefined) return null; // the missing `enum` is reported as a fault of its own
  const broken = constraintsOf(field, field.type, matcherOf, formatOf).find(({ holds }) => !holds(stored as never));
  return broken?.message ?? null;
}

/** The test of a pattern. A bad pattern passes all: it is reported as a fault of its own. */
function matcherOf(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matcher(text).find();
  } catch {
    return () => true;
  }
}

/** The test of a format. An unknown format passes all: it is reported as a fault of its own. */
function formatOf(format: string): (text: string) => boolean {
  return FORMATS.get(format) ?? (() => true);
}

/** Whether a value contains half of a surrogate pair: YAML allows it, the JSON of requests does not. */
function hasHalves(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => !key.isWellFormed() || hasHalves(member));
}
