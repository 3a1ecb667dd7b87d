/** Declared actions: `actions/*.yaml`, one per file, with their SQL in the file or beside it. Source: docs/contract/data-behaviour.md §2.1. */
import * as z from 'zod';
import { check, whereOf } from '../check.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import { mapOf, type Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { textBeside } from './beside.ts';
import { defaultFault } from './default-value.ts';
import { typesWhere } from '#config/values/field-types.ts';
import type { ActionDefinition, ActionParameter, ActionSection, RuleDefinition } from './product.ts';
import { rule } from './rule.ts';
import { definitionFiles, name } from './source.ts';

export const SECTIONS = ['read', 'create', 'update', 'delete'] as const satisfies readonly ActionSection[];

/** Query parameters that have a meaning on every route: an action's parameter cannot have these names. */
const TAKEN: readonly string[] = ['expression', 'datastore'];

const VALUE_TYPES = typesWhere(({ isParameter }) => isParameter);

const parameter = kit.entry({
  type: z.enum(VALUE_TYPES.flatMap((type) => [type, `${type}[]`])).meta({
    description: `one of ${VALUE_TYPES.join(', ')}, a list of them with []`,
    example: 'string',
    about: 'what the parameter holds',
  }),
  default: z
    .unknown()
    .meta({ description: 'a value of the type', example: '10', about: 'the value where a caller gives none' })
    .optional(),
  required: kit.yesNo().optional().meta({ about: 'a call without it is refused' }),
});

const section = kit.entry({
  params: z
    .record(name, parameter)
    .meta({ description: 'a map of parameters', example: '{}', about: 'what callers give, by name' })
    .optional(),
  sql: kit
    .text('a SQL statement, or the name of a .sql file beside this one', './top.sql')
    .meta({ about: 'the statement; `:name` stands for a parameter' }),
  access: rule('who may call this section, instead of the rule of the action').optional(),
});

const sectionOf = (verb: string) => section.optional().meta({ about: `what a ${verb} runs` });

/** The form of the file. */
export const actionFile = kit.entry({
  name: name.meta({ about: 'the name in the path of its route' }),
  description: z
    .string()
    .meta({ description: 'a text', example: 'What it does', about: 'for people who read the catalogue' })
    .optional(),
  entities: kit
    .list(name, 'entities')
    .optional()
    .meta({ about: 'the entities below whose paths it is found; without it, those that its statements name' }),
  access: rule('who may call it; without it, a superadmin alone').optional(),
  sections: kit
    .entry({
      read: sectionOf('GET'),
      create: sectionOf('POST'),
      update: sectionOf('PUT or PATCH'),
      delete: sectionOf('DELETE'),
    })
    .meta({ about: 'one statement for each method; at least one' }),
});

type Raw = z.output<typeof actionFile>;

export interface Actions {
  readonly actions: readonly ActionDefinition[];
  readonly problems: readonly Problem[];
}

/** The actions of a product, sorted by name, or every problem in them. `entities`: all declared ones. The SQL is checked where it is compiled. */
export function readActions(dir: string, entities: readonly string[]): Actions {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const actions = new Map<string, ActionDefinition>();
  for (const file of listed.files) {
    const { tree, problems: broken } = readYamlFile(file);
    problems.push(...broken);
    if (broken.length > 0) continue;
    const read = readAction(tree, file, entities);
    problems.push(...read.problems);
    for (const action of read.actions) {
      const before = actions.get(action.name);
      if (before !== undefined) problems.push(twice(action.name, before.where, tree));
      else actions.set(action.name, action);
    }
  }
  return { actions: [...actions.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

function twice(own: string, before: string, tree: Tree): Problem {
  const message = `the action "${own}" is declared twice`;
  return problemAt(tree.placeOf(['name'], 'value'), ['name'], message, `remove one (the other is at ${before})`);
}

function readAction(tree: Tree, file: string, entities: readonly string[]): Actions {
  const checked = check(actionFile, tree);
  if ('problems' in checked) return { actions: [], problems: checked.problems };
  const raw = checked.value;
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void =>
    void problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  for (const [at, entity] of (raw.entities ?? []).entries())
    if (!entities.includes(entity))
      say(['entities', at], `there is no entity "${entity}"`, suggestion(entity, entities));
  const sections: [string, ActionDefinition['sections'][ActionSection]][] = [];
  for (const key of SECTIONS) {
    const written = raw.sections[key];
    if (written === undefined) continue;
    const path = ['sections', key];
    const params = parametersOf(written.params ?? {}, path, say);
    const sql = textBeside(written.sql, 'sql', file, tree, [...path, 'sql'], limits.sql.textCharsMax);
    if ('mend' in sql) problems.push(sql);
    else sections.push([key, { params, sql, ...ruleOf(written.access, tree, path), where: whereOf(tree, path) }]);
  }
  if (SECTIONS.every((key) => raw.sections[key] === undefined))
    say(['sections'], 'an action has at least one section', `add one of ${SECTIONS.join(', ')}`);
  if (problems.length > 0) return { actions: [], problems };
  return { actions: [definitionOf(raw, mapOf(sections), tree)], problems };
}

function definitionOf(
  { name: own, description, entities, access }: Raw,
  sections: ActionDefinition['sections'],
  tree: Tree,
): ActionDefinition {
  const head = { name: own, description: description ?? '', entities: entities ?? null };
  return { ...head, ...ruleOf(access, tree, []), sections, where: whereOf(tree, ['name']) };
}

function ruleOf(
  written: z.output<ReturnType<typeof rule>> | undefined,
  tree: Tree,
  path: Path,
): { access?: RuleDefinition } {
  return written === undefined ? {} : { access: { ...written, where: whereOf(tree, [...path, 'access', 'rule']) } };
}

function parametersOf(
  params: Readonly<Record<string, z.output<typeof parameter>>>,
  section: Path,
  say: (path: Path, message: string, mend: string) => void,
): Readonly<Record<string, ActionParameter>> {
  const entries = Object.entries(params).map(([key, written]): [string, ActionParameter] => {
    const path = [...section, 'params', key];
    if (TAKEN.includes(key)) say(path, `"${key}" has a meaning of its own in every query string`, 'name it otherwise');
    const list = written.type.endsWith('[]');
    const type = written.type.replace('[]', '') as ActionParameter['type'];
    const fault = parameterFault({ type, list }, written.default);
    if (fault !== null) say([...path, 'default'], `the default of ${key} ${fault}`, 'change or remove it');
    return [key, { type, list, required: written.required ?? false, default: written.default }];
  });
  return mapOf(entries);
}

/** Why a value is none of a parameter, as words that follow its name; null where it is one, or is none at all. */
export function parameterFault({ type, list }: Pick<ActionParameter, 'type' | 'list'>, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (!list) return defaultFault({ type, default: value });
  if (!Array.isArray(value)) return 'must be a list';
  return value.map((item) => defaultFault({ type, default: item as unknown })).find((fault) => fault !== null) ?? null;
}
