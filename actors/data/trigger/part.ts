/** What the triggers of a tenant need while it is awake: their definitions, the watch that stages events, the secrets of webhooks. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { isCronTrigger, isFormTrigger } from '#config/definitions/trigger-shapes.ts';
import type { FormTriggerDefinition, TriggerDefinition } from '#config/definitions/trigger-shapes.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { followProduct } from '#actors/host/served-product.ts';
import type { Secrets } from '#actors/host/vault-secrets.ts';
import type { FiredEvent } from '#actors/protocol/turn-owner.ts';
import type { EventOutbox } from './event-outbox.ts';

/** Where the events of each kind go. */
export interface EventSinks {
  readonly outbox: Readonly<Record<FiredEvent['kind'], EventOutbox>>;
  /** Events for scripts are committed: the runner looks soon. */
  scriptsSoon(): void;
}

export interface TriggerPart {
  byName: ReadonlyMap<string, TriggerDefinition>;
  readonly secrets: Secrets;
  readonly sinks: EventSinks;
}

const TRIGGERS = new Part<TriggerPart>('triggers');

/** Serves the triggers of the product, and of newer definitions when they come. */
export function serveTriggers(activation: Activation, secrets: Secrets, sinks: EventSinks): void {
  const part: TriggerPart = { byName: namedOf(activation.product), secrets, sinks };
  TRIGGERS.set(activation, part);
  followProduct(activation, (product) => {
    const byName = namedOf(product);
    const before = part.byName;
    return () => {
      part.byName = byName;
      if (hasCron(before) || hasCron(byName)) sinks.scriptsSoon();
    };
  });
}

const namedOf = ({ triggers = [] }: ProductDefinition): ReadonlyMap<string, TriggerDefinition> =>
  new Map(triggers.map((trigger) => [trigger.name, trigger]));

export const hasCron = (triggers: TriggerPart['byName']): boolean => [...triggers.values()].some(isCronTrigger);

export const triggersOf = (activation: Activation): TriggerPart => TRIGGERS.of(activation);

/** The definition of a waiting event; undefined where it is no longer declared, or leads to something else now. */
export function triggerOf(
  activation: Activation,
  { trigger, kind }: { readonly trigger: string; readonly kind: TriggerDefinition['target']['kind'] },
): TriggerDefinition | undefined {
  const found = triggersOf(activation).byName.get(trigger);
  return found?.target.kind === kind ? found : undefined;
}

/** The trigger that is about submissions of a form: at most one is. */
export function triggerOfForm(activation: Activation, form: string): FormTriggerDefinition | undefined {
  return [...triggersOf(activation).byName.values()].filter(isFormTrigger).find((trigger) => trigger.form === form);
}
