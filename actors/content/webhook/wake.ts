/** A tenant's webhooks: which subscriptions there are, and the watch that stages deliveries for changed rows. */
import type { Activation } from '#actors/host/activation.ts';
import { followProduct } from '#actors/host/served-product.ts';
import { WebhookWatch } from './row-watch.ts';
import type { HookOutbox } from './row-watch.ts';
import { Subscriptions } from './subscriptions.ts';

const PART = 'content-webhooks';

export function wakeWebhooks(activation: Activation, outbox: HookOutbox): void {
  const hooks = new WebhookWatch(activation, new Subscriptions(activation.product), outbox);
  activation.parts.set(PART, hooks);
  watch(activation, hooks);
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
export const subscriptionsOf = ({ parts }: Activation): Subscriptions =>
  (parts.get(PART) as WebhookWatch).subscriptions;
