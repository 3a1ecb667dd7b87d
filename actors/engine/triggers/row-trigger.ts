/** A compiled trigger of an entity: which changes of a row fire it (docs/contract/triggers.md §2). */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { isRowTrigger } from '#config/definitions/trigger-shapes.ts';
import type { RowTriggerDefinition, TriggerEvent, TriggerKind } from '#config/definitions/trigger-shapes.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { compileChange, type ChangeCondition } from '#actors/kit/rule.ts';

export interface RowTrigger {
  readonly name: string;
  readonly kind: TriggerKind;
  readonly events: ReadonlySet<TriggerEvent>;
  /** Where the fields lie in the slots of a row of which an update must change one; null: any update fires it. */
  readonly changed: readonly number[] | null;
  readonly when: ChangeCondition | null;
}

/** The triggers of an entity. One whose condition does not compile joins `faults` and fires never; without `faults` it throws DefinitionError. */
export function rowTriggersOf(
  product: ProductDefinition,
  entity: string,
  placeOf: (field: string) => number | undefined,
  faults: PartFault[] | null,
): readonly RowTrigger[] {
  const own = (product.triggers ?? []).filter(isRowTrigger).filter((trigger) => trigger.entity === entity);
  return own.flatMap((trigger) => {
    const part = `trigger ${trigger.name}`;
    return attempt(part, trigger.where, faults, () => rowTriggerOf(trigger, placeOf)) ?? [];
  });
}

/** Fields that are declared and not stored yet have no value that could change. */
function rowTriggerOf(
  { name, target, events, changed, when }: RowTriggerDefinition,
  placeOf: (field: string) => number | undefined,
): RowTrigger {
  return {
    name,
    kind: target.kind,
    events: new Set(events),
    changed: changed === null ? null : changed.flatMap((field) => placeOf(field) ?? []),
    when: when === undefined ? null : compileChange(when.rule, when.where),
  };
}
