/**
 * Views: `views/<name>.yaml`, a select that is read as an entity. Source: docs/contract/data-definitions.md §1.12. The statement is compiled
 * by the data service.
 */
import { basename } from 'node:path';
import * as z from 'zod';
import { check, whereOf } from '../check.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { FIELD_TYPES, typesWhere, type FieldType } from '#config/values/field-types.ts';
import { mapOf, type Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { textBeside } from './beside.ts';
import { OBJECT_NAMES, RESERVED_ENTITIES } from './entity-rules.ts';
import type { EntityDefinition, FieldDefinition, RuleDefinition } from './product.ts';
import { rule } from './rule.ts';
import { definitionFiles, fileProblem, name } from './source.ts';

const COLUMN_TYPES = typesWhere(({ isParameter }) => isParameter);
const KEY_TYPES = COLUMN_TYPES.filter((type) => FIELD_TYPES[type].canBeKey);
/** The form of the file. */
export const viewFile = kit.entry({
  columns: z
    .record(
      name,
      kit.oneOf(COLUMN_TYPES as [FieldType, ...FieldType[]]).meta({ about: 'what the column of that name holds' }),
    )
    .meta({ description: 'a map of columns', example: '{ id: ulid, title: string }' })
    .meta({
      about: 'the columns that the statement gives, with their types; `id` names a row, and no two rows share it',
    }),
  sql: kit
    .text('a select, or the name of a .sql file beside this one', './open.sql')
    .meta({ about: 'gives the rows; it takes no parameters' }),
  access: kit
    .section({ read: rule('who may read it; without it, a superadmin alone').optional() })
    .meta({ about: 'who may read it; the rules of the entities that the statement reads hold beside it' }),
  row_rule: rule('which of its rows exist for a caller: asked for each row that the statement gives').optional(),
});

type Raw = z.output<typeof viewFile>;

export interface ReadViews {
  readonly views: readonly EntityDefinition[];
  readonly problems: readonly Problem[];
}

/** The views of a product by name, or every problem in them. `entities`: the names of all declared ones. */
export function readViews(dir: string, entities: readonly string[]): ReadViews {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const views: EntityDefinition[] = [];
  for (const file of listed.files) {
    const read = readView(file, entities);
    problems.push(...read.problems);
    views.push(...read.views);
  }
  const most = limits.sql.viewsMax;
  if (listed.files.length > most) problems.push(fileProblem(dir, `more than ${most} views`, 'remove some'));
  return { views, problems };
}

function readView(file: string, entities: readonly string[]): ReadViews {
  const own = basename(file, '.yaml');
  const fault = nameFault(own, entities);
  if (fault !== null) return { views: [], problems: [fileProblem(file, fault.message, fault.mend)] };
  const { tree, problems: broken, broken: isBroken } = readYamlFile(file);
  if (isBroken) return { views: [], problems: broken };
  const checked = check(viewFile, tree);
  if ('problems' in checked) return { views: [], problems: [...broken, ...checked.problems] };
  const problems = [...broken, ...columnProblems(checked.value, tree)];
  const sql = textBeside(checked.value.sql, 'sql', file, tree, ['sql'], limits.sql.textCharsMax);
  if ('mend' in sql) problems.push(sql);
  if (problems.length > 0 || 'mend' in sql) return { views: [], problems };
  return { views: [definitionOf(own, checked.value, sql, tree)], problems: [] };
}

function nameFault(own: string, entities: readonly string[]): { message: string; mend: string } | null {
  const named = name.safeParse(own);
  if (!named.success)
    return { message: `"${own}" is no name of a view`, mend: `rename the file: ${named.error.issues[0]!.message}` };
  if (RESERVED_ENTITIES.has(own)) return { message: `"${own}" is an entity of the platform`, mend: 'rename the file' };
  if (!entities.includes(own)) return null;
  return {
    message: `"${own}" is an entity already`,
    mend: 'rename the file: callers find views and entities by one name',
  };
}

function columnProblems({ columns }: Raw, tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void =>
    void problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  const key = Object.hasOwn(columns, 'id') ? columns['id'] : undefined;
  if (key === undefined)
    say(
      ['columns'],
      'a view needs the column id, which names a row',
      'add `id`, and give it in the statement (`a.id as id`)',
    );
  else if (!KEY_TYPES.includes(key))
    say(['columns', 'id'], `the key cannot be of type ${key}`, `choose one of ${KEY_TYPES.join(', ')}`);
  for (const own of Object.keys(columns))
    if (OBJECT_NAMES.has(own)) say(['columns', own], `"${own}" is a reserved name`, 'choose another name');
  return problems;
}

function definitionOf(own: string, raw: Raw, view: EntityDefinition['view'] & object, tree: Tree): EntityDefinition {
  const { id, ...others } = raw.columns;
  const fields = Object.entries({ id: id!, ...others }).map(([column, type]): [string, FieldDefinition] => [
    column,
    { type },
  ]);
  const ruleAt = (written: { language: 'cel'; rule: string }, path: Path): RuleDefinition => ({
    ...written,
    where: whereOf(tree, [...path, 'rule']),
  });
  const { read } = raw.access;
  return {
    name: own,
    fields: mapOf(fields),
    traits: [],
    unique: [],
    index: [],
    access: read === undefined ? {} : { read: ruleAt(read, ['access', 'read']) },
    ...(raw.row_rule !== undefined && { row_rule: ruleAt(raw.row_rule, ['row_rule']) }),
    view,
    where: whereOf(tree, ['columns']),
  };
}
