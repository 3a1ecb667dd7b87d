/** The door's end of one request whose body or answer crosses to its thread in pieces. */
import type { Flat } from '#actors/protocol/frame.ts';
import {
  BODY_CUT,
  BODY_END,
  BODY_PIECE,
  BODY_TAKEN,
  REPLY_CUT,
  REPLY_END,
  REPLY_PIECE,
  REPLY_SHARED,
  REPLY_STOP,
  REPLY_TAKEN,
  WINDOW_BYTES,
} from '#actors/protocol/stream.ts';
import type { StreamPart } from '#actors/protocol/stream.ts';
import type { Desk } from './desk.ts';
import { keepPiece } from './free-piece.ts';
import type { AnswerSink, BodySink, Visit } from './port.ts';

export class DoorStream implements BodySink, AnswerSink {
  readonly #no: number;
  readonly #visit: Visit;
  readonly #desk: Desk;
  readonly #requestId: string;
  /** Bytes of the body that the thread has not taken. */
  #ahead = 0;
  #paused = false;
  #refuse: () => void = () => undefined;
  /** The door has answered instead of the thread. */
  #refused = false;
  /** The head of the thread's answer has been given to the visit. */
  #begun = false;
  /** The thread has answered, or is gone: another request may have the number now. */
  #over = false;

  constructor(no: number, visit: Visit, desk: Desk, requestId: string) {
    this.#no = no;
    this.#visit = visit;
    this.#desk = desk;
    this.#requestId = requestId;
  }

  /** Lets the body flow to the thread. `tooSlow` answers a caller that sends it too slowly. */
  read(tooSlow: () => void): void {
    this.#refuse = tooSlow;
    this.#visit.readPieces(this);
  }

  /** The thread's answer, if one comes, is dropped: the door has answered already. */
  get refused(): boolean {
    return this.#refused;
  }

  /** An answer was given, or begun, and counted: the request gets no other. */
  get isAnswered(): boolean {
    return this.#refused || this.#begun;
  }

  piece(bytes: Uint8Array): void {
    this.#ahead += bytes.byteLength; // counted first, since sending transfers the buffer and leaves it empty
    this.#post(BODY_PIECE, bytes);
    if (this.#ahead < WINDOW_BYTES || this.#paused) return;
    this.#paused = true;
    this.#visit.pauseBody();
  }

  end(): void {
    this.#post(BODY_END);
  }

  /** The caller has gone: its body ends here, and the answer is not wanted. */
  gone(): void {
    this.#post(BODY_CUT);
    this.#post(REPLY_STOP);
  }

  /** The thread gets the same message as for a caller that has gone. */
  tooSlow(): void {
    this.#refused = true;
    this.gone();
    this.#refuse();
  }

  taken(bytes: number): void {
    this.#post(REPLY_TAKEN, bytes);
  }

  /** Takes one message of the thread. Gives `over` when the reply has ended and its number is free. */
  receive(part: StreamPart, payload: Flat[number]): 'over' | 'open' {
    switch (part) {
      case BODY_TAKEN:
        this.#flow(payload as number);
        return 'open';
      case REPLY_PIECE:
        this.#visit.answerPiece(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : (payload as Uint8Array));
        return 'open';
      case REPLY_SHARED:
        this.#visit.answerPiece(keepPiece(payload as Uint8Array));
        return 'open';
      case REPLY_END:
        this.#over = true;
        this.#visit.endAnswer();
        return 'over';
      case REPLY_CUT:
        this.#over = true;
        this.#visit.cutAnswer();
        return 'over';
      default:
        return 'open';
    }
  }

  /** The head of an answer whose body follows; a negative length is unknown. */
  begin(status: number, headers: string, length: number): void {
    this.#begun = true;
    this.#visit.beginAnswer(status, headers, length, this, this.#requestId);
  }

  /** The thread has answered, or is gone: nothing more is sent to it. */
  answered(): void {
    this.#over = true;
  }

  #flow(bytes: number): void {
    this.#ahead -= bytes;
    if (!this.#paused || this.#ahead >= WINDOW_BYTES) return;
    this.#paused = false;
    this.#visit.resumeBody();
  }

  #post(part: StreamPart, payload: number | Uint8Array = 0): void {
    if (!this.#over) this.#desk.outbox?.stream(this.#no, part, payload);
  }
}
