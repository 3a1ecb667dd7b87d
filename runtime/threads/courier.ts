/** The courier's shell: sends mails, webhooks and notices that main hands over. */
import type { MessagePort } from 'node:worker_threads';
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { logMailAttempt } from '#actors/courier/attempt-log.ts';
import { Courier, type Parcel } from '#actors/courier/courier.ts';
import { Mailbox } from '#actors/courier/mailbox.ts';
import { isFinalFailure, smtpSender } from '#actors/courier/smtp.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { Mail } from '#actors/protocol/mail.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { noticeCourier } from './notice-courier.ts';
import { smtpSettings } from './smtp-settings.ts';
import { traceCourier } from './trace-courier.ts';
import { webhookCourier } from './webhook-courier.ts';
import { threadSpans } from './thread-spans.ts';
import { attempted, positionOf } from '#actors/courier/traces/attempt-span.ts';
import type { Exporter } from '#actors/courier/traces/exporter.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import type { TraceReport } from '#actors/protocol/traces.ts';
import type { NoticeSettled } from '#actors/protocol/notice.ts';
import type { DeliverySettled } from '#actors/protocol/webhook.ts';
import type { Span } from '#actors/kit/trace/span.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { keepBeat, type BeatingData } from './keep-beat.ts';

export interface CourierData extends BeatingData {
  readonly platform: Platform;
}

/** The sender of one kind of parcels. */
interface Carrier {
  readonly stop: () => Promise<void>;
  /** Drops the parcels of these tenants: none of them leaves any more. */
  readonly forget: (tenantNos: ReadonlySet<number>) => void;
}

/** Runs a function after `ms`; gives the function that cancels it. */
function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

export function runCourier(port: MessagePort, { platform, pulse }: CourierData): void {
  const channel = new Channel(port, 'courier', 'main');
  keepBeat(channel, new Pulse(pulse));
  const carriers: Carrier[] = [];
  const exporter = exporterOf(channel, platform);
  const spans = ownSpans(platform, exporter);
  if (platform.identity.mail !== undefined) carriers.push(carryMail(channel, platform, spans));
  if (platform.service === null) carriers.push(carryWebhooks(channel, platform, spans));
  if (platform.intake.notify.enabled) carriers.push(carryNotices(channel, platform, spans));
  if (exporter !== null) carriers.push(carrySpans(channel, exporter));
  channel.answer('courier.forget', (tenantNos) => {
    const gone = new Set(tenantNos);
    for (const { forget } of carriers) forget(gone);
    return null;
  });
  channel.answer('thread.drain', async () => {
    const stopped = Promise.all(carriers.map(({ stop }) => stop()));
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, limits.mail.drainMs))]);
    return null;
  });
}

/** The spans of its own attempts go to its exporter at once; null where nothing is traced. */
function ownSpans(platform: Platform, exporter: Exporter | null): Spans | null {
  if (exporter === null) return null;
  return threadSpans(platform, ({ spans, count }) => exporter.offer(JSON.parse(spans) as Span[], count));
}

function carryMail(channel: Channel, platform: Platform, spans: Spans | null): Carrier {
  const mailbox = mailboxOf(channel, platform);
  const send = mailbox === null ? serverSender(platform) : async (mail: Mail) => mailbox.keep(mail);
  const log = threadLogger(platform, 'courier');
  const courier = new Courier<Mail>({
    clock: systemClock,
    log,
    keyOf: ({ tenantNo, id }) => `${tenantNo} ${id}`, // ids are unique within a tenant only
    send: (mail, forgotten) =>
      attempted(spans, { trace: mail.trace, name: 'mail', attributes: positionOf(mail.tenant) }, () =>
        send(mail, forgotten),
      ),
    isFinal: isFinalFailure,
    failed: (mail, attempt) => logMailAttempt(log, mail, attempt),
    settle: ({ tenantNo, id }, outcome) => channel.tell('courier.settled', { tenantNo, id, outcome }),
    after,
  });
  channel.answer('courier.send', (mails) => {
    for (const mail of mails) courier.offer(mail);
    return null;
  });
  const carrier = ofTenants(courier);
  return {
    ...carrier,
    forget: (tenantNos) => {
      carrier.forget(tenantNos);
      mailbox?.forget((tenantNo) => tenantNos.has(tenantNo));
    },
  };
}

function serverSender(platform: Platform): (mail: Mail, forgotten: AbortSignal) => Promise<void> {
  const send = smtpSender(smtpSettings(platform));
  return ({ id, to, subject, text, html }, forgotten) => send({ id, to: [to], subject, text, html }, forgotten);
}

/** Null where mails leave. */
function mailboxOf(channel: Channel, { identity }: Platform): Mailbox | null {
  const mailbox = identity.mail?.mailbox === true ? new Mailbox(identity.mail.from, systemClock) : null;
  channel.answer('courier.mailbox', () => mailbox?.list() ?? []);
  return mailbox;
}

function carryWebhooks(channel: Channel, platform: Platform, spans: Spans | null): Carrier {
  const settle = (settled: DeliverySettled): void => channel.tell('courier.delivered', settled);
  const courier = webhookCourier(platform, threadLogger(platform, 'courier'), settle, spans);
  channel.answer('courier.deliver', (deliveries) => {
    for (const delivery of deliveries) courier.offer(delivery);
    return null;
  });
  return ofTenants(courier);
}

function ofTenants<M extends Parcel & { readonly tenantNo: number }>(courier: Courier<M>): Carrier {
  return {
    stop: () => courier.stop(),
    forget: (tenantNos) => courier.forget(({ tenantNo }) => tenantNos.has(tenantNo)),
  };
}

/** Null where nothing is traced. */
function exporterOf(channel: Channel, platform: Platform): Exporter | null {
  const { traces } = platform.telemetry;
  if (traces === undefined) return null;
  const report = (told: TraceReport): void => channel.tell('courier.exported', told);
  return traceCourier(traces, threadLogger(platform, 'courier'), report);
}

/** Spans belong to no tenant: they name one, as log lines do. */
function carrySpans(channel: Channel, exporter: Exporter): Carrier {
  channel.answer('courier.spans', ({ spans }) => {
    exporter.offer(JSON.parse(spans) as Span[]);
    return null;
  });
  return { stop: () => exporter.stop(), forget: () => undefined };
}

/** At shutdown each queued notice gets one attempt; those that fail wait in the outbox. */
function carryNotices(channel: Channel, platform: Platform, spans: Spans | null): Carrier {
  const settle = (settled: NoticeSettled): void => channel.tell('courier.notified', settled);
  const courier = noticeCourier(platform, threadLogger(platform, 'courier'), settle, spans);
  channel.answer('courier.notify', (notices) => {
    for (const notice of notices) courier.offer(notice);
    return null;
  });
  const stop = async (): Promise<void> => {
    await courier.settled();
    await courier.stop();
  };
  return { stop, forget: () => undefined }; // notices belong to no tenant
}
