/** The machine object as callers see it (docs/contract/data-behaviour.md §1.2): it never contains a guard or an action. */
import type { StateDefinition, StateEventDefinition, StateflowDefinition } from '#config/definitions/product.ts';

export function describeMachine({ name, field, initial, states }: StateflowDefinition) {
  return { name, field, initial_state: initial, states: mapped(states, describeState) };
}

const HAS_GUARD = { has_guard: true } as const;
const HAS_ACTIONS = { has_actions: true } as const;

function describeState(name: string, { type, events }: StateDefinition) {
  const has = Object.keys(events).length > 0;
  return { name, ...(type !== undefined && { type }), ...(has && { events: mapped(events, describeEvent) }) };
}

function describeEvent(name: string, { target, guard, actions }: StateEventDefinition) {
  return {
    name,
    target,
    ...(guard !== undefined && HAS_GUARD),
    ...(actions !== undefined && HAS_ACTIONS),
  };
}

function mapped<T, S>(map: Readonly<Record<string, T>>, show: (name: string, value: T) => S): Record<string, S> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, show(name, value)]));
}
