/** One export over HTTP, and what the collector's answer means (OTLP/HTTP, "OTLP/HTTP Response"). */
import { retryAfterMs } from '#actors/kit/retry-after.ts';
import type { Span } from '#actors/kit/trace/span.ts';
import { NotAccepted } from './exporter.ts';
import { decodeAnswer, encodeExport, type ExportedBy, type PartialSuccess } from './otlp.ts';

const PROTOBUF = 'application/x-protobuf';

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
