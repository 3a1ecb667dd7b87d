/** Rules of an entity that involve several keys: reserved names, constraints of the wrong type, indexes on unknown columns. */
import { problemAt, type Path, type Problem } from '../problem.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { constraintFaults, type Allowed } from './constraint.ts';
import { takesNull } from '#config/values/constraint.ts';
import { typesWhere, typesWith } from '#config/values/field-types.ts';
import { TYPED_KEYS } from '#config/values/type-row.ts';
import { defaultFromFault } from './default-from.ts';
import { defaultFault } from './default-value.ts';
import { fieldRolesFaults } from './field-roles.ts';
import type { EntityDefinition, FieldDefinition, Trait } from './product.ts';

const KEY_TYPES = typesWhere(({ canBeKey }) => canBeKey);
const INDEXABLE = typesWith('index');
const ALLOWED: Allowed = Object.fromEntries(TYPED_KEYS.map((key) => [key, typesWith(key)]));

/** Columns that the service maintains, by the trait that adds them. */
const MARKERS: ReadonlyMap<string, Trait | null> = new Map([
  ['version', null],
  ['created_at', 'timestamps'],
  ['updated_at', 'timestamps'],
  ['deleted_at', 'soft_delete'],
  ['deleted_by', 'soft_delete'],
]);
/** Names that every JavaScript object already has. */
export const OBJECT_NAMES: ReadonlySet<string> = new Set(['constructor', 'prototype']);
/** Entities of the platform (docs/contract/identity.md §2.4). */
export const RESERVED_ENTITIES: ReadonlySet<string> = new Set(['api_key']);

type Say = (path: Path, message: string, mend: string, part?: 'key' | 'value') => void;

/** Every fault of one entity except in its references to others. */
export function entityProblems(entity: EntityDefinition, tree: Tree, at: Path): Problem[] {
  const problems: Problem[] = [];
  const say: Say = (path, message, mend, part = 'value') => {
    const full = [...at, ...path];
    problems.push(problemAt(tree.placeOf(full, part), full, message, mend));
  };
  if (RESERVED_ENTITIES.has(entity.name))
    say([], `"${entity.name}" is an entity of the platform`, 'choose another name', 'key');
  for (const [name, field] of Object.entries(entity.fields)) checkField(name, field, entity, say);
  for (const name of Object.keys(entity.computed ?? {})) checkName(name, say);
  checkKey(entity.fields.id!, say);
  for (const { field, message, mend } of fieldRolesFaults(entity))
    say(['fields', field, 'roles'], message, mend, 'key');
  checkTraits(entity.traits, say);
  checkColumns(entity, say);
  return problems;
}

function checkField(name: string, field: FieldDefinition, entity: EntityDefinition, say: Say): void {
  const at = ['fields', name];
  checkName(name, say);
  for (const fault of constraintFaults(field, ALLOWED)) say([...at, fault.key], fault.message, fault.mend);
  if (field.type === 'ref') checkReference(name, field, entity, say);
  const fault = defaultFault(field);
  if (fault !== null) say([...at, 'default'], `the default ${fault}`, 'change the default or the field');
  const from = defaultFromFault(field);
  if (from !== null) say([...at, 'default_from'], from.message, from.mend);
}

function checkName(name: string, say: Say): void {
  const trait = MARKERS.get(name);
  if (trait !== undefined || OBJECT_NAMES.has(name))
    say(['fields', name], `"${name}" is a reserved name`, reservedMend(trait ?? null), 'key');
}

function reservedMend(trait: Trait | null): string {
  return trait === null ? 'choose another name' : `add the trait ${trait}, which keeps it, or choose another name`;
}

function checkReference(name: string, field: FieldDefinition, entity: EntityDefinition, say: Say): void {
  const at = ['fields', name];
  if (field.ref === undefined)
    return say(
      [...at, 'ref'],
      'a ref field needs its target',
      'add `ref: { entity: <name>, on_delete: restrict }`',
      'key',
    );
  for (const key of ['on_delete', 'on_update'] as const) {
    if (field.ref[key] === 'setnull' && !takesNull(field))
      say(
        [...at, 'ref', key],
        `${key}: setnull needs a field that may be null`,
        'add `nullable: true`, or choose restrict',
      );
  }
  const relation = name.replace(/_id$/, '');
  if (relation !== name && (Object.hasOwn(entity.fields, relation) || Object.hasOwn(entity.computed ?? {}, relation)))
    say(at, `its relation "${relation}" has the name of a field`, `rename the field ${relation} or ${name}`, 'key');
}

function checkKey(id: FieldDefinition, say: Say): void {
  const at = ['fields', 'id'];
  if (!KEY_TYPES.includes(id.type))
    say([...at, 'type'], `the key cannot be of type ${id.type}`, `choose one of ${KEY_TYPES.join(', ')}`);
  for (const key of ['default', 'default_from', 'unique', 'index'] as const) {
    if (id[key] !== undefined) say([...at, key], `the key takes no ${key}`, 'remove it: a key is unique by itself');
  }
  if (id.nullable === true) say([...at, 'nullable'], 'the key cannot be null', 'remove it');
}

function checkTraits(traits: readonly Trait[], say: Say): void {
  for (const [at, trait] of traits.entries()) {
    if (traits.indexOf(trait) !== at) say(['traits', at], `the trait ${trait} is listed twice`, 'remove one');
  }
}

/** Reports unknown columns, columns that cannot be indexed, and lists that repeat another list. */
function checkColumns(entity: EntityDefinition, say: Say): void {
  const seen = new Map<string, string>([['id', 'the key']]);
  for (const [name, field] of Object.entries(entity.fields)) {
    if (field.unique === true && field.index === true)
      say(['fields', name, 'index'], 'a unique field is indexed already', 'remove `index`');
    if (field.unique === true || field.index === true) seen.set(name, `the field ${name}`);
  }
  for (const kind of ['unique', 'index'] as const) {
    for (const [at, columns] of entity[kind].entries()) {
      checkNames(columns, entity, (message, mend) => say([kind, at], message, mend));
      const list = columns.join(', ');
      const other = seen.get(list);
      if (other !== undefined) say([kind, at], `[${list}] is indexed already, by ${other}`, 'remove one');
      seen.set(list, `${kind}[${at}]`);
    }
  }
}

function checkNames(
  columns: readonly string[],
  entity: EntityDefinition,
  say: (message: string, mend: string) => void,
): void {
  const markers = [...MARKERS.keys()].filter((name) => isShown(name, entity.traits));
  const known = [...Object.keys(entity.fields), ...markers];
  for (const [at, column] of columns.entries()) {
    const field = Object.hasOwn(entity.fields, column) ? entity.fields[column] : undefined;
    if (!known.includes(column)) say(`there is no field "${column}"`, suggestion(column, known));
    else if (columns.indexOf(column) !== at) say(`"${column}" stands twice in one list`, 'remove one');
    else if (field !== undefined && !INDEXABLE.includes(field.type))
      say(`a field of type ${field.type} cannot be indexed`, `remove "${column}"`);
  }
}

function isShown(name: string, traits: readonly Trait[]): boolean {
  return traits.includes(MARKERS.get(name) ?? 'versioned');
}
