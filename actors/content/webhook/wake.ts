/** A tenant's webhooks: which subscriptions there are, and the watch that stages deliveries for changed rows. */
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { followProduct } from '#actors/host/served-product.ts';
import { WebhookWatch, type HookOutbox } from './row-watch.ts';
import { Subscriptions } from './subscriptions.ts';

const HOOKS = new Part<WebhookWatch>('watch of webhooks');

export function wakeWebhooks(activation: Activation, outbox: HookOutbox): void {
  const hooks = new WebhookWatch(activation, new Subscriptions(activation.product), outbox);
  HOOKS.set(activation, hooks);
  watch(activation, hooks);
  outbox.wake(activation);
  followProduct(activation, (product) => {
    const subscriptions = new Subscriptions(product);
    return () => {
      hooks.serve(subscriptions);
      watch(activation, hooks);
    };
  });
}

/** Without subscriptions no rows are watched. */
function watch(activation: Activation, hooks: WebhookWatch): void {
  activation.rowWatch = hooks.subscriptions.none ? undefined : hooks;
}

/** The subscriptions of the definitions that the tenant serves now. */
export const subscriptionsOf = (activation: Activation): Subscriptions => HOOKS.of(activation).subscriptions;

/** The outbox of the tenant's deliveries. */
export const outboxOf = (activation: Activation): HookOutbox => HOOKS.of(activation).outbox;
