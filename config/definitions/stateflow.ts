/**
 * Stateflows: `stateflows/*.yaml`, one each: `name entity field initial states.<s>.{type, events.<e>.{target, guard, actions}, entry, exit}`.
 * Source: docs/contract/data-behaviour.md §1.1. Guards are not compiled here: the data service does that, and §1.4 there says how it
 * answers for one that does not compile.
 */
import * as z from 'zod';
import { check, whereOf } from '../check.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Place, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { mapOf, type Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { textBeside } from './beside.ts';
import type { EntityDefinition, FieldDefinition, RuleDefinition } from './product.ts';
import type { StateDefinition, StateEventDefinition, StateflowDefinition } from './product.ts';
import { rule } from './rule.ts';
import type { RoleCatalogue } from './roles-section.ts';
import { runAs, runAsProblems } from './run-as.ts';
import { definitionFiles, name } from './source.ts';
import { stateflowProblems } from './stateflow-rules.ts';

/** The form of a state's name. It is a value of its field and shown to people, so it may hold spaces and capitals. */
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,61}[A-Za-z0-9])?$/;

const label = z
  .string()
  .regex(LABEL, 'use letters, digits, space, . _ and -, a letter or digit first and last, at most 63 characters')
  .meta({ description: 'a name of letters, digits, space, . _ and -', example: 'draft' });

const guard = z
  .union([z.string().min(1), rule('the guard, written as rules are')])
  .meta({ description: 'a CEL expression', example: "'row.total > 0'" });

const script = kit.text('a script, or the name of a .js file beside this one', './notify.js').optional();

const event = kit.entry({
  target: label.meta({ about: 'the state into which it leads; a write of this value fires it' }),
  guard: guard.optional().meta({ about: 'what must be true of the row, as it would be, for it to happen' }),
  actions: script.meta({ about: 'a script that runs within the write' }),
});

const state = kit.section({
  type: kit.oneOf(['final']).optional().meta({ about: 'no event leads out of the state' }),
  events: z
    .record(label, event)
    .meta({ description: 'a map of events', example: '{ submit: { target: review } }' })
    .optional()
    .meta({ about: 'the ways out of the state, by their names' }),
  entry: script.meta({ about: 'a script that runs when a row enters the state' }),
  exit: script.meta({ about: 'a script that runs when a row leaves it' }),
});

/** The form of the file. */
export const stateflowFile = kit.entry({
  name: name.meta({ about: 'the name of the machine' }),
  entity: name.meta({ about: 'whose rows it governs' }),
  field: name.meta({ about: 'the field that holds the state' }),
  initial: label.meta({ about: 'the state of a new row' }),
  run_as: runAs().meta({ about: 'the role with whose rights its scripts act; those of the caller unless set' }),
  states: z
    .record(label, state)
    .meta({ description: 'a map of states', example: '{ draft: {}, done: {} }' })
    .meta({ about: 'the states by their names, which are values of the field' }),
});

type Raw = z.output<typeof stateflowFile>;

export interface Stateflows {
  readonly stateflows: readonly StateflowDefinition[];
  readonly problems: readonly Problem[];
}

/** The stateflows of a product, or every problem in them. `names`: all declared entities, also those with problems; `catalogue`: the roles that the product declares. */
export function readStateflows(
  dir: string,
  entities: readonly EntityDefinition[],
  names: readonly string[],
  catalogue: RoleCatalogue | undefined,
): Stateflows {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const stateflows: StateflowDefinition[] = [];
  for (const file of listed.files) {
    const { tree, problems: broken } = readYamlFile(file);
    problems.push(...broken);
    if (broken.length > 0) continue;
    const checked = check(stateflowFile, tree);
    if ('problems' in checked) {
      problems.push(...checked.problems);
      continue;
    }
    const stateflow = definitionOf(checked.value, tree, file, problems);
    problems.push(...runAsProblems(checked.value, tree, catalogue), ...twice(stateflow, stateflows, tree));
    problems.push(...stateflowProblems(stateflow, tree, entities, names));
    stateflows.push(stateflow);
  }
  return { stateflows: stateflows.sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/** The entities with each initial state as the default of its field, so that all code that handles defaults handles it. */
export function withInitialStates(
  entities: readonly EntityDefinition[],
  stateflows: readonly StateflowDefinition[],
): readonly EntityDefinition[] {
  return entities.map((entity) => {
    const own = stateflows.filter((stateflow) => stateflow.entity === entity.name);
    if (own.length === 0) return entity;
    const initial = new Map(own.map((stateflow) => [stateflow.field, stateflow.initial]));
    const fields = Object.entries(entity.fields).map(([key, field]): [string, FieldDefinition] => {
      const value = initial.get(key);
      return [key, value === undefined ? field : { ...field, default: value }];
    });
    return { ...entity, fields: mapOf(fields) };
  });
}

function definitionOf({ states, ...head }: Raw, tree: Tree, file: string, problems: Problem[]): StateflowDefinition {
  const scriptsAt: Record<string, Place> = {};
  const script = (written: string | undefined, path: Path): string | undefined => {
    if (written === undefined) return undefined;
    const text = textBeside(written, 'js', file, tree, path, limits.scripts.sourceCharsMax);
    if (!('mend' in text)) {
      scriptsAt[path.join('.')] = { file: text.file, line: text.line, column: text.column };
      return text.text;
    }
    problems.push(text);
    return undefined;
  };
  const entries = Object.entries(states).map(([key, { type, events = {}, entry, exit }]): [string, StateDefinition] => {
    const path = ['states', key];
    const own = Object.entries(events).map(([label, written]): [string, StateEventDefinition] => {
      const at = [...path, 'events', label];
      const actions = script(written.actions, [...at, 'actions']);
      const own = written.guard === undefined ? undefined : ruleOf(written.guard, tree, [...at, 'guard']);
      return [label, { target: written.target, ...given('guard', own), ...given('actions', actions) }];
    });
    const scripts = {
      ...given('entry', script(entry, [...path, 'entry'])),
      ...given('exit', script(exit, [...path, 'exit'])),
    };
    return [key, { ...given('type', type), events: mapOf(own), ...scripts }];
  });
  return {
    ...head,
    states: mapOf(entries),
    scriptsAt: mapOf(Object.entries(scriptsAt)),
    where: whereOf(tree, ['name']),
  };
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}

function ruleOf(written: z.output<typeof guard>, tree: Tree, path: Path): RuleDefinition {
  return typeof written === 'string'
    ? { language: 'cel', rule: written, where: whereOf(tree, path) }
    : { ...written, where: whereOf(tree, [...path, 'rule']) };
}

function twice(stateflow: StateflowDefinition, before: readonly StateflowDefinition[], tree: Tree): Problem[] {
  const { name: own, entity, field } = stateflow;
  const say = (key: string, message: string, other: StateflowDefinition): Problem =>
    problemAt(tree.placeOf([key], 'value'), [key], message, `remove one (the other is at ${other.where})`);
  const namesake = before.find((other) => other.name === own);
  const rival = before.find((other) => other.entity === entity && other.field === field);
  return [
    ...(namesake === undefined ? [] : [say('name', `the stateflow "${own}" is declared twice`, namesake)]),
    ...(rival === undefined ? [] : [say('field', `${entity}.${field} is governed already, by "${rival.name}"`, rival)]),
  ];
}
