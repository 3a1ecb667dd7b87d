/**
 * A submission that becomes a row: a script of one line, so that it runs, fails and is repeated as one (docs/contract/triggers.md §7.1).
 * Form fields are the operator's and unknown here: one that the form does not have gives no value.
 */
import { suggestion } from '#config/values/suggest.ts';
import { runAsFault } from './run-as.ts';
import type { TriggerFile } from './trigger-file.ts';
import type { ScriptTarget } from './trigger-shapes.ts';
import type { TargetPlace } from './trigger-place.ts';

type Raw = NonNullable<TriggerFile['row']>;

/** The target; null where it has a problem, which was said. */
export function rowTargetOf(raw: Raw, place: TargetPlace): ScriptTarget | null {
  const { role, entity, fields, values = {} } = raw;
  const { say, roles, tree } = place;
  const fault = roles === null ? null : runAsFault(role, roles);
  if (fault !== null) say(['row', 'role'], fault.message, fault.mend);
  judgeEntity(raw, place);
  for (const field of Object.keys(values))
    if (Object.hasOwn(fields, field)) say(['row', 'values', field], `fields gives ${field} a value, too`, 'remove one');
  if (Object.keys(fields).length === 0) say(['row', 'fields'], 'nothing of the submission is kept', 'name a field');
  const source = sourceOf(entity, fields, values);
  return { kind: 'script', role, source, sourceAt: tree.placeOf(['row'], 'value'), row: { entity, fields } };
}

/** An entity with problems of its own causes no second one here. */
function judgeEntity({ entity, fields, values = {} }: Raw, { entities, names, say }: TargetPlace): void {
  if (!names.includes(entity)) say(['row', 'entity'], `there is no entity "${entity}"`, suggestion(entity, names));
  const found = entities.find((one) => one.name === entity);
  if (found === undefined) return;
  const known = Object.keys(found.fields);
  for (const [key, given] of [
    ['fields', fields],
    ['values', values],
  ] as const)
    for (const field of Object.keys(given))
      if (!known.includes(field))
        say(['row', key, field], `${entity} has no field "${field}"`, suggestion(field, known));
}

/** Names of form fields may be those of members that every object has: `hasOwn` finds only what was submitted. */
function sourceOf(entity: string, fields: Raw['fields'], values: NonNullable<Raw['values']>): string {
  return [
    'const given = { ...request.data.fields, $id: request.id, $received_at: request.data.received_at };',
    `const row = ${JSON.stringify(values)};`,
    `for (const [to, from] of ${JSON.stringify(Object.entries(fields))})`,
    '  if (Object.hasOwn(given, from)) row[to] = given[from];',
    `db.create(${JSON.stringify(entity)}, row);`,
    'return null;',
  ].join('\n');
}
