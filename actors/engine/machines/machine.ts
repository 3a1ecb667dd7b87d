/** A compiled stateflow: its events by the state that they leave, and its guards. */
import type { ProductDefinition, RuleDefinition, StateflowDefinition } from '#config/definitions/product.ts';
import { faultOf, type PartFault } from '#actors/kit/part-fault.ts';
import { compileRule, DefinitionError } from '#actors/kit/rule.ts';
import type { RuleScope } from '#actors/kit/rule-scope.ts';

/** Whether an event may happen now. Throws when the guard fails; a guard that does not compile throws at every call. */
export type Guard = (scope: RuleScope) => boolean;

export interface StateEvent {
  readonly name: string;
  readonly target: string;
  readonly guard: Guard | null;
  readonly actions: string | null;
}

/** Scripts that run when a row enters a state, and when it leaves it. */
export interface StateScripts {
  readonly entry: string | null;
  readonly exit: string | null;
}

export interface Machine {
  readonly name: string;
  readonly field: string;
  /** Where the field lies in the slots of a row. */
  readonly at: number;
  readonly events: ReadonlyMap<unknown, readonly StateEvent[]>;
  /** Only of states that have scripts. */
  readonly scripts: ReadonlyMap<unknown, StateScripts>;
  /** Whether a move may run a script. */
  readonly isScripted: boolean;
  /** The role with whose rights the scripts act; undefined: with those of the caller. */
  readonly runAs: string | undefined;
}

/** The machines of an entity whose field is stored. */
export function machinesOf(
  product: ProductDefinition,
  entity: string,
  placeOf: (field: string) => number | undefined,
): readonly Machine[] {
  return (product.stateflows ?? []).flatMap((definition) => {
    const at = definition.entity === entity ? placeOf(definition.field) : undefined;
    return at === undefined ? [] : [machineOf(definition, at)];
  });
}

/** The faults of guards that do not compile, each with its place; their events answer 500 (docs/contract/data-behaviour.md §1.4). */
export function guardFaults({ stateflows = [] }: ProductDefinition): PartFault[] {
  return stateflows.flatMap(({ name, where, states }) =>
    Object.values(states).flatMap(({ events }) =>
      Object.entries(events).flatMap(([event, { guard }]) => {
        const compiled = guard === undefined ? null : compiledOrFault(guard);
        if (!(compiled instanceof DefinitionError)) return [];
        return [faultOf(`guard of the event ${event} of the stateflow ${name}`, where, compiled)];
      }),
    ),
  );
}

function machineOf({ name, field, states, run_as: runAs }: StateflowDefinition, at: number): Machine {
  const events = Object.entries(states).map(([state, { events: own }]): [string, readonly StateEvent[]] => [
    state,
    Object.entries(own).map(([event, { target, guard, actions = null }]) => ({
      name: event,
      target,
      guard: guard === undefined ? null : guardOf(guard),
      actions,
    })),
  ]);
  const scripts = Object.entries(states)
    .filter(([, { entry, exit }]) => entry !== undefined || exit !== undefined)
    .map(([state, { entry = null, exit = null }]): [string, StateScripts] => [state, { entry, exit }]);
  const isScripted = scripts.length > 0 || events.some(([, own]) => own.some(({ actions }) => actions !== null));
  return { name, field, at, events: new Map(events), scripts: new Map(scripts), isScripted, runAs };
}

/** Whether a stateflow of the product runs scripts. */
export function hasScripts({ stateflows = [] }: ProductDefinition): boolean {
  return stateflows.some((definition) => machineOf(definition, 0).isScripted);
}

function guardOf(definition: RuleDefinition): Guard {
  const compiled = compiledOrFault(definition);
  if (!(compiled instanceof DefinitionError)) return (scope) => compiled.judge(scope);
  return () => {
    throw compiled;
  };
}

function compiledOrFault({ rule, where = 'guard' }: RuleDefinition) {
  try {
    return compileRule(rule, where);
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
}
