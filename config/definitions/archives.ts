/**
 * `archives.yaml`: where rows go after their active time, and the companion entities of native archives. Source: docs/contract/data-definitions.md
 * §1.9.
 */
import { existsSync } from 'node:fs';
import * as z from 'zod';
import { check } from '../check.ts';
import { problemAt, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { readYamlFile } from '../yaml-file.ts';
import { fileProblem, name } from './source.ts';
import { ARCHIVED_AT } from './retention.ts';
import type { ArchiveDefinition, EntityDefinition, FieldDefinition } from './product.ts';

const NAME_CHARS_MAX = 63;
/** Types that stand for the native archive by mistake. Any other type names a worker; no worker has one of these names, so rows would wait for ever. */
const MEANT_NATIVE: ReadonlySet<string> = new Set([
  'table',
  'entity',
  'companion',
  'database',
  'db',
  'local',
  'internal',
]);

const archive = kit.entry({
  name: name.meta({ about: 'the name that `retention.archive_to` uses' }),
  type: kit
    .pattern(/^[a-z][a-z0-9_-]{0,31}$/, 'native, or the type of an archive elsewhere', 'native')
    .meta({ about: 'native: an entity beside the first one; any other: a worker of yours takes the rows' }),
  suffix: kit
    .pattern(/^_[a-z0-9_]{1,30}$/, 'what the names of companion entities end in', '_archive')
    .optional()
    .meta({ about: 'of a native archive: how its entities are named; _archive unless set' }),
  settings: z
    .record(z.string(), z.unknown())
    .meta({ description: 'a map of settings', example: '{ bucket: cold }' })
    .optional()
    .meta({ about: 'what the worker needs to know; Skep hands it over and does not read it' }),
});

/** The form of the file. */
export const archivesFile = kit.entry({
  archives: kit.list(archive, 'archives').meta({ about: 'where rows go after their active time' }),
});

export interface Archives {
  readonly archives: readonly ArchiveDefinition[];
  readonly problems: readonly Problem[];
}

/** The archives of a product; an empty list without the file. */
export function readArchives(file: string): Archives {
  if (!existsSync(file)) return { archives: [], problems: [] };
  const { tree, problems } = readYamlFile(file);
  if (problems.length > 0) return { archives: [], problems };
  const checked = check(archivesFile, tree);
  if ('problems' in checked) return { archives: [], problems: checked.problems };
  const archives = checked.value.archives.map(({ suffix = '_archive', settings = {}, ...head }) => ({
    ...head,
    suffix,
    settings: JSON.parse(JSON.stringify(settings)) as Record<string, unknown>,
  }));
  const twice = archives.flatMap(({ name: own }, at) => {
    if (archives.findIndex((other) => other.name === own) === at) return [];
    const path = ['archives', at, 'name'];
    return [problemAt(tree.placeOf(path, 'value'), path, `the archive "${own}" is declared twice`, 'remove one')];
  });
  const doubtful = archives.flatMap(({ type }, at) => {
    if (!MEANT_NATIVE.has(type)) return [];
    const path = ['archives', at, 'type'];
    const message = `"${type}" is not a type of archive here: its rows would wait for a worker that does not exist`;
    return [
      problemAt(tree.placeOf(path, 'value'), path, message, 'write native for companion entities in the same store'),
    ];
  });
  return { archives, problems: [...twice, ...doubtful] };
}

/**
 * The entities, with a companion for each whose rows go to a native archive: the same fields in the same store, readable by the same rules, written
 * by retention and erasures of persons alone. A companion has no unique keys and no references: the rows that these involve may be deleted already.
 */
export function withCompanions(
  entities: readonly EntityDefinition[],
  archives: readonly ArchiveDefinition[],
): { readonly entities: readonly EntityDefinition[]; readonly problems: readonly Problem[] } {
  const all = new Map(entities.map((entity) => [entity.name, entity]));
  const problems: Problem[] = [];
  for (const entity of entities) {
    const to = archives.find(({ name: own }) => own === entity.retention?.archiveTo);
    if (to === undefined || to.type !== 'native') continue;
    const companion = companionOf(entity, to, (other) => all.get(other)?.fields.id?.type ?? 'ulid');
    if (all.has(companion.name) || companion.name.length > NAME_CHARS_MAX)
      problems.push(
        fileProblem(
          entity.where,
          `the archive of ${entity.name} cannot be named ${companion.name}`,
          'change the suffix',
        ),
      );
    else all.set(companion.name, companion);
  }
  return { entities: [...all.values()], problems };
}

function companionOf(
  entity: EntityDefinition,
  { suffix }: ArchiveDefinition,
  keyOf: (entity: string) => FieldDefinition['type'],
): EntityDefinition {
  const fields = Object.entries(entity.fields).map(([key, field]) => [key, companionField(key, field, keyOf)]);
  const { read } = entity.access;
  const { person } = entity;
  return {
    name: entity.name + suffix,
    fields: Object.fromEntries([...fields, [ARCHIVED_AT, { type: 'datetime' }]]) as EntityDefinition['fields'],
    traits: entity.traits.filter((trait) => trait !== 'versioned'),
    unique: [],
    index: person === undefined ? [] : [[person.field]],
    ...(person !== undefined && { person }),
    access: read === undefined ? {} : { read },
    ...(entity.row_rule !== undefined && { row_rule: entity.row_rule }),
    archiveOf: entity.name,
    where: entity.where,
  };
}

function companionField(
  key: string,
  { type, enum: values, mask, roles, compliance, ref }: FieldDefinition,
  keyOf: (entity: string) => FieldDefinition['type'],
): FieldDefinition {
  return {
    type: type === 'ref' ? keyOf(ref!.entity) : type,
    ...(key !== 'id' && { nullable: true }),
    ...(values !== undefined && { enum: values }),
    ...(mask !== undefined && { mask }),
    ...(roles?.read !== undefined && { roles: { read: roles.read } }),
    ...(compliance !== undefined && { compliance }),
  };
}
