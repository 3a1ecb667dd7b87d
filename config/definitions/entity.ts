/** The entity document: `entities: {<name>: {fields, traits, unique, index, access, row_rule, retention, person}}`. Source: docs/contract/data-definitions.md §1.1. */
import * as z from 'zod';
import { check, whereOf } from '../check.ts';
import { DEFAULT_SOURCES } from './default-from.ts';
import { MASKS } from './mask.ts';
import type { Path, Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { mapOf } from '../tree.ts';
import type { Tree } from '../tree.ts';
import { FORMAT_NAMES } from '#config/values/field-format.ts';
import { FIELD_TYPE_NAMES } from '#config/values/field-types.ts';
import { entityProblems } from './entity-rules.ts';
import type { AccessOperation, EntityDefinition, FieldDefinition, RuleDefinition } from './product.ts';
import { materialize, materializedField } from './materialize.ts';
import { retention, retentionOf } from './retention.ts';
import { person, personOf } from './person.ts';
import { name } from './source.ts';

const OPERATIONS = [
  'create',
  'read',
  'update',
  'delete',
  'purge',
  'restore',
  'unmask',
] as const satisfies readonly AccessOperation[];

const bound = z.number().meta({ description: 'a number', example: '0' }).optional();
const length = kit.whole(0, 1_000_000_000).optional();
const referenceAction = kit.oneOf(['cascade', 'setnull', 'restrict', 'noaction']).optional();
const yesNo = kit.yesNo().optional();

const field = kit.entry({
  type: kit.oneOf(FIELD_TYPE_NAMES),
  required: yesNo,
  nullable: yesNo,
  default: z.unknown().optional(),
  default_from: kit.oneOf(DEFAULT_SOURCES).optional(),
  unique: yesNo,
  index: yesNo,
  min: bound,
  max: bound,
  min_length: length,
  max_length: length,
  pattern: kit.text('an RE2 expression', "'^[A-Z]+$'").optional(),
  format: kit.oneOf(FORMAT_NAMES).optional(),
  compliance: kit.text('a kind of compliance', 'pii').optional(),
  mask: kit.oneOf(MASKS).optional(),
  enum: z
    .array(z.string().meta({ description: 'a text (quote numbers)', example: "'1'" }))
    .min(1)
    .meta({ description: 'a list of at least one value', example: '[open, closed]' })
    .optional(),
  ref: kit.entry({ entity: name, on_delete: referenceAction, on_update: referenceAction }).optional(),
  localized: yesNo,
  materialize: materialize.optional(),
});

const rule = kit.entry({ language: kit.oneOf(['cel']), rule: kit.text('a CEL expression', "'true'") });

const columns = z
  .array(z.union([z.string(), z.array(z.string()).min(1)]))
  .meta({ description: 'a list of fields, or of lists of fields', example: '[[country_id, name]]' })
  .optional();

const entity = kit.entry({
  fields: z.record(name, field).meta({ description: 'a map of fields', example: '{ title: { type: string } }' }),
  traits: kit.list(kit.oneOf(['soft_delete', 'versioned', 'timestamps']), 'traits').optional(),
  unique: columns,
  index: columns,
  access: kit.section(
    Object.fromEntries(OPERATIONS.map((key) => [key, rule.optional()])) as Record<
      AccessOperation,
      z.ZodOptional<typeof rule>
    >,
  ),
  row_rule: rule.optional(),
  retention: retention.optional(),
  person: person.optional(),
});

const document = kit.entry({
  entities: z.record(name, entity).meta({ description: 'a map of entities', example: '{ city: { fields: {} } }' }),
});

type Raw = z.output<typeof entity>;

export interface Entities {
  readonly entities: readonly EntityDefinition[];
  readonly problems: readonly Problem[];
}

/** The entities of one file. With problems, the entities that could still be read, so that references to them are known. */
export function readEntities(tree: Tree): Entities {
  const checked = check(document, tree);
  if ('problems' in checked) return { entities: [], problems: checked.problems };
  const problems: Problem[] = [];
  const entities = Object.entries(checked.value.entities).map(([key, raw]) => {
    const definition = definitionOf(key, raw, tree);
    problems.push(...entityProblems(definition, tree, ['entities', key]));
    return definition;
  });
  return { entities, problems };
}

/** The names that a file declares, even where its entities are faulty. */
export function declaredNames(tree: Tree): string[] {
  const found = tree.get(['entities']);
  return typeof found === 'object' && found !== null ? Object.keys(found) : [];
}

function definitionOf(key: string, raw: Raw, tree: Tree): EntityDefinition {
  const at: Path = ['entities', key];
  const access = Object.entries(raw.access).flatMap(([operation, written]) =>
    written === undefined ? [] : [[operation, ruleOf(written, tree, [...at, 'access', operation])]],
  );
  const base = {
    name: key,
    fields: withKey(mapOf(Object.entries(raw.fields).map(([own, written]) => [own, materializedField(written)]))),
    traits: raw.traits ?? [],
    unique: columnsOf(raw.unique),
    index: columnsOf(raw.index),
    access: Object.fromEntries(access) as EntityDefinition['access'],
    where: whereOf(tree, at),
    ...(raw.retention !== undefined && { retention: retentionOf(raw.retention) }),
    ...(raw.person !== undefined && { person: personOf(raw.person) }),
  };
  if (raw.row_rule === undefined) return base;
  return { ...base, row_rule: ruleOf(raw.row_rule, tree, [...at, 'row_rule']) };
}

/** The key field comes first; it is a ULID unless declared. */
function withKey(fields: Record<string, FieldDefinition>): Record<string, FieldDefinition> {
  const { id, ...others } = fields;
  return mapOf(Object.entries({ id: id ?? ({ type: 'ulid' } as const), ...others }));
}

function ruleOf(written: { language: 'cel'; rule: string }, tree: Tree, path: Path): RuleDefinition {
  return { ...written, where: whereOf(tree, [...path, 'rule']) };
}

function columnsOf(written: readonly (string | string[])[] | undefined): string[][] {
  return (written ?? []).map((entry) => (typeof entry === 'string' ? [entry] : entry));
}
