/** The kinds of what leaves the node's outboxes: over which topics each travels, and its bounds. */
import { limits } from '#config/limits.ts';
import type { AuditParcel, AuditSettled } from '#actors/protocol/audit.ts';
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';
import { noticeKey } from '#actors/protocol/notice.ts';
import type { Notice, NoticeSettled } from '#actors/protocol/notice.ts';
import { NO_TENANT } from '#actors/protocol/outbox.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import type { RelayKind } from './relay.ts';

export const MAIL: RelayKind<Mail, MailSettled> = {
  name: 'mail',
  heldMax: limits.mail.queueDepthMax,
  tenantsMax: 1, // each is offered the room that the one before it has left
  retryMs: limits.mail.retryMs,
  placeOf: (place) => place,
  hearPending: (host, pending) => host.answer('mail.pending', pending),
  take: (host, wish) => host.ask('mail.take', wish),
  settle: (host, answer) => host.ask('mail.settle', answer),
  delivery: {
    answers: 'later',
    hand: (courier, mails) => courier.ask('courier.send', mails),
    hear: (courier, settled) => courier.answer('courier.settled', settled),
    forget: (courier, tenantNos) => courier.ask('courier.forget', tenantNos),
  },
};

export const HOOK: RelayKind<Delivery, DeliverySettled> = {
  name: 'webhook',
  heldMax: limits.content.webhookQueueDepth,
  tenantsMax: 1,
  retryMs: limits.content.webhookRetryMs,
  placeOf: (place) => place,
  hearPending: (host, pending) => host.answer('hook.pending', pending),
  take: (host, wish) => host.ask('hook.take', wish),
  settle: (host, answer) => host.ask('hook.settle', answer),
  delivery: {
    answers: 'later',
    hand: (courier, deliveries) => courier.ask('courier.deliver', deliveries),
    hear: (courier, settled) => courier.answer('courier.delivered', settled),
    forget: (courier, tenantNos) => courier.ask('courier.forget', tenantNos),
  },
};

/** `queueDepth`: of the courier's queue of notices. */
export const noticeKind = (queueDepth: number): RelayKind<Notice, NoticeSettled> => ({
  name: 'notice',
  heldMax: queueDepth,
  tenantsMax: 1,
  retryMs: limits.mail.retryMs,
  placeOf: (notice) => ({ tenantNo: NO_TENANT, id: noticeKey(notice) }),
  hearPending: (writer, pending) => writer.answer('notice.pending', pending),
  take: (writer, wish) => writer.ask('notice.take', wish),
  settle: (writer, answer) => writer.ask('notice.settle', answer),
  delivery: {
    answers: 'later',
    hand: (courier, notices) => courier.ask('courier.notify', notices),
    hear: (courier, settled) => courier.answer('courier.notified', settled),
    forget: () => Promise.resolve(null), // a notice is no tenant's
  },
});

/** The log knows a repetition by its number, so a batch whose answer was lost is handed over again. */
export const AUDIT: RelayKind<AuditParcel, AuditSettled> = {
  name: 'audit',
  heldMax: Infinity,
  tenantsMax: limits.audit.tenantsPassingMax,
  retryMs: limits.audit.retryMs,
  placeOf: ({ tenantNo, upTo }) => ({ tenantNo, id: String(upTo) }),
  hearPending: (host, pending) => host.answer('audit.pending', pending),
  take: (host, wish) => host.ask('audit.take', wish),
  settle: (host, answer) => host.ask('audit.settle', answer),
  delivery: {
    answers: 'at once',
    hand: async (sealer, { tenantNo, upTo, batch }) => {
      await sealer.ask('audit.append', batch);
      return { tenantNo, upTo };
    },
  },
};
