/** A tenant's webhooks: who wants to know, and the outbox that is told of changed rows. */
import type { Activation } from '#actors/host/activation.ts';
import { followProduct } from '#actors/host/served-product.ts';
import { WebhookOutbox } from './outbox.ts';
import { Subscriptions } from './subscriptions.ts';

const PART = 'content-webhooks';

export function wakeWebhooks(activation: Activation, pending: (tenantNo: number) => void): void {
  const outbox = new WebhookOutbox(activation, new Subscriptions(activation.product), pending);
  activation.parts.set(PART, outbox);
  watch(activation, outbox);
  followProduct(activation, (product) => {
    const subscriptions = new Subscriptions(product);
    return () => {
      outbox.serve(subscriptions);
      watch(activation, outbox);
    };
  });
}

/** Nothing is watched where nobody subscribes. */
function watch(activation: Activation, outbox: WebhookOutbox): void {
  activation.rowWatch = outbox.subscriptions.none ? undefined : outbox;
}

export const webhooksOf = ({ parts }: Activation): WebhookOutbox => parts.get(PART) as WebhookOutbox;
