/**
 * A collector of traces: an HTTP server that takes OTLP over HTTP and decodes it by the official definitions (test/fixtures/opentelemetry-proto),
 * which the node does not use.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

const fixtures = fileURLToPath(new URL('../fixtures/opentelemetry-proto/', import.meta.url));
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => fixtures + target;
root.loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto');
const service = 'opentelemetry.proto.collector.trace.v1';
const requestType = root.lookupType(`${service}.ExportTraceServiceRequest`);
const responseType = root.lookupType(`${service}.ExportTraceServiceResponse`);

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** As the definitions name it, for example SPAN_KIND_SERVER. */
  readonly kind: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly flags: number;
  readonly status: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly resource: Readonly<Record<string, string | number>>;
}

export interface ReceivedExport {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly spans: readonly ReceivedSpan[];
}

export interface OtlpReceiver {
  readonly url: string;
  readonly port: number;
  readonly exports: ReceivedExport[];
  /** An empty success unless a test says otherwise. */
  answer: (response: ServerResponse, received: ReceivedExport) => void;
  readonly spans: readonly ReceivedSpan[];
  /** Resolves with all spans as soon as they satisfy the test; rejects after ten seconds with their names. */
  until(isEnough: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>;
  stop(): Promise<void>;
}

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string; readonly doubleValue?: number };
}

interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly Readonly<Record<string, unknown>>[] }[];
  }[];
}

const hex = (bytes: unknown): string => (bytes as Buffer).toString('hex');

function attributesOf(attributes: readonly KeyValue[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue ?? Number(value.intValue)]),
  );
}

/** The spans of an export request. Throws for bytes that are no such message. */
export function decodeSpans(bytes: Buffer): ReceivedSpan[] {
  const message = requestType.decode(bytes);
  const decoded = requestType.toObject(message, {
    longs: String,
    enums: String,
    defaults: true,
    oneofs: false,
  }) as Decoded;
  return decoded.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, resource.attributes))),
  );
}

function spanOf(span: Readonly<Record<string, unknown>>, resource: readonly KeyValue[]): ReceivedSpan {
  const links = span['links'] as readonly { traceId: Buffer; spanId: Buffer }[];
  return {
    traceId: hex(span['traceId']),
    spanId: hex(span['spanId']),
    parentSpanId: hex(span['parentSpanId']),
    traceState: span['traceState'] as string,
    name: span['name'] as string,
    kind: span['kind'] as string,
    start: BigInt(span['startTimeUnixNano'] as string),
    end: BigInt(span['endTimeUnixNano'] as string),
    flags: span['flags'] as number,
    status: (span['status'] as { code?: string } | null)?.code ?? 'STATUS_CODE_UNSET',
    attributes: attributesOf(span['attributes'] as readonly KeyValue[]),
    links: links.map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
    resource: attributesOf(resource),
  };
}

/** The bytes of a collector's answer that rejects some of the spans. */
export function rejecting(rejectedSpans: number, errorMessage: string): Buffer {
  return Buffer.from(
    responseType.encode(responseType.create({ partialSuccess: { rejectedSpans, errorMessage } })).finish(),
  );
}

export async function startOtlpReceiver(port = 0): Promise<OtlpReceiver> {
  const exports: ReceivedExport[] = [];
  const waiting = new Set<() => void>();
  const spansNow = (): ReceivedSpan[] => exports.flatMap(({ spans }) => spans);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const received = { headers: request.headers, bytes, spans: decodeSpans(bytes) };
      exports.push(received);
      receiver.answer(response, received);
      for (const look of waiting) look();
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${own}/v1/traces`,
    port: own,
    exports,
    answer: (response) => void response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(),
    get spans() {
      return spansNow();
    },
    until: (isEnough) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!isEnough(spansNow())) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve(spansNow());
        };
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(
            new Error(`the spans that came are not enough: ${JSON.stringify(spansNow().map(({ name }) => name))}`),
          );
        }, 10_000);
        waiting.add(look);
        look();
      }),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
