/** One export over HTTP, and what the collector's answer means (OTLP/HTTP, "OTLP/HTTP Response"). */
import type { Span } from '#actors/kit/trace/span.ts';
import { NotAccepted } from './exporter.ts';
import { decodeAnswer, encodeExport } from './otlp.ts';
import type { ExportedBy, PartialSuccess } from './otlp.ts';

const PROTOBUF = 'application/x-protobuf';
const SECOND_MS = 1000;
/** The form that senders must use (RFC 9110 §5.6.7). */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Posts to the collector; rejects with NotAccepted where no answer comes. */
export type PostSpans = (headers: Record<string, string>, body: Uint8Array) => Promise<Response>;

/** What the collector rejected of a request that it took; null when nothing. Rejects with NotAccepted. */
export async function postExport(
  post: PostSpans,
  spans: readonly Span[],
  by: ExportedBy,
  epochMs: number,
  nowMs: number,
): Promise<PartialSuccess | null> {
  const body = encodeExport(spans, by, epochMs);
  const headers = {
    'content-type': PROTOBUF,
    'content-length': String(body.length),
    accept: PROTOBUF,
    'user-agent': `skep/${by.version}`,
  };
  const response = await post(headers, body);
  const { status } = response;
  if (status !== 200) {
    const wait = retryAfterMs(response.headers.get('retry-after'), nowMs);
    throw new NotAccepted(status, wait, `the collector answered ${status}`);
  }
  // A collector that answers in another form has still taken them all.
  if (response.headers.get('content-type')?.startsWith(PROTOBUF) !== true) return null;
  return partialOf(new Uint8Array(await response.arrayBuffer()));
}

function partialOf(bytes: Uint8Array): PartialSuccess | null {
  try {
    return decodeAnswer(bytes);
  } catch {
    return null;
  }
}

/** RFC 9110 §10.2.3: seconds, or a date; null for anything else. */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND_MS;
  const date = DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
