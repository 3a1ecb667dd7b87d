/** The span of one attempt to send what waited in an outbox: a trace of its own, linked to the request that caused it, which is long over. */
import { CLIENT_SPAN, type Attributes } from '#actors/kit/trace/span.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import { parseTraceparent } from '#actors/kit/trace/trace-context.ts';

export interface Attempted {
  /** `traceparent` of the request; undefined where it was not traced, and no span is made. */
  readonly trace: string | undefined;
  readonly name: string;
  readonly startMs: number;
  /** Null when the receiver took it. */
  readonly error: string | null;
  readonly attributes: Attributes;
}

export function addAttempt(spans: Spans, { trace, name, startMs, error, attributes }: Attempted): void {
  const origin = trace === undefined ? null : parseTraceparent(trace);
  if (origin === null) return;
  spans.add({
    traceId: spans.traceId(),
    spanId: spans.spanId(),
    parentId: '',
    isRemote: false,
    tracestate: '',
    name,
    kind: CLIENT_SPAN,
    startMs,
    endMs: spans.now(),
    error,
    attributes,
    link: [origin.traceId, origin.parentId],
  });
}

/** Sends, and adds the span of the attempt. What it sends and to whom is not in the span: it may be personal. */
export async function attempted(
  spans: Spans | null,
  what: Pick<Attempted, 'trace' | 'name' | 'attributes'>,
  send: () => Promise<void>,
): Promise<void> {
  if (spans === null || what.trace === undefined) return send();
  const startMs = spans.now();
  try {
    await send();
  } catch (error) {
    addAttempt(spans, { ...what, startMs, error: errorType(error) });
    throw error;
  }
  addAttempt(spans, { ...what, startMs, error: null });
}

/** A status of HTTP or SMTP, or a code of the transport; never its text, which may name an address. */
function errorType(error: unknown): string {
  const { status, responseCode, code } = error as { status?: number; responseCode?: number; code?: string };
  return String(status ?? responseCode ?? code ?? 'no_answer');
}

/** The four parts of a tenant's key, under the names that the door's span has. */
export function positionOf(tenant: string): Attributes {
  const parts = tenant.split(':');
  return ['skep.customer', 'skep.product', 'skep.env', 'skep.tenant'].map(
    (name, at) => [name, parts[at] ?? ''] as const,
  );
}
