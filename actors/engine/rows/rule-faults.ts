/** Unknown names in rules, for `skep check` and other checks before serving. */
import type { ProductDefinition, RuleDefinition } from '#config/definitions/product.ts';
import { isRowTrigger } from '#config/definitions/trigger-shapes.ts';
import type { PartFault } from '#actors/kit/part-fault.ts';
import { relationsOf, rowMembers, type Member } from '#actors/kit/rule-members.ts';
import { nameFaults, ROW_REQUEST, vocabularyOf } from '#actors/kit/rule-names.ts';
import type { RequestView } from './session.ts';

const REQUEST = Object.keys(ROW_REQUEST satisfies Readonly<Record<keyof RequestView, string>>);

/**
 * Names in rules of entities, stateflows, actions and triggers, and in computed fields, that are no field, no parameter and no part of the
 * principal or the request. Such a rule is served all the same: it denies.
 */
export function ruleNameFaults(product: ProductDefinition): PartFault[] {
  return [
    ...entityNames(product),
    ...guardNames(product),
    ...actionNames(product),
    ...computedNames(product),
    ...triggerNames(product),
  ];
}

function triggerNames({ entities, triggers = [] }: ProductDefinition): PartFault[] {
  return triggers.filter(isRowTrigger).flatMap(({ name, entity, when }) => {
    const definition = entities[entity];
    if (definition === undefined || when === undefined) return [];
    const row = rowMembers(definition);
    const seen = { ...vocabularyOf(REQUEST, row, undefined), old: row };
    return nameFaults(when.rule, `condition of the trigger ${name}`, when.where, seen);
  });
}

function entityNames({ entities, views = [] }: ProductDefinition): PartFault[] {
  return [...Object.values(entities), ...views].flatMap((entity) => {
    const row = rowMembers(entity);
    const plain = vocabularyOf(REQUEST, row, new Map([...row, ['purge', 'plain']]));
    const seen = { ...plain, relations: relationsOf(entities, entity) };
    const rules: (readonly [string, RuleDefinition])[] = Object.entries(entity.access).map(([name, rule]) => [
      `access.${name}`,
      rule,
    ]);
    if (entity.row_rule !== undefined) rules.push(['row_rule', entity.row_rule]);
    return rules.flatMap(([name, { rule, where = entity.where }]) =>
      nameFaults(rule, `${name} of the entity ${entity.name}`, `${where} (${entity.name}.${name})`, seen),
    );
  });
}

function guardNames({ entities, stateflows = [] }: ProductDefinition): PartFault[] {
  return stateflows.flatMap(({ name, entity, states, where }) => {
    const definition = entities[entity];
    if (definition === undefined) return [];
    const row = rowMembers(definition);
    const seen = vocabularyOf(REQUEST, row, new Map([...row, ['purge', 'plain']]));
    const events = Object.values(states).flatMap((state) => Object.entries(state.events));
    return events.flatMap(([event, { guard }]) =>
      guard === undefined
        ? []
        : nameFaults(guard.rule, `guard of ${name}.${event}`, `${guard.where ?? where} (${name}.${event})`, seen),
    );
  });
}

function actionNames({ actions = [] }: ProductDefinition): PartFault[] {
  return actions.flatMap(({ name, access, sections }) =>
    Object.entries(sections).flatMap(([section, { params, access: own, where }]) => {
      const rule = own ?? access;
      const data = new Map(Object.keys(params).map((param): [string, Member] => [param, 'open']));
      const seen = vocabularyOf(REQUEST, undefined, data);
      return rule === undefined
        ? []
        : nameFaults(rule.rule, `rule of the action ${name}`, `${rule.where ?? where} (${name}.${section})`, seen);
    }),
  );
}

function computedNames({ entities }: ProductDefinition): PartFault[] {
  return Object.values(entities).flatMap((entity) =>
    Object.entries(entity.fields).flatMap(([name, { materialize }]) => {
      const source = materialize?.value === 'cel' ? entities[materialize.entity] : undefined;
      if (source === undefined) return [];
      const seen = vocabularyOf(REQUEST, rowMembers(source), undefined);
      return nameFaults(
        materialize!.of!,
        `field ${name} of the entity ${entity.name}`,
        `${entity.where} (${entity.name}.${name})`,
        seen,
      );
    }),
  );
}
