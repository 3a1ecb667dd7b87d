/** A visit on uWebSockets.js. Its response object throws when touched after an abort or an end, so every touch is behind a flag. */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { limits } from '#config/limits.ts';
import { AnswerHeads, isBodyless } from './answer-head.ts';
import { BaseVisit } from './base-visit.ts';
import { callerIp } from './caller-ip.ts';
import type { HeaderFields } from './header-fields.ts';
import type { DoorState } from './moving-visit.ts';
import type { VisitHandler } from './port.ts';
import { outsideReading } from './outside-reading.ts';
import { UwsPieces } from './uws-pieces.ts';

const heads = new AnswerHeads();
const decoder = new TextDecoder('latin1');

export class UwsVisit extends BaseVisit {
  readonly #res: HttpResponse;
  #pieces: UwsPieces | null = null;
  #length = -1;

  constructor(
    method: string,
    path: string,
    req: HttpRequest,
    res: HttpResponse,
    fields: HeaderFields,
    door: DoorState,
  ) {
    super(method, path, req.getQuery() ?? '', fields, door);
    this.#res = res;
  }

  /** Runs the handler, then watches for an abort if the answer has not left by then: synchronous answers need no watch. */
  serve(handler: VisitHandler): void {
    this.run(handler);
    if (!this.finished) this.#res.onAborted(() => this.gone());
  }

  ip(): string {
    return this.aborted || this.finished ? '' : callerIp(decoder.decode(this.#res.getRemoteAddressAsText()));
  }

  protected listen(): void {
    this.#res.onData((chunk, last) => this.chunk(new Uint8Array(chunk), last));
  }

  /** Sets the addon's clock back: its pause() stops the clock and its resume() starts it anew at 10 s; nothing else does. */
  keep(): void {
    if (this.aborted || this.finished || this.paused) return;
    this.#res.pause();
    this.#res.resume();
  }

  protected pause(): void {
    this.#res.pause();
  }

  protected resume(): void {
    this.#res.resume();
  }

  protected writeHead(status: number, headers: string, length: number, close: boolean, requestId: string): void {
    const res = this.#res;
    this.#length = length;
    res.cork(() => {
      res.writeStatus(heads.of(status, headers, requestId));
      if (this.method === 'HEAD') {
        this.#sendHead(length, close);
        this.finish();
      } else if (length === 0) {
        res.end('', close);
        this.finish();
      } else {
        if (close) res.writeHeader('Connection', 'close');
        const taken = (bytes: number): void => {
          this.unsent(this.#pieces?.unsent ?? 0);
          this.takenPieces(bytes);
        };
        this.#pieces = new UwsPieces(res, length, taken, () => this.finish());
      }
    });
  }

  protected writePiece(bytes: Uint8Array): void {
    this.#res.cork(() => this.#pieces?.add(bytes));
    this.unsent(this.#pieces?.unsent ?? 0);
  }

  /** Ends an answer of unknown length; one of known length has ended with its last byte. */
  protected writeEnd(): void {
    if (this.#length >= 0) return;
    this.#res.cork(() => this.#res.end());
    this.finish();
  }

  protected destroy(): void {
    if (!this.aborted) this.#res.close();
  }

  protected write(status: number, headers: string, body: string | Uint8Array, close: boolean, requestId: string): void {
    const head = heads.of(status, headers, requestId);
    if (this.cuts) outsideReading(() => this.#sendLater(head, status, body));
    else if (this.inHandler) this.#send(head, status, body, close);
    else this.#res.cork(() => this.#send(head, status, body, close));
  }

  #sendLater(head: string, status: number, body: string | Uint8Array): void {
    if (!this.aborted) this.#res.cork(() => this.#send(head, status, body, true));
  }

  #send(head: string, status: number, body: string | Uint8Array, close: boolean): void {
    const res = this.#res;
    const bodyless = isBodyless(status);
    res.writeStatus(head);
    if (bodyless && this.cuts) res.end('', true);
    else if (bodyless || this.method === 'HEAD') this.#sendHead(bodyless ? -1 : lengthOf(body), close);
    else if (body.length >= limits.door.pieceBytesMin && !this.cuts) {
      this.#sendPieces(body, close);
      return;
    } else res.end(body, close);
    this.finish();
  }

  /**
   * Ends without a body. The addon's own arguments for the length and for closing leave the response open in this version, so
   * both are written as fields; the door's close() then ends the connection.
   */
  #sendHead(length: number, close: boolean): void {
    if (length >= 0) this.#res.writeHeader('Content-Length', String(length));
    if (close) this.#res.writeHeader('Connection', 'close');
    this.#res.endWithoutBody();
  }

  /** The rest of a large answer leaves as the caller reads; the visit lasts until then. */
  #sendPieces(body: string | Uint8Array, close: boolean): void {
    const res = this.#res;
    if (close) res.writeHeader('Connection', 'close');
    const total = lengthOf(body);
    if (res.tryEnd(body, total)[1]) {
      this.finish();
      return;
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    let at = 0;
    res.onWritable((offset) => {
      this.sent(offset - at);
      at = offset;
      this.unsent(total - offset);
      const [sent, over] = res.tryEnd(bytes.subarray(offset), total);
      if (over) this.finish();
      return sent;
    });
    this.unsent(total);
  }
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
