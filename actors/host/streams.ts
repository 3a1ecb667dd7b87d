/** The host's ends of bodies in pieces, by the door's number of the request. */
import { ownPiece } from '#actors/kit/file/piece.ts';
import type { Flat } from '#actors/protocol/frame.ts';
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
} from '#actors/protocol/stream.ts';
import type { StreamPart } from '#actors/protocol/stream.ts';
import { BodyStream } from './body-stream.ts';
import { ReplyPump } from './reply-pump.ts';

export type PostStream = (no: number, part: StreamPart, payload?: number | Uint8Array) => void;

export class HostStreams {
  readonly #post: PostStream;
  readonly #bodies = new Map<number, BodyStream>();
  readonly #replies = new Map<number, ReplyPump>();

  constructor(post: PostStream) {
    this.#post = post;
  }

  /** The body of a request that comes in pieces; `read` is called for each piece that was read. */
  open(no: number, read: () => void): BodyStream {
    const body = new BodyStream((bytes) => {
      read();
      if (this.#bodies.get(no) === body) this.#post(no, BODY_TAKEN, bytes);
    });
    this.#bodies.set(no, body);
    return body;
  }

  /** The request is answered: its body is read no further. */
  close(no: number): void {
    this.#bodies.get(no)?.drop();
    this.#bodies.delete(no);
  }

  /** Takes one stream message of the door; messages for a number that has ended are dropped. */
  receive(message: Flat): void {
    const no = message[1] as number;
    switch (message[2] as StreamPart) {
      case BODY_PIECE:
        this.#bodies.get(no)?.push(ownPiece(message[3] as Uint8Array));
        break;
      case BODY_END:
        this.#bodies.get(no)?.end();
        break;
      case BODY_CUT:
        this.#bodies.get(no)?.cut();
        break;
      case REPLY_TAKEN:
        this.#replies.get(no)?.taken(message[3] as number);
        break;
      case REPLY_STOP:
        this.#replies.get(no)?.stop();
        break;
    }
  }

  /** A reply that is on its way ends without its rest: the connection closes. */
  cut(no: number): void {
    this.#replies.get(no)?.cut();
  }

  /** Sends a reply's body after its head. Resolves when all has been sent, with the fault of a source that could not go on. */
  async reply(
    no: number,
    pieces: AsyncIterable<Uint8Array>,
    mayLeave: () => Promise<void> | null,
    left?: () => void,
  ): Promise<Error | null> {
    const pump = new ReplyPump(left);
    this.#replies.set(no, pump);
    try {
      await pump.run(pieces, mayLeave, (piece) => this.#post(no, REPLY_PIECE, piece));
      this.#finish(no, REPLY_END);
      return null;
    } catch (error) {
      this.#finish(no, REPLY_CUT);
      return error as Error;
    }
  }

  /** From here on the number belongs to the door again. */
  #finish(no: number, part: StreamPart): void {
    this.#replies.delete(no);
    this.#post(no, part);
  }
}
