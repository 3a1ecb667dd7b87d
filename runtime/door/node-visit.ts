/** A visit on node:http. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { limits } from '#config/limits.ts';
import { headerPairs, isBodyless } from './answer-head.ts';
import { BaseVisit } from './base-visit.ts';
import { callerIp } from './caller-ip.ts';
import type { HeaderFields } from './header-fields.ts';
import type { DoorState } from './moving-visit.ts';
import type { NodeConnection } from './node-connection.ts';
import type { VisitHandler } from './port.ts';

const NOTHING = new Uint8Array(0);

export class NodeVisit extends BaseVisit {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #connection: NodeConnection;

  constructor(
    path: string,
    query: string,
    req: IncomingMessage,
    res: ServerResponse,
    connection: NodeConnection,
    fields: HeaderFields,
    door: DoorState,
  ) {
    super(req.method ?? '', path, query, fields, door);
    this.#req = req;
    this.#res = res;
    this.#connection = connection;
  }

  /** Whether the whole request has arrived. */
  get received(): boolean {
    return this.#req.complete;
  }

  serve(handler: VisitHandler): void {
    this.#connection.visits.add(this);
    this.#connection.last = this;
    // `finish` also comes when a broken connection cut the answer short.
    this.#res.on('finish', () => (this.#req.socket.destroyed ? this.gone() : this.finish()));
    this.run(handler);
  }

  /** Its connection is gone. */
  leave(): void {
    this.gone();
  }

  ip(): string {
    return callerIp(this.#req.socket.remoteAddress ?? '');
  }

  override peer(): string {
    const socket = this.#req.socket as Partial<TLSSocket>;
    return (this.#connection.peer ??= socket.getPeerX509Certificate?.()?.raw.toString('base64') ?? '');
  }

  protected override finish(): void {
    this.#connection.visits.delete(this);
    super.finish();
  }

  /** Node has no clock of its own here, unlike the addon. */
  keep(): void {
    return;
  }

  protected listen(): void {
    this.#req.on('data', (bytes: Buffer) => this.chunk(bytes, false));
    this.#req.on('end', () => this.chunk(NOTHING, true));
    this.watchBody();
  }

  protected pause(): void {
    this.#req.pause();
  }

  protected resume(): void {
    this.#req.resume();
  }

  protected writeHead(status: number, headers: string, length: number, close: boolean, requestId: string): void {
    const pairs = headerPairs(headers);
    if (requestId !== '') pairs.push('X-Request-Id', requestId);
    if (length >= 0) pairs.push('Content-Length', String(length));
    if (close || this.#connection.over) pairs.push('Connection', 'close');
    this.#res.writeHead(status, pairs);
    if (this.method === 'HEAD') this.#res.end();
    else this.#res.flushHeaders();
  }

  protected writePiece(bytes: Uint8Array): void {
    this.#res.write(bytes, (error) => {
      if (error !== null && error !== undefined) return;
      this.unsent(this.#res.writableLength);
      this.takenPieces(bytes.byteLength);
    });
    this.unsent(this.#res.writableLength);
  }

  protected writeEnd(): void {
    this.#res.end();
  }

  protected destroy(): void {
    this.#req.socket.destroy();
  }

  protected write(status: number, headers: string, body: string | Uint8Array, close: boolean, requestId: string): void {
    const res = this.#res;
    const pairs = headerPairs(headers);
    if (requestId !== '') pairs.push('X-Request-Id', requestId);
    if (!isBodyless(status)) pairs.push('Content-Length', String(Buffer.byteLength(body)));
    if (close || this.#connection.over) pairs.push('Connection', 'close');
    res.writeHead(status, pairs);
    if (isBodyless(status)) res.end();
    else if (this.method === 'HEAD' || body.length < limits.door.pieceBytesMin) this.#sendWhole(body);
    else this.#sendPieces(typeof body === 'string' ? Buffer.from(body) : body, 0);
  }

  /** An answer that waits behind an earlier one on its connection is not held to the pace: its caller cannot take it yet. */
  #sendWhole(body: string | Uint8Array): void {
    const res = this.#res;
    res.end(body);
    if (res.socket !== null) this.unsent(res.writableLength);
  }

  /** Writes a piece when the one before it has left, since node does not say how much of one large write has left. */
  #sendPieces(bytes: Uint8Array, from: number): void {
    const to = from + limits.door.pieceBytes;
    if (this.aborted) return;
    if (to >= bytes.byteLength) this.#sendWhole(bytes.subarray(from));
    else {
      this.#res.write(bytes.subarray(from, to), (error) => {
        if (error !== null && error !== undefined) return;
        this.sent(to - from);
        this.#sendPieces(bytes, to);
      });
      if (this.#res.socket !== null) this.unsent(bytes.byteLength - from);
    }
  }
}
