/** Compiles the rules of an entity. */
import type {
  AccessOperation,
  EntityDefinition,
  ProductDefinition,
  RuleDefinition,
} from '#config/definitions/product.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { relationsOf } from '#actors/kit/rule-members.ts';
import { compileRule, DENY, type Rule } from '#actors/kit/rule.ts';

const OPERATIONS: readonly AccessOperation[] = ['create', 'read', 'update', 'delete', 'purge', 'restore', 'unmask'];
/** The rules of an entity that cannot be served: they deny everything. */
export const DENIED: ReadonlyMap<AccessOperation, Rule> = new Map(OPERATIONS.map((operation) => [operation, DENY]));

/** Of a view: no caller writes it, superadmins neither, and it unmasks nothing. */
const READ_ONLY = [...DENIED].filter(([operation]) => operation !== 'read');

/**
 * The rules. An operation's rule that does not compile denies the operation; a row rule that does not compile denies all: the rows it
 * would show are not known. Without `faults` the first that does not compile is thrown as a DefinitionError.
 */
export function entityRules(
  { entities }: ProductDefinition,
  definition: EntityDefinition,
  faults: PartFault[] | null,
): { access: ReadonlyMap<AccessOperation, Rule>; row: Rule | null } {
  const { access, row_rule: row } = definition;
  const relations = relationsOf(entities, definition);
  const compiled = (name: string, { rule, where = definition.where }: RuleDefinition): Rule =>
    attempt(`${name} of the entity ${definition.name}`, where, faults, () =>
      compileRule(rule, `${where} (${definition.name}.${name})`, relations),
    ) ?? DENY;
  const rules = Object.entries(access).map(
    ([operation, rule]) => [operation as AccessOperation, compiled(`access.${operation}`, rule)] as const,
  );
  const rowRule = row === undefined ? null : compiled('row_rule', row);
  if (rowRule === DENY) return { access: DENIED, row: null };
  return { access: new Map(definition.view === undefined ? rules : [...READ_ONLY, ...rules]), row: rowRule };
}
