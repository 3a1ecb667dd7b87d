/**
 * The part of a visit that both servers share: one answer, a body under its cap, nothing after an abort, and no exception that
 * reaches the server. The servers add how bytes leave and arrive.
 *
 * A chunked body is special: uWebSockets.js reads chunk ends laxly, so what follows one may be no request. Its connection is
 * therefore closed after the answer, and the answer waits until the body has been read or dropped, for closing on unread
 * bytes would reset the connection and lose the answer. A body that is read in pieces is treated alike when its answer comes early.
 */
import { limits } from '#config/limits.ts';
import type { Body } from '#actors/protocol/frame.ts';
import { BodyCollector } from './collect-body.ts';
import { CHUNKED, type HeaderFields } from './header-fields.ts';
import { MovingVisit, type DoorState } from './moving-visit.ts';
import type { AnswerSink, BodySink, Visit, VisitWatcher } from './port.ts';

interface Reading {
  readonly collector: BodyCollector;
  readonly done: (body: Body) => void;
  readonly tooLarge: () => void;
  readonly tooSlow: () => void;
}

interface Held {
  readonly status: number;
  readonly headers: string;
  readonly body: string | Uint8Array;
  readonly requestId: string;
}

/** An answer in pieces that is collected, since it has to leave whole. */
interface Gathered extends Omit<Held, 'body'> {
  readonly sink: AnswerSink;
  readonly pieces: Uint8Array[];
  bytes: number;
}

export abstract class BaseVisit extends MovingVisit implements Visit {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly began = performance.now();
  aborted = false;
  /** Null once the handler's synchronous part is over. */
  #fields: HeaderFields | null;
  readonly #chunked: boolean;
  #reading: Reading | null = null;
  #listening = false;
  #sink: BodySink | null = null;
  /** The maker of the answer that leaves in pieces. */
  #pieces: AnswerSink | null = null;
  #paused = false;
  /** The last byte of the body has come. */
  #received = false;
  #discarded = 0;
  /** Something of the body is left unread on the connection. */
  #unread = false;
  /** No more of the body can come, or what comes cannot delay or spoil an answer. */
  #bodyOver: boolean;
  #held: Held | null = null;
  #answered = false;
  #tooSlow = false;
  #gathered: Gathered | null = null;
  #watcher: VisitWatcher | null = null;
  #watchNo = 0;

  constructor(method: string, path: string, query: string, fields: HeaderFields, door: DoorState) {
    super(door);
    this.method = method;
    this.path = path;
    this.query = query;
    this.#fields = fields;
    this.#chunked = fields.bodyLength === CHUNKED;
    this.#bodyOver = !this.#chunked;
  }

  abstract ip(): string;

  peer(): string {
    return '';
  }

  /** Sends the answer, then calls finish(). */
  protected abstract write(
    status: number,
    headers: string,
    body: string | Uint8Array,
    close: boolean,
    requestId: string,
  ): void;

  /** Sends the head of an answer in pieces; a negative length is unknown. */
  protected abstract writeHead(
    status: number,
    headers: string,
    length: number,
    close: boolean,
    requestId: string,
  ): void;

  /** Sends a piece; calls takenPieces() when it has left for the caller. */
  protected abstract writePiece(bytes: Uint8Array): void;

  /** Ends an answer in pieces, then calls finish(). */
  protected abstract writeEnd(): void;

  /** Lets the body arrive: calls chunk() for every piece. */
  protected abstract listen(): void;

  /** Stops the arrival of the body; resume() lets it go on. */
  protected abstract pause(): void;
  protected abstract resume(): void;

  /** The handler is still in its synchronous part. */
  protected get inHandler(): boolean {
    return this.#fields !== null;
  }

  protected get awaitsBody(): boolean {
    return !this.#paused && !this.#received;
  }

  /** This side has stopped the body. */
  protected get paused(): boolean {
    return this.#paused;
  }

  /** Its connection must not carry another request. */
  protected get cuts(): boolean {
    return this.#chunked || this.#unread;
  }

  header(name: string): string {
    if (this.#fields === null) throw new Error('door: header() after the handler returned');
    return this.#fields.get(name);
  }

  headers(name: string): string {
    if (this.#fields === null) throw new Error('door: headers() after the handler returned');
    return this.#fields.all(name);
  }

  readBody(max: number, done: (body: Body) => void, tooLarge: () => void, tooSlow: () => void = tooLarge): void {
    if (this.#fields === null) throw new Error('door: readBody() after the handler returned');
    const length = this.#fields.bodyLength;
    if (length === 0) done('');
    else if (length > max) tooLarge();
    else {
      this.#reading = { collector: new BodyCollector(max), done, tooLarge, tooSlow };
      this.#listen();
    }
  }

  readPieces(sink: BodySink): void {
    if (this.#fields === null) throw new Error('door: readPieces() after the handler returned');
    if (this.#fields.bodyLength === 0) {
      sink.end();
      return;
    }
    this.#sink = sink;
    this.#bodyOver = false;
    this.#listen();
  }

  pauseBody(): void {
    if (this.#sink === null || this.#bodyOver || this.finished || this.#paused) return;
    this.#paused = true;
    this.pause();
  }

  resumeBody(): void {
    if (!this.#paused || this.finished) return;
    this.#paused = false;
    this.resume();
  }

  watch(watcher: VisitWatcher, no: number): void {
    this.#watcher = watcher;
    this.#watchNo = no;
  }

  beginAnswer(status: number, headers: string, length: number, sink: AnswerSink, requestId: string): void {
    const gathers = this.#chunked && length >= 0 && length <= limits.door.gatheredBytesMax;
    if (this.#chunked && !gathers) this.answer(411, '', '', requestId);
    if (this.#answered || this.aborted) {
      sink.gone();
      return;
    }
    if (gathers) {
      this.#watcher = null;
      this.#gathered = { status, headers, requestId, sink, pieces: [], bytes: 0 };
      return;
    }
    this.#answered = true;
    this.#watcher = null;
    this.#pieces = sink;
    this.begin();
    this.guard(() => this.writeHead(status, headers, length, this.door.drain.ends, requestId));
    if (this.method === 'HEAD') this.#leave();
  }

  answerPiece(bytes: Uint8Array): void {
    if (this.#gathered !== null) this.#gather(this.#gathered, bytes);
    if (this.#pieces !== null && !this.finished) this.guard(() => this.writePiece(bytes));
  }

  endAnswer(): void {
    const gathered = this.#gathered;
    this.#gathered = null;
    if (gathered !== null)
      this.answer(gathered.status, gathered.headers, Buffer.concat(gathered.pieces), gathered.requestId);
    if (this.#pieces !== null && !this.finished) this.guard(() => this.writeEnd());
  }

  cutAnswer(): boolean {
    if (this.#pieces === null && this.#gathered === null) return false;
    this.#gathered = null;
    if (!this.finished) this.destroy();
    return true;
  }

  answer(status: number, headers: string, body: string | Uint8Array, requestId = ''): void {
    if (this.#answered || this.aborted) return;
    this.#answered = true;
    this.#watcher = null;
    if (this.#sink !== null) this.resumeBody();
    if (this.#bodyOver) this.#write(status, headers, body, requestId);
    else this.#held = { status, headers, body, requestId };
  }

  /** Runs the handler. Afterwards the header fields belong to the next visit. */
  protected run(handler: (visit: Visit) => void): void {
    this.guard(() => handler(this));
    if (this.#chunked) this.#listen();
    this.#fields = null;
  }

  /** A piece of the body; `last` may come with an empty one. */
  protected chunk(bytes: Uint8Array, last: boolean): void {
    if (this.aborted) return;
    this.guard(() => this.#take(bytes, last));
  }

  /** The caller has gone. */
  protected gone(): void {
    if (this.finished) return;
    this.aborted = true;
    this.#reading = null;
    this.#held = null;
    const sink = this.#answered ? null : this.#sink;
    this.#sink = null;
    this.#watcher?.gone(this.#watchNo);
    this.finish();
    if (sink !== null && !this.#bodyOver) sink.gone();
    this.#leave();
  }

  /** Called by the server when `bytes` of an answer in pieces have left. */
  protected takenPieces(bytes: number): void {
    this.sent(bytes);
    this.#pieces?.taken(bytes);
  }

  /** Runs the node's code: an exception is reported and answered 500 instead of ending the door. */
  protected guard(code: () => void): void {
    try {
      code();
    } catch (error) {
      this.door.onFault(error);
      this.answer(500, '', '');
    }
  }

  #gather(gathered: Gathered, bytes: Uint8Array): void {
    gathered.pieces.push(bytes);
    gathered.bytes += bytes.byteLength;
    this.unsent(gathered.bytes);
    gathered.sink.taken(bytes.byteLength);
  }

  #listen(): void {
    if (this.#listening || this.finished) return;
    this.#listening = true;
    if (this.#chunked) this.watchBody();
    this.listen();
  }

  #take(bytes: Uint8Array, last: boolean): void {
    this.moved += bytes.byteLength;
    this.#received = last;
    if (!last) this.watchBody();
    else if (!this.#paused) this.unwatch();
    const reading = this.#reading;
    if (this.#sink !== null && !this.#answered) {
      this.#give(this.#sink, bytes, last);
      return;
    }
    if (reading === null || this.#answered) this.#discarded += bytes.byteLength;
    else if (!reading.collector.admit(bytes)) {
      this.#reading = null;
      reading.tooLarge();
    } else if (last) {
      this.#reading = null;
      this.#bodyOver = true;
      reading.done(reading.collector.finish(bytes));
    } else reading.collector.keep(bytes);
    if (!last && this.#discarded <= limits.door.discardBytesMax) return;
    if (!last && !this.#chunked) this.#unread = true;
    this.#release();
  }

  /** Gives a piece to the reader of the body; copied, since the server only lends it. */
  #give(sink: BodySink, bytes: Uint8Array, last: boolean): void {
    if (last) {
      this.#bodyOver = true;
      // The end came in spite of the pause, since it had been read already. Without resuming the connection would never deliver its next request.
      // The visit is still watched, because resuming starts the addon's clock again.
      this.resumeBody();
    }
    if (bytes.byteLength > 0) sink.piece(new Uint8Array(bytes));
    if (last) sink.end();
  }

  /** The reader of the body learns that it came too slowly; an answer that waited for the body's end leaves. */
  protected endBody(): void {
    const [reading, sink] = [this.#reading, this.#sink];
    this.#tooSlow = true;
    this.#reading = null;
    this.#sink = null;
    this.#release();
    if (!this.#answered) this.guard(() => (reading ?? sink)?.tooSlow());
  }

  #release(): void {
    this.#bodyOver = true;
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#write(held.status, held.headers, held.body, held.requestId);
  }

  /** The rest of an answer in pieces is not wanted any more. */
  #leave(): void {
    const sink = this.#pieces ?? this.#gathered?.sink;
    this.#pieces = null;
    this.#gathered = null;
    sink?.gone();
  }

  #write(status: number, headers: string, body: string | Uint8Array, requestId: string): void {
    const close = this.cuts || this.#tooSlow || this.door.drain.ends;
    this.begin();
    try {
      this.write(status, headers, body, close, requestId);
    } catch (error) {
      this.door.onFault(error);
      this.write(500, '', '', true, requestId);
    }
  }
}
