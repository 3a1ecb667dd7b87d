/** gRPC over HTTP/2 (the "gRPC over HTTP2" protocol page), as far as a server of unary and server-streaming calls needs it. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { limits } from '#config/limits.ts';

/** Status codes of gRPC. */
export const GRPC = {
  ok: 0,
  invalidArgument: 3,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export class GrpcError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const HEAD_BYTES = 5;
const TYPE = 'application/grpc';

export const isGrpc = (headers: IncomingHttpHeaders): boolean => (headers['content-type'] ?? '').startsWith(TYPE);

/** One call: its request is read, then its handler sends any number of messages. */
export class GrpcCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly #stream: ServerHttp2Stream;
  #status = '';

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream;
    this.headers = headers;
    this.path = headers[':path'] ?? '';
  }

  get isOpen(): boolean {
    return !this.#stream.destroyed && !this.#stream.closed;
  }

  /** Runs when the caller has left or the call has ended; gives the function that cancels this. */
  onClose(run: () => void): () => void {
    this.#stream.once('close', run);
    return () => void this.#stream.off('close', run);
  }

  /** The one message of the request. Throws GrpcError. */
  async request(): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of this.#stream as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > limits.agent.messageBytesMax)
        throw new GrpcError(GRPC.resourceExhausted, 'the request is too large');
      pieces.push(piece);
    }
    const bytes = Buffer.concat(pieces);
    if (bytes.length < HEAD_BYTES || bytes.readUInt32BE(1) !== bytes.length - HEAD_BYTES)
      throw new GrpcError(GRPC.invalidArgument, 'the request is not one message');
    if (bytes[0] !== 0) throw new GrpcError(GRPC.unimplemented, 'compressed messages are not supported');
    return bytes.subarray(HEAD_BYTES);
  }

  send(message: Buffer): void {
    if (!this.isOpen) return;
    this.#begin();
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(message.length, 1);
    this.#stream.write(Buffer.concat([head, message]));
  }

  /** Ends the call with success or with an error. */
  end(status: number, message = ''): void {
    if (!this.isOpen) return;
    const trailers = { 'grpc-status': String(status), 'grpc-message': escaped(message) };
    if (!this.#stream.headersSent) {
      this.#stream.respond({ ':status': 200, 'content-type': TYPE, ...trailers }, { endStream: true });
      return;
    }
    this.#status = JSON.stringify(trailers);
    this.#stream.end();
  }

  #begin(): void {
    if (this.#stream.headersSent) return;
    this.#stream.respond({ ':status': 200, 'content-type': TYPE }, { waitForTrailers: true });
    this.#stream.once('wantTrailers', () => {
      this.#stream.sendTrailers(JSON.parse(this.#status || '{}') as Record<string, string>);
    });
  }
}

/** Percent-encoded, as header values must be. */
const escaped = (text: string): string =>
  text.replaceAll(/[^\x20-\x24\x26-\x7e]/g, (char) => encodeURIComponent(char).replaceAll("'", '%27'));
