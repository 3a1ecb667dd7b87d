/** Messages to the courier and from the outboxes that it empties: mail, webhooks, notices; spans, which have none. For each kind: pending, take, send, answer, settle. */
import type { Mail, MailSettled } from './mail.ts';
import type { KeptMail } from './mailbox.ts';
import type { Notice, NoticeSettled } from './notice.ts';
import type { OutboxWish, Pending, Taken } from './outbox.ts';
import { topic } from './topic.ts';
import type { SpanBatch, TraceReport } from './traces.ts';
import type { Delivery, DeliverySettled } from './webhook.ts';

export const courierTopics = {
  /** A tenant's outbox holds mail, durably; main asks for it. Sent again when a host opens. */
  'mail.pending': topic<Pending, null>({ from: 'tenant-host', to: 'main', deadlineMs: 0 }),
  'mail.take': topic<OutboxWish, Taken<Mail>>({ from: 'main', to: 'tenant-host', deadlineMs: 60_000 }),
  /** Mail to send; answered when it is in the queue. */
  'courier.send': topic<readonly Mail[], null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
  /** The courier's answer for one mail. */
  'courier.settled': topic<MailSettled, null>({ from: 'courier', to: 'main', deadlineMs: 0 }),
  /** The same, to the outbox: it deletes the entry. */
  'mail.settle': topic<MailSettled, null>({ from: 'main', to: 'tenant-host', deadlineMs: 60_000 }),

  /** Every mail of the development mailbox, newest first; none where mails leave. */
  'courier.mailbox': topic<null, readonly KeptMail[]>({ from: 'main', to: 'courier', deadlineMs: 5000 }),

  'hook.pending': topic<Pending, null>({ from: 'tenant-host', to: 'main', deadlineMs: 0 }),
  'hook.take': topic<OutboxWish, Taken<Delivery>>({ from: 'main', to: 'tenant-host', deadlineMs: 60_000 }),
  'courier.deliver': topic<readonly Delivery[], null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
  'courier.delivered': topic<DeliverySettled, null>({ from: 'courier', to: 'main', deadlineMs: 0 }),
  /** The outbox moves the entry into the delivery log. */
  'hook.settle': topic<DeliverySettled, null>({ from: 'main', to: 'tenant-host', deadlineMs: 60_000 }),

  /** Sent again when the intake writer is new. */
  'notice.pending': topic<Pending, null>({ from: 'intake-writer', to: 'main', deadlineMs: 0 }),
  'notice.take': topic<OutboxWish, Taken<Notice>>({ from: 'main', to: 'intake-writer', deadlineMs: 60_000 }),
  'courier.notify': topic<readonly Notice[], null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
  'courier.notified': topic<NoticeSettled, null>({ from: 'courier', to: 'main', deadlineMs: 0 }),
  'notice.settle': topic<NoticeSettled, null>({ from: 'main', to: 'intake-writer', deadlineMs: 60_000 }),

  /** Spans of traced requests. */
  'node.spans': topic<SpanBatch, null>({
    from: ['tenant-host', 'intake-writer', 'vault-keeper', 'audit-sealer'],
    to: 'main',
    deadlineMs: 0,
  }),
  /** At a stop: hand over the spans that wait; they come before the answer. */
  'host.spans': topic<null, null>({ from: 'main', to: 'tenant-host', deadlineMs: 1000 }),
  /** Spans to export; answered when they are in the queue, or dropped by it. */
  'courier.spans': topic<SpanBatch, null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
  /** What became of spans since the last report. */
  'courier.exported': topic<TraceReport, null>({ from: 'courier', to: 'main', deadlineMs: 0 }),

  /** Numbers of tenants that are gone: the courier drops all that it holds of them. Answered when nothing of these tenants can leave any more. */
  'courier.forget': topic<readonly number[], null>({ from: 'main', to: 'courier', deadlineMs: 10_000 }),
} as const;
