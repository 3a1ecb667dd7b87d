/** Fills fields that a create leaves out and that have `default_from` (docs/contract/data-definitions.md §1.10). */
import type { DefaultSource } from '#config/definitions/default-from.ts';
import { FIELD_TYPES, type FieldType } from '#config/values/field-types.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Input } from '#actors/kit/field-check.ts';
import type { EntityModel } from './model.ts';
import type { Session } from './session.ts';

/** The input with the defaults that come from the caller and the time. A value that is given stays, null too. */
export function withDefaultsFrom(session: Session, model: EntityModel, input: Input): Input {
  let filled: Record<string, unknown> | null = null;
  for (const { name, from, type } of model.filled) {
    const value = Object.hasOwn(input, name) ? null : valueOf(session, from, type);
    if (value !== null) (filled ??= { ...input })[name] = value;
  }
  return filled ?? input;
}

/** Null where the caller has none: an anonymous one has no subject. */
function valueOf({ principal, clock }: Session, from: DefaultSource, type: FieldType): string | null {
  if (from === 'now') {
    return FIELD_TYPES[type].ofInstant!(timestamp(clock.now()));
  }
  const value = from === 'principal.subject' ? principal.subject : principal.tenant;
  return value === null || value === '' ? null : value;
}
