/**
 * Fields that the service computes: `materialize: {from: <entity>.<ref>, value: count|sum|min|max|cel, of}`. Source:
 * docs/contract/data-definitions.md §1.7. `count`, `sum` and `cel` (the sum of what an expression over `row` gives for each row) begin at 0, the others at null.
 */
import * as z from 'zod';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { takesNull } from '#config/values/constraint.ts';
import { FIELD_TYPES, typesWhere } from '#config/values/field-types.ts';
import type { EntityDefinition, FieldDefinition, MaterializeDefinition } from './product.ts';

const FROM = /^([a-z][a-z0-9_]{0,62})\.([a-z][a-z0-9_]{0,62})$/;

export const materialize = kit.entry({
  from: kit
    .pattern(FROM, 'an entity and its field that refers here, as <entity>.<field>', 'order.customer_id')
    .meta({ about: 'the rows that are counted or added up' }),
  value: kit.oneOf(['count', 'sum', 'min', 'max', 'cel']).meta({ about: 'what is made of them' }),
  of: z
    .string()
    .min(1)
    .max(limits.materialize.expressionCharsMax)
    .meta({ description: 'a field of that entity, or a CEL expression over its row', example: 'total' })
    .optional()
    .meta({ about: 'of which field, or which expression; a count has none' }),
});

type Written = Omit<FieldDefinition, 'materialize'> & {
  readonly materialize?: z.output<typeof materialize> | undefined;
};

const FROM_ZERO: ReadonlySet<string> = new Set(['count', 'sum', 'cel']);

/** A field as written, and its initial value. */
export function materializedField({ materialize: written, ...field }: Written): FieldDefinition {
  if (written === undefined) return field;
  const [, entity, ref] = FROM.exec(written.from)!;
  const definition = { entity: entity!, ref: ref!, value: written.value, of: written.of ?? null };
  const start = FROM_ZERO.has(written.value) && field.default === undefined ? { default: zeroOf(field) } : {};
  return { ...field, ...start, materialize: definition };
}

const zeroOf = ({ type }: FieldDefinition): unknown => FIELD_TYPES[type].zero ?? 0;

/** By value, the types of fields that can hold it. */
const HOLDS: Readonly<Record<string, readonly string[]>> = {
  count: typesWhere(({ order }) => order === 'integer'),
  sum: typesWhere(({ zero }) => zero !== null),
  cel: typesWhere(({ zero }) => zero === 0),
};
const REFUSED = ['required', 'unique', 'min', 'max', 'pattern', 'format', 'min_length', 'max_length'] as const;

type Say = (path: Path, message: string, mend: string) => void;

/** Every fault of the materialized fields of an entity. `all`: the entities that could be read. */
export function materializeProblems(entity: EntityDefinition, tree: Tree, all: readonly EntityDefinition[]): Problem[] {
  const problems: Problem[] = [];
  for (const [name, field] of Object.entries(entity.fields)) {
    if (field.materialize === undefined) continue;
    const at: Path = ['entities', entity.name, 'fields', name];
    const say: Say = (path, message, mend) => {
      const full = [...at, ...path];
      problems.push(problemAt(tree.placeOf(full, 'value'), full, message, mend));
    };
    if (name === 'id') say(['materialize'], 'a key cannot be materialized', 'choose another field');
    for (const key of REFUSED)
      if (field[key] !== undefined)
        say([key], `a materialized field takes no ${key}: the service computes it`, `remove ${key}`);
    checkSource(entity, field, field.materialize, all, say);
    if (dependsOnItself(entity.name, name, all))
      say(['materialize'], `${name} would depend on itself`, 'compute it from a field that does not depend on it');
  }
  return problems;
}

function checkSource(
  entity: EntityDefinition,
  field: FieldDefinition,
  { entity: from, ref, value, of }: MaterializeDefinition,
  all: readonly EntityDefinition[],
  say: Say,
): void {
  const source = all.find((other) => other.name === from);
  if (source === undefined) {
    const names = all.map((other) => other.name);
    return say(['materialize', 'from'], `there is no entity "${from}"`, suggestion(from, names));
  }
  const refers = Object.keys(source.fields).filter((name) => source.fields[name]!.ref?.entity === entity.name);
  if (!refers.includes(ref)) {
    const mend = refers.length === 0 ? `add a ref field to ${from}` : suggestion(ref, refers);
    return say(['materialize', 'from'], `${from} has no field "${ref}" that refers to ${entity.name}`, mend);
  }
  const holds = HOLDS[value];
  if (holds !== undefined && !holds.includes(field.type))
    say(['type'], `a field of type ${field.type} cannot hold a ${value}`, `choose ${holds.join(', ')}`);
  if (value === 'count') {
    if (of !== null) say(['materialize', 'of'], 'a count is of rows, not of a field', 'remove `of`');
  } else if (of === null) say(['materialize', 'of'], `${value} needs to know of what`, 'add `of: …`');
  else if (value !== 'cel') checkOf(field, source, value, of, say);
}

function checkOf(field: FieldDefinition, source: EntityDefinition, value: string, of: string, say: Say): void {
  const taken = Object.hasOwn(source.fields, of) ? source.fields[of]! : undefined;
  if (taken === undefined)
    return say(
      ['materialize', 'of'],
      `${source.name} has no field "${of}"`,
      suggestion(of, Object.keys(source.fields)),
    );
  if (value === 'sum') {
    const ranks = HOLDS['sum']!;
    if (!ranks.includes(taken.type)) say(['materialize', 'of'], `${of} is no number`, 'choose a number, or cel');
    else if (taken.type !== field.type && FIELD_TYPES[taken.type].order !== 'integer')
      say(['type'], `the sum of ${of} is a ${taken.type}`, `make the field a ${taken.type}`);
    return;
  }
  if (!FIELD_TYPES[taken.type].hasExtremes || taken.type !== field.type)
    say(
      ['type'],
      `the ${value} of ${of} is a ${taken.type}`,
      `make the field a ${taken.type}, of a type with an order`,
    );
  if (!takesNull(field)) say(['nullable'], `the ${value} of no rows is null`, 'remove `nullable: false`');
}

/** Whether a field's value depends on itself through other materialized fields. An expression may read every field of its row. */
function dependsOnItself(entity: string, field: string, all: readonly EntityDefinition[]): boolean {
  const start = `${entity}.${field}`;
  const met = new Set<string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of readBy(at, all)) {
      if (next === start) return true;
      if (!met.has(next)) open.push(next);
      met.add(next);
    }
  }
  return false;
}

function readBy(place: string, all: readonly EntityDefinition[]): string[] {
  const [entity, field] = place.split('.') as [string, string];
  const definition = all.find(({ name }) => name === entity)?.fields[field]?.materialize;
  const source = all.find(({ name }) => name === definition?.entity);
  if (definition === undefined || source === undefined) return [];
  const computed = Object.keys(source.fields).filter((name) => source.fields[name]!.materialize !== undefined);
  const read = definition.value === 'cel' ? computed : computed.filter((name) => name === definition.of);
  return read.map((name) => `${source.name}.${name}`);
}
