/** The machine object as callers see it (docs/contract/data-behaviour.md §1.2): no guard and no action is ever in it. */
import type { StateDefinition, StateEventDefinition, StateflowDefinition } from '#config/definitions/product.ts';

export function describeMachine({ name, field, initial, states }: StateflowDefinition): object {
  return { name, field, initial_state: initial, states: mapped(states, describeState) };
}

function describeState(name: string, { type, events }: StateDefinition): object {
  const has = Object.keys(events).length > 0;
  return { name, ...(type !== undefined && { type }), ...(has && { events: mapped(events, describeEvent) }) };
}

function describeEvent(name: string, { target, guard, actions }: StateEventDefinition): object {
  const has = { ...(guard !== undefined && { has_guard: true }), ...(actions !== undefined && { has_actions: true }) };
  return { name, target, ...has };
}

function mapped<T>(map: Readonly<Record<string, T>>, show: (name: string, value: T) => object): object {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, show(name, value)]));
}
