/**
 * A request that came to the door of another node, as the gate of this one sees it. Its body comes, and its answer goes, over the link; what the far door has not taken of an answer, and the thread here not of
 * a body, is bounded by the windows of actors/protocol/stream.ts.
 */
import { limits } from '#config/limits.ts';
import { METHODS } from '#actors/protocol/method.ts';
import type { Outbox } from '#actors/protocol/channel.ts';
import { STREAMED, type Body, type Flat } from '#actors/protocol/frame.ts';
import {
  BODY_CUT,
  BODY_END,
  BODY_PIECE,
  BODY_TAKEN,
  REPLY_CUT,
  REPLY_END,
  REPLY_PIECE,
  REPLY_STOP,
  REPLY_TAKEN,
  WINDOW_BYTES,
  ownBytes,
} from '#actors/protocol/stream.ts';
import { JSON_LINES } from '#runtime/door/answer-refusal.ts';
import type { AnswerSink, BodySink, Visit, VisitWatcher } from '#runtime/door/port.ts';
import { verbIn, type Carried } from './carried.ts';
import { LinkFault } from './frames.ts';

/** The link's end at which a visit's answer leaves, and which counts the visit until it is over. */
export interface FarDoor {
  readonly outbox: Pick<Outbox, 'batch' | 'stream'>;
  over(no: number): void;
}

/** What a link's record says of a request. */
export interface FarRequest {
  /** The far door's number. */
  readonly no: number;
  readonly method: number;
  readonly path: string;
  readonly query: string;
  readonly body: Body | number;
}

export class FarVisit implements Visit {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly began = performance.now();
  readonly #no: number;
  readonly #door: FarDoor;
  readonly #carried: Carried;
  readonly #body: Body | number;
  #sink: BodySink | null = null;
  #answerSink: AnswerSink | null = null;
  #watcher: (() => void) | null = null;
  /** Pieces that came while the body was paused, and their bytes; `null` is the body's end. */
  #held: (Uint8Array | null)[] = [];
  #heldBytes = 0;
  #isPaused = false;
  #isGone = false;
  #isBegun = false;
  #isOver = false;

  constructor({ no, method, path, query, body }: FarRequest, carried: Carried, door: FarDoor) {
    this.method = METHODS[method] ?? verbIn(carried);
    this.path = path;
    this.query = query;
    this.#no = no;
    this.#door = door;
    this.#carried = carried;
    this.#body = body;
  }

  get aborted(): boolean {
    return this.#isGone;
  }

  /** Of a trace's headers alone: those that the thread gets travel as they are. */
  header(name: string): string {
    return this.#carried.trace.get(name) ?? '';
  }

  headers(name: string): string {
    return this.header(name);
  }

  ip(): string {
    return this.#carried.caller;
  }

  /** Where a row asks for it, the far door has sent it. */
  peer(): string {
    return '';
  }

  readBody(max: number, done: (body: Body) => void, tooLarge: () => void): void {
    const body = this.#body === STREAMED ? '' : (this.#body as Body);
    if (body.length > max) tooLarge();
    else done(body);
  }

  watch(watcher: VisitWatcher, no: number): void {
    this.#watcher = () => watcher.gone(no);
  }

  readPieces(sink: BodySink): void {
    this.#sink = sink;
  }

  pauseBody(): void {
    this.#isPaused = true;
  }

  resumeBody(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.#held.length > 0) {
      const piece = this.#held.shift()!;
      this.#heldBytes -= piece?.byteLength ?? 0;
      this.#pass(piece);
    }
  }

  answer(status: number, headers: string, body: string | Uint8Array): void {
    if (this.#isOver || this.#isGone) return;
    this.#door.outbox.batch.push(this.#no, status, recordLines(headers), body);
    this.#end();
  }

  beginAnswer(status: number, headers: string, length: number, sink: AnswerSink): void {
    if (this.#isOver || this.#isGone) return;
    this.#isBegun = true;
    this.#answerSink = sink;
    this.#door.outbox.batch.push(this.#no, status, recordLines(headers), length);
  }

  answerPiece(bytes: Uint8Array): void {
    if (!this.#isOver && !this.#isGone) this.#door.outbox.stream(this.#no, REPLY_PIECE, bytes);
  }

  endAnswer(): void {
    this.#endWith(REPLY_END);
  }

  cutAnswer(): boolean {
    return this.#isBegun && this.#endWith(REPLY_CUT);
  }

  /** Takes one message of the far door. Throws LinkFault where it sends more than it may. */
  receive(part: number, payload: Flat[number]): void {
    if (part === BODY_PIECE) this.#take(bytesOf(payload));
    else if (part === BODY_END) this.#take(null);
    else if (part === BODY_CUT) this.#sink?.gone();
    else if (part === REPLY_TAKEN && typeof payload === 'number') this.#answerSink?.taken(payload);
    else if (part === REPLY_STOP) this.#answerSink?.gone();
    else throw new LinkFault(`part ${part} of a stream does not come from a door`);
  }

  /** The link is lost: the caller gets no answer of this node. */
  gone(): void {
    if (this.#isGone || this.#isOver) return;
    this.#isGone = true;
    this.#held = [];
    this.#watcher?.();
    this.#sink?.gone();
    this.#answerSink?.gone();
  }

  #take(piece: Uint8Array | null): void {
    if (!this.#isPaused) {
      this.#pass(piece);
      return;
    }
    this.#held.push(piece);
    this.#heldBytes += piece?.byteLength ?? 0;
    // A door stops at its window, which one piece may pass, and a piece may be longer than the window.
    if (this.#heldBytes > WINDOW_BYTES + limits.cluster.link.bodyPieceBytesMax)
      throw new LinkFault('more of a body than its window holds');
  }

  #pass(piece: Uint8Array | null): void {
    if (piece === null) {
      this.#sink?.end();
      return;
    }
    const bytes = piece.byteLength; // sending it on may take its buffer along
    this.#sink?.piece(piece);
    if (!this.#isOver) this.#door.outbox.stream(this.#no, BODY_TAKEN, bytes);
  }

  #endWith(part: typeof REPLY_END | typeof REPLY_CUT): boolean {
    if (this.#isOver || this.#isGone) return false;
    this.#door.outbox.stream(this.#no, part);
    this.#end();
    return true;
  }

  #end(): void {
    this.#isOver = true;
    this.#door.over(this.#no);
  }
}

/** Lines of an answer as a record of a reply has them (`linesOf` of answer-refusal.ts is the way back). */
const recordLines = (lines: string): string => (lines === JSON_LINES ? '' : lines === '' ? '\n' : lines);

function bytesOf(payload: Flat[number]): Uint8Array {
  if (typeof payload === 'number') throw new LinkFault('a piece of a body that is a number');
  return ownBytes(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
}
