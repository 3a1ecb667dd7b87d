/** The host's ends of bodies in pieces, by the door's number of the request. */
import { ownPiece } from '#actors/kit/file/piece.ts';
import { STREAM_STRIDE, type Body, type Flat } from '#actors/protocol/frame.ts';
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

  /** Takes a batch of the door's stream messages; those for a number that has ended are dropped. */
  receive(batch: Flat): void {
    for (let i = 1; i < batch.length; i += STREAM_STRIDE)
      this.#take(batch[i] as number, batch[i + 1] as StreamPart, batch[i + 2]!);
  }

  #take(no: number, part: StreamPart, payload: Flat[number]): void {
    switch (part) {
      case BODY_PIECE:
        this.#bodies.get(no)?.push(pieceOf(payload as Body));
        break;
      case BODY_END:
        this.#bodies.get(no)?.end();
        break;
      case BODY_CUT:
        this.#bodies.get(no)?.cut();
        break;
      case REPLY_TAKEN:
        this.#replies.get(no)?.taken(payload as number);
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

/** A piece that owns its whole buffer, however it has travelled. */
function pieceOf(payload: Body): Uint8Array {
  if (typeof payload !== 'string') return ownPiece(payload);
  const bytes = new Uint8Array(payload.length);
  Buffer.from(bytes.buffer).write(payload, 'latin1');
  return ownPiece(bytes);
}
