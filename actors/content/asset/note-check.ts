/** Checks the fields of assets in files by the entity's declaration, as rows are checked. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { compileField, faultsByField, RowCheck, type FieldFault } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import { end } from '../refused.ts';
import type { Row } from '../rows.ts';

export interface NoteCheck {
  /** All fields of a new asset. 422 with every fault. */
  complete(given: Row): Row;
  /** The given fields. 422 with every fault. */
  partial(given: Row): Row;
}

export function noteCheck(fields: Readonly<Record<string, FieldDefinition>>, where: string): NoteCheck {
  const check = new RowCheck(
    Object.entries(fields).map(([name, field]) =>
      compileField(name, field, field.type === 'ref' ? 'ulid' : field.type, where),
    ),
  );
  const checked = (given: Row, whole: boolean): Row => {
    const faults: FieldFault[] = check
      .strangers(given)
      .slice(0, limits.data.unknownFieldsMax)
      .map((name) => ({ field: shown(name), code: 'unknown', message: 'is not a field' }));
    const values = whole ? check.complete(given, faults) : check.partial(given, faults);
    if (faults.length > 0) return invalid(faults);
    const entries = check.fields.map(({ name }, at) => [name, shownValue(values[at])] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };
  return { complete: (given) => checked(given, true), partial: (given) => checked(given, false) };
}

/** Integers beyond 2^53 are texts in JSON. */
const shownValue = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

function invalid(faults: readonly FieldFault[]): never {
  const { field, message } = faults[0]!;
  const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
  return end('content.invalid', {
    message: `${field} ${message}${more}`,
    details: { fields: faultsByField(faults) },
  });
}
