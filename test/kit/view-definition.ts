/** Views as the loader makes them. */
import type { EntityDefinition } from '#config/definitions/product.ts';
import type { FieldType } from '#config/values/field-types.ts';
import { entityOf } from './data-call.ts';

interface ViewOptions {
  /** CEL; null for no rule. */
  readonly read?: string | null;
  readonly rowRule?: string;
}

export function viewOf(
  name: string,
  columns: Readonly<Record<string, FieldType>>,
  text: string,
  { read = 'true', rowRule }: ViewOptions = {},
): EntityDefinition {
  const fields = Object.fromEntries(Object.entries(columns).map(([column, type]) => [column, { type }]));
  const base = entityOf(name, fields, {
    access: read === null ? {} : { read },
    ...(rowRule !== undefined && { rowRule }),
  });
  return { ...base, view: { text, file: `views/${name}.yaml`, line: 3, column: 3 } };
}
