/**
 * OTLP over HTTP as protobuf (opentelemetry-proto 1.x: collector/trace/v1/trace_service.proto, trace/v1/trace.proto, common/v1/common.proto,
 * resource/v1/resource.proto), as far as the exporter writes and reads it.
 */
import protobuf from 'protobufjs/light.js';
import type { Attributes, Span } from '#actors/kit/trace/span.ts';

const field = (id: number, type: string) => ({ id, type });
const many = (id: number, type: string) => ({ id, type, rule: 'repeated' });

const root = protobuf.Root.fromJSON({
  nested: {
    ExportTraceServiceRequest: { fields: { resourceSpans: many(1, 'ResourceSpans') } },
    ResourceSpans: { fields: { resource: field(1, 'Resource'), scopeSpans: many(2, 'ScopeSpans') } },
    Resource: { fields: { attributes: many(1, 'KeyValue') } },
    ScopeSpans: { fields: { scope: field(1, 'InstrumentationScope'), spans: many(2, 'Span') } },
    InstrumentationScope: { fields: { name: field(1, 'string'), version: field(2, 'string') } },
    Span: {
      fields: {
        traceId: field(1, 'bytes'),
        spanId: field(2, 'bytes'),
        traceState: field(3, 'string'),
        parentSpanId: field(4, 'bytes'),
        name: field(5, 'string'),
        kind: field(6, 'int32'),
        startTimeUnixNano: field(7, 'fixed64'),
        endTimeUnixNano: field(8, 'fixed64'),
        attributes: many(9, 'KeyValue'),
        links: many(13, 'Link'),
        status: field(15, 'Status'),
        flags: field(16, 'fixed32'),
      },
    },
    Link: { fields: { traceId: field(1, 'bytes'), spanId: field(2, 'bytes'), flags: field(6, 'fixed32') } },
    Status: { fields: { message: field(2, 'string'), code: field(3, 'int32') } },
    KeyValue: { fields: { key: field(1, 'string'), value: field(2, 'AnyValue') } },
    AnyValue: {
      oneofs: { value: { oneof: ['stringValue', 'intValue', 'doubleValue'] } },
      fields: { stringValue: field(1, 'string'), intValue: field(3, 'int64'), doubleValue: field(4, 'double') },
    },
    ExportTraceServiceResponse: { fields: { partialSuccess: field(1, 'ExportTracePartialSuccess') } },
    ExportTracePartialSuccess: { fields: { rejectedSpans: field(1, 'int64'), errorMessage: field(2, 'string') } },
  },
});
const requestType = root.lookupType('ExportTraceServiceRequest');
const responseType = root.lookupType('ExportTraceServiceResponse');

/** trace.proto, SpanFlags: the flags of the trace, that it is known whether the parent is remote, and whether it is. */
const SAMPLED = 0x01;
const KNOWS_REMOTE = 0x100;
const IS_REMOTE = 0x200;
const STATUS_ERROR = 2;
const NANOSECONDS_PER_MS = 1e6;

export interface ExportedBy {
  /** Attributes of the resource, `service.name` among them. */
  readonly resource: Attributes;
  readonly version: string;
}

/** The bytes of an export request. `epochMs`: what makes an instant of the process's clock one since 1970. */
export function encodeExport(spans: readonly Span[], { resource, version }: ExportedBy, epochMs: number): Uint8Array {
  const request = {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'skep', version }, spans: spans.map((span) => spanOf(span, epochMs)) }],
      },
    ],
  };
  return requestType.encode(requestType.create(request)).finish();
}

function spanOf(span: Span, epochMs: number): object {
  const { traceId, spanId, parentId, tracestate, name, kind, startMs, endMs, error, attributes, link, isRemote } = span;
  return {
    traceId: bytesOf(traceId),
    spanId: bytesOf(spanId),
    ...(tracestate !== '' && { traceState: tracestate }),
    ...(parentId !== '' && { parentSpanId: bytesOf(parentId) }),
    name,
    kind,
    startTimeUnixNano: nanosecondsOf(startMs, epochMs),
    endTimeUnixNano: nanosecondsOf(Math.max(startMs, endMs), epochMs),
    attributes: attributesOf(error === null ? attributes : [...attributes, ['error.type', error]]),
    links:
      link === null ? [] : [{ traceId: bytesOf(link[0]), spanId: bytesOf(link[1]), flags: KNOWS_REMOTE | IS_REMOTE }],
    ...(error !== null && { status: { code: STATUS_ERROR } }),
    flags: SAMPLED | KNOWS_REMOTE | (isRemote ? IS_REMOTE : 0),
  };
}

const bytesOf = (id: string): Buffer => Buffer.from(id, 'hex');

/** A double holds these to a quarter of a microsecond. */
function nanosecondsOf(processMs: number, epochMs: number): protobuf.Long {
  return protobuf.util.LongBits.fromNumber(Math.round((epochMs + processMs) * NANOSECONDS_PER_MS)).toLong(true);
}

function attributesOf(attributes: Attributes): object[] {
  return attributes.map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number): object {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value };
}

export interface PartialSuccess {
  readonly rejected: number;
  /** In the collector's words; '' for none. */
  readonly message: string;
}

/** What a collector rejected of a request that it has accepted; null when it rejected nothing. Throws for bytes that are no such answer. */
export function decodeAnswer(bytes: Uint8Array): PartialSuccess | null {
  const { partialSuccess } = responseType.toObject(responseType.decode(bytes), { longs: Number }) as {
    partialSuccess?: { rejectedSpans?: number; errorMessage?: string };
  };
  if (partialSuccess === undefined) return null;
  const { rejectedSpans = 0, errorMessage = '' } = partialSuccess;
  return rejectedSpans > 0 || errorMessage !== '' ? { rejected: rejectedSpans, message: errorMessage } : null;
}
