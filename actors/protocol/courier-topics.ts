/** Messages to the courier and from the outboxes that it empties: mail, notices, webhooks. */
import type { Mail, Settled } from './mail.ts';
import type { Notice, NoticeSettled } from './notice.ts';
import { topic } from './topic.ts';
import type { Delivery, DeliverySettled } from './webhook.ts';

export const courierTopics = {
  /** A tenant's outbox holds mail, durably; main asks its actor for it. Told again when a host opens. */
  'mail.pending': topic<{ readonly tenantNo: number }, null>({ from: 'tenant-host', to: 'main', deadlineMs: 0 }),
  /** Mail to send; answered when it is in the queue. */
  'courier.send': topic<readonly Mail[], null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
  /** Notices of intake's durable outbox, for the courier. Offered again when it or the writer is new. */
  'notice.offer': topic<readonly Notice[], null>({ from: 'intake-writer', to: 'main', deadlineMs: 0 }),
  /** Notices to send; one that the courier holds already counts once. */
  'courier.notify': topic<readonly Notice[], null>({ from: 'main', to: 'courier', deadlineMs: 0 }),
  /** The courier's answer for one notice. */
  'courier.notified': topic<NoticeSettled, null>({ from: 'courier', to: 'main', deadlineMs: 0 }),
  /** The same, to the outbox: it deletes the entry. */
  'notice.settled': topic<NoticeSettled, null>({ from: 'main', to: 'intake-writer', deadlineMs: 0 }),
  /** A new courier runs: the outbox offers everything that was not answered for. */
  'notice.again': topic<null, null>({ from: 'main', to: 'intake-writer', deadlineMs: 0 }),
  /** A tenant's outbox holds webhook deliveries, durably; main asks its actor for them. Told again when a host opens. */
  'hook.pending': topic<{ readonly tenantNo: number }, null>({ from: 'tenant-host', to: 'main', deadlineMs: 0 }),
  /** Webhook deliveries to send; answered when they are in the queue. */
  'courier.deliver': topic<readonly Delivery[], null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
  /** The courier's answer for one delivery: its owner notes it in the delivery log. */
  'courier.delivered': topic<DeliverySettled, null>({ from: 'courier', to: 'main', deadlineMs: 0 }),
  /** Numbers of tenants that are gone: the courier lets go of all that it holds of them. Answered when nothing of theirs can leave any more. */
  'courier.forget': topic<readonly number[], null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
  /** The courier's answer for one mail: its owner deletes the entry. */
  'courier.settled': topic<Settled, null>({ from: 'courier', to: 'main', deadlineMs: 0 }),
} as const;
