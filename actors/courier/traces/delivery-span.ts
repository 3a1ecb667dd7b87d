/** The span of one attempt to deliver a webhook: a trace of its own, linked to the request whose change it reports, which is long over. */
import { CLIENT_SPAN } from '#actors/kit/trace/span.ts';
import type { Attributes } from '#actors/kit/trace/span.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import { parseTraceparent } from '#actors/kit/trace/trace-context.ts';
import type { Delivery } from '#actors/protocol/webhook.ts';

/** Adds the span, where the request was traced. `status`: of the receiver's answer; null where it gave none. */
export function addDelivery(spans: Spans, delivery: Delivery, startMs: number, status: number | null): void {
  const origin = delivery.trace === undefined ? null : parseTraceparent(delivery.trace);
  if (origin === null) return;
  const isTaken = status !== null && status >= 200 && status <= 299;
  spans.add({
    traceId: spans.traceId(),
    spanId: spans.spanId(),
    parentId: '',
    isRemote: false,
    tracestate: '',
    name: `webhook ${delivery.name}`,
    kind: CLIENT_SPAN,
    startMs,
    endMs: spans.now(),
    error: isTaken ? null : String(status ?? 'no_answer'),
    attributes: [
      ['http.request.method', 'POST'],
      ...(status === null ? [] : [['http.response.status_code', status] as const]),
      ['skep.webhook.event', delivery.event],
      ...positionOf(delivery.tenant),
    ],
    link: [origin.traceId, origin.parentId],
  });
}

/** The four parts of a tenant's key, under the names that the door's span has. */
function positionOf(tenant: string): Attributes {
  const parts = tenant.split(':');
  return ['skep.customer', 'skep.product', 'skep.env', 'skep.tenant'].map(
    (name, at) => [name, parts[at] ?? ''] as const,
  );
}
