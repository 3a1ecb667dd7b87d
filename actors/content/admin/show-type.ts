/** GET /content/-/apps/{app}/{type}: what a form needs to ask for a document of the type. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import { takesNull } from '#config/values/constraint.ts';
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { knownParameters } from '../page.ts';
import { appOf, partOf, typeOf } from '../part.ts';
import { declaredFields } from './declared-fields.ts';
import { edits, isAdministrator, refuseOthers } from './editor.ts';
import type { AdminRows } from './routes.ts';
import type { ShownField } from './shapes.ts';

/** The parts of a field's definition that a caller needs to fill it in. */
const SHOWN = [
  'ref',
  'default',
  'default_from',
  'min',
  'max',
  'min_length',
  'max_length',
  'pattern',
  'format',
  'enum',
] as const;

export function showType(call: Call): Outcome<AdminRows['type_read']> {
  knownParameters(call, []);
  if (!isAdministrator(call) && !edits(call, partOf(call.activation).apps.get(call.param('app')))) refuseOthers();
  const app = appOf(call);
  const { name, entity, localized } = typeOf(app, call.param('type'));
  const fields = declaredFields(call.activation.product, entity).map(([field, definition]) =>
    shownField(field, definition, app.definition.locale !== null && localized.includes(field)),
  );
  return reply(200, { app: app.name, name, entity, fields });
}

function shownField(name: string, field: FieldDefinition, localized: boolean): ShownField {
  const { type, required = false, materialize } = field;
  const parts = SHOWN.flatMap((part) => (field[part] === undefined ? [] : [[part, field[part]]]));
  return {
    name,
    type,
    required,
    nullable: takesNull(field),
    read_only: materialize !== undefined,
    localized,
    ...Object.fromEntries(parts),
  };
}
