/** A tenant's webhooks: who wants to know, and the outbox that is told of changed rows. */
import type { Activation } from '#actors/host/activation.ts';
import { WebhookOutbox } from './outbox.ts';
import { Subscriptions } from './subscriptions.ts';

const PART = 'content-webhooks';

export interface Webhooks {
  readonly subscriptions: Subscriptions;
  readonly outbox: WebhookOutbox;
}

/** Nothing is watched where nobody subscribes. */
export function wakeWebhooks(activation: Activation, pending: (tenantNo: number) => void): void {
  const subscriptions = new Subscriptions(activation.product);
  const outbox = new WebhookOutbox(activation, subscriptions, pending);
  activation.parts.set(PART, { subscriptions, outbox } satisfies Webhooks);
  if (!subscriptions.none) activation.rowWatch = outbox;
}

export const webhooksOf = ({ parts }: Activation): Webhooks => parts.get(PART) as Webhooks;
