/** The outboxes of services, by kind: a thread's shell answers main's asks with them. */
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import type { ServedOutbox } from './outbox.ts';

export interface Outboxes {
  readonly mail?: ServedOutbox<Mail, MailSettled>;
  readonly hook?: ServedOutbox<Delivery, DeliverySettled>;
}
