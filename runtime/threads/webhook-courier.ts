/** The courier of webhooks: the contract's queue, workers, attempts and backoff. */
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { logWebhookAttempt } from '#actors/courier/attempt-log.ts';
import { Courier } from '#actors/courier/courier.ts';
import { NotTaken, isFinalDelivery, sendWebhook, type Post } from '#actors/courier/send-webhook.ts';
import { addDelivery } from '#actors/courier/traces/delivery-span.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import type { Log } from '#actors/host/activation.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { KeptConnections } from '#actors/kit/outbound/kept-connections.ts';
import { Outbound } from '#actors/kit/outbound/outbound.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';

type Met = Pick<DeliverySettled, 'attempts' | 'status' | 'error'>;

/** `settle` is called once for each delivery. */
export function webhookCourier(
  platform: Platform,
  log: Log,
  settle: (settled: DeliverySettled) => void,
  spans: Spans | null,
): Courier<Delivery> {
  const { content } = limits;
  const post = poster(platform);
  const met = new WeakMap<Delivery, Met>();
  return new Courier<Delivery>({
    clock: systemClock,
    log,
    keyOf: ({ tenantNo, id }) => `${tenantNo} ${id}`, // ids are unique within a tenant only
    rules: {
      queueDepthMax: content.webhookQueueDepth,
      sendingMax: content.webhookWorkers,
      attemptsMax: content.webhookAttempts,
      backoffMs: content.webhookBackoffMs,
      backoffMsMax: content.webhookBackoffMs * 2 ** content.webhookAttempts,
    },
    send: async (delivery, forgotten) => {
      const attempts = (met.get(delivery)?.attempts ?? 0) + 1;
      const startMs = spans?.now() ?? 0;
      try {
        const status = await sendWebhook(post, delivery, systemClock.now(), forgotten);
        met.set(delivery, { attempts, status, error: null });
        if (spans !== null) addDelivery(spans, delivery, startMs, status);
      } catch (error) {
        const status = error instanceof NotTaken ? error.status : null;
        met.set(delivery, { attempts, status, error: (error as Error).message.slice(0, 500) });
        if (spans !== null) addDelivery(spans, delivery, startMs, status);
        throw error;
      }
    },
    isFinal: isFinalDelivery,
    failed: (delivery, attempt) => logWebhookAttempt(log, delivery, attempt),
    settle: (delivery, outcome) => {
      const { attempts, status, error } = met.get(delivery) ?? { attempts: 0, status: null, error: null };
      settle({ tenantNo: delivery.tenantNo, id: delivery.id, outcome, attempts, status, error });
    },
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
}

/** Has one client for each deadline that subscriptions declare; a client checks a receiver's address when it connects. */
function poster(platform: Platform): Post {
  const clients = new Map<number, Outbound>();
  const kept = new KeptConnections();
  return async (url, headers, body, deadlineMs, signal) => {
    let client = clients.get(deadlineMs);
    if (client === undefined) {
      client = new Outbound({ allowPrivate: platform.outbound.allow_private, deadlineMs, kept });
      clients.set(deadlineMs, client);
    }
    return (await client.fetch(url, { method: 'POST', headers, body, signal, wants: 'status' })).status;
  };
}
