/** The checks of an entity's fields over its stored schema. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { compileField, type FieldCheck } from '#actors/kit/field-check.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { KEY_FIELD, type DesiredField } from '../schema/desired.ts';
import type { StoredType } from '../schema/stored.ts';

interface Named {
  readonly name: string;
  readonly where: string;
}

/** A key that a caller chooses is text without control characters, short enough to leave room in index keys. */
export function isKeyText(id: unknown): boolean {
  if (typeof id !== 'string') return true;
  return id.length > 0 && Buffer.byteLength(id) <= limits.data.idBytesMax && !/[\x00-\x1f]/.test(id);
}

/** The check of a field; the check of its type alone where the definition does not compile. */
export function fieldCheckOr(field: DesiredField, definition: Named, faults: PartFault[] | null): FieldCheck {
  const part = `field ${field.name} of the entity ${definition.name}`;
  const check = attempt(part, definition.where, faults, () => fieldCheck(field, definition.where));
  return check ?? fieldCheck({ ...field, definition: bare(field.definition, field.type) }, definition.where);
}

function fieldCheck(field: DesiredField, where: string): FieldCheck {
  const compiled = compileField(field.name, field.definition, field.type, where);
  if (field.name !== KEY_FIELD || FIELD_TYPES[field.type].text === null) return compiled;
  return {
    ...compiled,
    check(value, faults) {
      const id = compiled.check(value, faults);
      const message = `must have 1 to ${limits.data.idBytesMax} bytes and no control characters`;
      if (typeof id === 'string' && !isKeyText(id)) faults.push({ field: KEY_FIELD, code: 'format', message });
      return id;
    },
  };
}

/** The definition of a field that is stored with another type than declared: the stored type, until a plan changes it. */
export function bare({ required, nullable, mask }: FieldDefinition, type: StoredType): FieldDefinition {
  const checked = type === 'enum' ? 'string' : type;
  return {
    type: checked,
    ...(required !== undefined && { required }),
    ...(nullable !== undefined && { nullable }),
    ...(mask !== undefined && { mask }),
  };
}
