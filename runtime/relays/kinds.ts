/** The kinds of parcels that leave the node's outboxes: the topics over which each travels, and its bounds. */
import { limits } from '#config/limits.ts';
import type { AuditParcel, AuditSettled } from '#actors/protocol/audit.ts';
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';
import { noticeKey, type Notice, type NoticeSettled } from '#actors/protocol/notice.ts';
import { NO_TENANT } from '#actors/protocol/outbox.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import type { RelayKind } from './relay-kind.ts';

export const MAIL: RelayKind<Mail, MailSettled> = {
  name: 'mail',
  heldMax: limits.mail.queueDepthMax,
  tenantsMax: 1, // one after the other, so that each outbox is offered the room that the one before it has left
  retryMs: limits.mail.retryMs,
  placeOf: (place) => place,
  outcomeOf: ({ outcome }) => outcome,
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
  gatherMs: limits.content.webhookGatherMs,
  placeOf: (place) => place,
  outcomeOf: ({ outcome }) => outcome,
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

/** `queueDepth`: the length of the courier's queue of notices. */
export const noticeKind = (queueDepth: number): RelayKind<Notice, NoticeSettled> => ({
  name: 'notice',
  heldMax: queueDepth,
  tenantsMax: 1,
  retryMs: limits.mail.retryMs,
  placeOf: (notice) => ({ tenantNo: NO_TENANT, id: noticeKey(notice) }),
  outcomeOf: ({ outcome }) => outcome,
  hearPending: (writer, pending) => writer.answer('notice.pending', pending),
  take: (writer, wish) => writer.ask('notice.take', wish),
  settle: (writer, answer) => writer.ask('notice.settle', answer),
  delivery: {
    answers: 'later',
    hand: (courier, notices) => courier.ask('courier.notify', notices),
    hear: (courier, settled) => courier.answer('courier.notified', settled),
    forget: () => Promise.resolve(null), // notices belong to no tenant
  },
});

/** The log recognizes a repeated event by its number, so a batch whose answer was lost can be handed over again. */
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
