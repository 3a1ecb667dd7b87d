/** The span of one attempt to deliver a webhook. */
import type { Spans } from '#actors/kit/trace/spans.ts';
import type { Delivery } from '#actors/protocol/webhook.ts';
import { addAttempt, positionOf } from './attempt-span.ts';

/** Adds the span, where the request was traced. `status`: of the receiver's answer; null where it gave none. */
export function addDelivery(spans: Spans, delivery: Delivery, startMs: number, status: number | null): void {
  const isTaken = status !== null && status >= 200 && status <= 299;
  addAttempt(spans, {
    trace: delivery.trace,
    name: `webhook ${delivery.name}`,
    startMs,
    error: isTaken ? null : String(status ?? 'no_answer'),
    attributes: [
      ['http.request.method', 'POST'],
      ...(status === null ? [] : [['http.response.status_code', status] as const]),
      ['skep.webhook.event', delivery.event],
      ...positionOf(delivery.tenant),
    ],
  });
}
