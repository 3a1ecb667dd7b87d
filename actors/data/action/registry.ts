/** The declared actions of a tenant that is awake, their statements and rules compiled. */
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { ActionDefinition, ActionSection, ProductDefinition } from '#config/definitions/product.ts';
import { SECTIONS } from '#config/definitions/action.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { compileRule, DefinitionError } from '#actors/kit/rule.ts';
import { compileSql } from '#actors/engine/sql/compile.ts';
import { declaredTables, type SqlSchema } from '#actors/engine/sql/schema.ts';
import { SectionOfAction } from './section.ts';
import { verbsOf } from './verbs.ts';

export interface Action {
  readonly definition: ActionDefinition;
  readonly entities: readonly string[];
  /** Whether one of its sections does not compile: then none is served. */
  readonly faulty: boolean;
  readonly sections: ReadonlyMap<ActionSection, SectionOfAction>;
}

/** Actions by name, in the order of their names. */
export type Actions = ReadonlyMap<string, Action>;

export const NO_ACTIONS: Actions = new Map();

/** Whether a product has SQL to compile, in actions or views. */
export function hasStatements({ actions = [], views = [] }: ProductDefinition): boolean {
  return actions.length > 0 || views.length > 0;
}

/**
 * Compiles every action, in steps of one statement each; `loadSqlParser()` comes first. A fault is a statement that cannot run, an undeclared
 * parameter or a rule that does not compile. With `faults` each is added there, with file, line and column, and only its own action is not
 * served; without, the first is thrown as a DefinitionError.
 */
export function* actionSteps(product: ProductDefinition, faults: PartFault[] | null = null): Steps<Actions> {
  const { actions = [] } = product;
  if (actions.length === 0) return NO_ACTIONS;
  const declared = declaredTables(product);
  const compiled = new Map<string, Action>();
  for (const definition of actions) compiled.set(definition.name, yield* compileAction(definition, declared, faults));
  return compiled;
}

function* compileAction(definition: ActionDefinition, declared: SqlSchema, faults: PartFault[] | null): Steps<Action> {
  const before = faults?.length ?? 0;
  const sections = new Map<ActionSection, SectionOfAction>();
  for (const section of SECTIONS) {
    const { where } = definition.sections[section] ?? definition;
    const part = `${section} section of the action ${definition.name}`;
    const compiled = attempt(part, where, faults, () => compileSection(definition, section, declared));
    if (compiled === null) continue;
    sections.set(section, compiled);
    yield;
  }
  const named = [...sections.values()].flatMap(({ sql }) => sql.entities);
  const entities = definition.entities ?? [...new Set(named)].sort();
  return { definition, entities, sections, faulty: (faults?.length ?? 0) > before };
}

function compileSection(
  { name, sections, access }: ActionDefinition,
  section: ActionSection,
  declared: SqlSchema,
): SectionOfAction | null {
  const definition = sections[section];
  if (definition === undefined) return null;
  const { params, where } = definition;
  const { text, ...source } = definition.sql;
  const sql = compileSql(text, declared, source);
  for (const parameter of sql.parameters)
    if (!Object.hasOwn(params, parameter))
      throw new DefinitionError(where, `the statement of ${name} uses :${parameter}, which params does not declare`);
  if (section === 'read' && sql.writes)
    throw new DefinitionError(where, `the read section of ${name} writes; put the statement under another section`);
  const declaredRule = definition.access ?? access;
  const rule = declaredRule === undefined ? null : compileRule(declaredRule.rule, declaredRule.where ?? where);
  if (rule?.usesRow === true)
    throw new DefinitionError(declaredRule?.where ?? where, 'the rule of an action may not use row');
  return new SectionOfAction({ section, params, sql, rule }, text, source);
}

/** An action as administrators see it (docs/contract/data-admin.md §8.1). */
export interface ActionEntry {
  readonly name: string;
  readonly description: string;
  readonly entities: readonly string[];
  readonly source: 'product';
  readonly methods: readonly string[];
  readonly has_access: boolean;
  readonly sections: Readonly<
    Record<
      string,
      { readonly param_count: number; readonly returning: readonly string[]; readonly access_override: boolean }
    >
  >;
}

/** One entry for each action, sorted by name. Statements are never shown. */
export function listActions(actions: Actions): ActionEntry[] {
  return [...actions.values()].map((action) => {
    const { definition, entities, sections } = action;
    const shown = [...sections.values()].map(({ section, params, sql }) => [
      section,
      {
        param_count: Object.keys(params).length,
        returning: sql.returning ?? [],
        access_override: definition.sections[section]?.access !== undefined,
      },
    ]);
    return {
      name: definition.name,
      description: definition.description,
      entities,
      source: 'product',
      methods: verbsOf(action),
      has_access: definition.access !== undefined,
      sections: Object.fromEntries(shown) as ActionEntry['sections'],
    };
  });
}
