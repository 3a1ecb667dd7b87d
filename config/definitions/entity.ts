/** The entity document: `entities: {<name>: {fields, links, traits, unique, index, access, row_rule, retention, person, search, changes}}`. Source: docs/contract/data-definitions.md §1.1. */
import * as z from 'zod';
import { check, whereOf } from '../check.ts';
import { DEFAULT_SOURCES } from './default-from.ts';
import { MASKS } from './mask.ts';
import { fieldRoles } from './field-roles.ts';
import { grantsSection } from './grants.ts';
import { computedFaults, splitComputed } from './computed.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { mapOf, type Tree } from '../tree.ts';
import { FORMAT_NAMES } from '#config/values/field-format.ts';
import { FIELD_TYPE_NAMES } from '#config/values/field-types.ts';
import { entityProblems } from './entity-rules.ts';
import { links, linksOf } from './link.ts';
import { OPERATIONS } from './operations.ts';
import type { AccessOperation, EntityDefinition, FieldDefinition, RuleDefinition } from './product.ts';
import { materialize, materializedField } from './materialize.ts';
import { retention, retentionOf } from './retention.ts';
import { person, personOf } from './person.ts';
import { rule } from './rule.ts';
import { search, searchOf } from './search.ts';
import { name } from './source.ts';

const bound = z.number().meta({ description: 'a number', example: '0' }).optional();
const length = kit.whole(0, 1_000_000_000).optional();
const referenceAction = kit.oneOf(['cascade', 'setnull', 'restrict', 'noaction']).optional();
const yesNo = kit.yesNo().optional();

const field = kit.entry({
  type: kit.oneOf(FIELD_TYPE_NAMES).meta({ about: 'what the field holds' }),
  required: yesNo.meta({ about: 'a create must give the field' }),
  nullable: yesNo.meta({ about: 'the field may be null; unless set, it may where it is not required' }),
  default: z
    .unknown()
    .optional()
    .meta({ about: 'the value where a create gives none, and of rows that are older than the field' }),
  default_from: kit
    .oneOf(DEFAULT_SOURCES)
    .optional()
    .meta({ about: 'where the value comes from where a create gives none: the caller, or the time of the create' }),
  unique: yesNo.meta({ about: 'no two rows have the same value; the field is indexed, too' }),
  index: yesNo.meta({ about: 'rows are found and ordered by this field without reading all of them' }),
  min: bound.meta({ about: 'the smallest value' }),
  max: bound.meta({ about: 'the largest value' }),
  min_length: length.meta({ about: 'the least number of characters' }),
  max_length: length.meta({ about: 'the largest number of characters' }),
  pattern: kit
    .text('an RE2 expression', "'^[A-Z]+$'")
    .optional()
    .meta({ about: 'what the text must contain; anchor it with ^ and $ to judge the whole' }),
  format: kit.oneOf(FORMAT_NAMES).optional().meta({ about: 'a known form that the text must have' }),
  compliance: kit
    .text('a kind of compliance', 'pii')
    .optional()
    .meta({ about: 'why the value needs care; pii, phi, pci and gdpr are removed where a row is anonymized' }),
  mask: kit.oneOf(MASKS).optional().meta({ about: 'what readers without the right to unmask see of the value' }),
  roles: fieldRoles.optional().meta({ about: 'which roles read the field and write it; all of them unless set' }),
  enum: z
    .array(z.string().meta({ description: 'a text (quote numbers)', example: "'1'" }))
    .min(1)
    .meta({ description: 'a list of at least one value', example: '[open, closed]' })
    .optional()
    .meta({ about: 'the values of a field of type enum' }),
  ref: kit
    .entry({
      entity: name.meta({ about: 'the entity of the row that the field names' }),
      on_delete: referenceAction.meta({ about: 'what happens to this row when that one is deleted' }),
      on_update: referenceAction.meta({ about: 'what happens to this row when the key of that one changes' }),
    })
    .optional()
    .meta({ about: 'the target of a field of type ref' }),
  localized: yesNo.meta({ about: 'in a content type: each locale has its own value' }),
  materialize: materialize.optional().meta({ about: 'the service computes the field from rows that refer here' }),
  computed: rule(
    'an expression over `row` that gives the value where a request names the field; nothing of it is stored or written',
  ).optional(),
});

const columns = z
  .array(z.union([z.string(), z.array(z.string()).min(1)]))
  .meta({ description: 'a list of fields, or of lists of fields', example: '[[country_id, name]]' })
  .optional();

const entity = kit.entry({
  fields: z
    .record(name, field)
    .meta({ description: 'a map of fields', example: '{ title: { type: string } }' })
    .meta({ about: 'the fields of its rows; the key `id` is a ulid unless it is declared' }),
  links: links.meta({ about: 'rows of other entities with which its rows are linked, any number with any number' }),
  traits: kit
    .list(kit.oneOf(['soft_delete', 'versioned', 'timestamps']), 'traits')
    .optional()
    .meta({ about: 'deleted rows can be restored; earlier versions are kept; created_at and updated_at are kept' }),
  unique: columns.meta({ about: 'fields whose values together are unique' }),
  index: columns.meta({ about: 'fields by which rows are found together, in this order' }),
  access: kit
    .section(
      Object.fromEntries(
        OPERATIONS.map((key) => [key, rule(`who may ${key}; without it, a superadmin alone`).optional()]),
      ) as Record<AccessOperation, z.ZodOptional<ReturnType<typeof rule>>>,
    )
    .meta({ about: 'who may do what: one rule for each operation' }),
  grants: grantsSection
    .optional()
    .meta({ about: 'what roles may do with its rows, in place of the grants of the product' }),
  row_rule: rule('which rows exist for a caller: asked for each row, read or written').optional(),
  retention: retention.optional().meta({ about: 'how long rows stay, and what becomes of them' }),
  person: person.optional().meta({ about: 'whose rows they are, and what an erasure of that person does' }),
  search: search.optional().meta({ about: 'fields whose words are found, by rank' }),
  changes: yesNo.meta({ about: 'subscribers are told of each change of its rows: /data/changes' }),
});

/** The form of the file. */
export const entityFile = kit.entry({
  entities: z
    .record(name, entity)
    .meta({ description: 'a map of entities', example: '{ city: { fields: {} } }' })
    .meta({ about: 'entities by their names' }),
});

type Raw = z.output<typeof entity>;

export interface Entities {
  readonly entities: readonly EntityDefinition[];
  readonly problems: readonly Problem[];
}

/** The entities of one file. With problems, the entities that could still be read, so that references to them are known. */
export function readEntities(tree: Tree): Entities {
  const checked = check(entityFile, tree);
  if ('problems' in checked) return { entities: [], problems: checked.problems };
  const problems: Problem[] = [];
  const entities = Object.entries(checked.value.entities).map(([key, raw]) => {
    const definition = definitionOf(key, raw, tree);
    problems.push(...entityProblems(definition, tree, ['entities', key]), ...computedProblems(key, raw, tree));
    return definition;
  });
  return { entities, problems };
}

function computedProblems(key: string, { fields }: Raw, tree: Tree): Problem[] {
  return computedFaults(fields).map(({ path: below, message, mend }) => {
    const path = ['entities', key, 'fields', ...below];
    return problemAt(tree.placeOf(path, 'key'), path, message, mend);
  });
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
  const { stored, computed } = splitComputed(raw.fields, (path) => whereOf(tree, [...at, 'fields', ...path]));
  const linked = linksOf(raw.links, tree, [...at, 'links']);
  const fields = stored.map(([own, written]) => [own, materializedField(written)] as const);
  const base = {
    name: key,
    fields: withKey(mapOf(fields)),
    traits: raw.traits ?? [],
    unique: columnsOf(raw.unique),
    index: columnsOf(raw.index),
    access: Object.fromEntries(access) as EntityDefinition['access'],
    where: whereOf(tree, at),
    ...(Object.keys(computed).length > 0 && { computed }),
    ...(linked !== undefined && { links: linked }),
    ...(raw.grants !== undefined && { grants: raw.grants }),
    ...(raw.retention !== undefined && { retention: retentionOf(raw.retention) }),
    ...(raw.person !== undefined && { person: personOf(raw.person) }),
    ...(raw.search !== undefined && { search: searchOf(raw.search) }),
    ...(raw.changes === true && { changes: true as const }),
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
