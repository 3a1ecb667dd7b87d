/** Triggers of the entity `order` for tests in memory. */
import type { TriggerDefinition } from '#config/definitions/trigger-shapes.ts';

type Wish = Partial<Omit<TriggerDefinition, 'name' | 'when'>> & { readonly when?: string };

/** A webhook unless the wish says otherwise. */
export function triggerFor(name: string, { when, ...wish }: Wish = {}): TriggerDefinition {
  const where = `triggers/${name}.yaml:1:1`;
  return {
    name,
    entity: 'order',
    events: ['created'],
    changed: null,
    fields: [],
    target: { kind: 'webhook', url: 'https://example.org/', secret: 's', timeoutMs: 1000, headers: {} },
    where,
    ...(when !== undefined && { when: { language: 'cel', rule: when, where } as const }),
    ...wish,
  };
}
