/**
 * The desk at which this node's own door hands requests to a host that it carries for another node. The thread knows one door, that of the node that serves; so numbers of requests of this door are moved behind
 * all of that one's, and replies are told apart by them.
 */
import { REPLIES, REPLY_STRIDE, REQUEST_STRIDE, STREAM, STREAM_STRIDE, type Flat } from '#actors/protocol/frame.ts';
import { ownBytes } from '#actors/protocol/stream.ts';
import { Desk } from '#runtime/door/desk.ts';

/** Behind every number of a request of the node that serves: its door has far fewer at once (`limits.door.inFlightMax`). */
const OWN_FROM = 2 ** 24;

export interface HostedDeskPorts {
  readonly place: number;
  /** Hands the thread a message. */
  readonly post: (message: unknown) => void;
  /** Takes batches of replies and of streams for this node's door. */
  readonly replies: (batch: Flat) => void;
}

/** A desk of a carried host, so that the door knows it by one look. */
class CarriedDesk extends Desk {}

export class HostedDesk {
  readonly desk: Desk;
  readonly #replies: (batch: Flat) => void;

  constructor({ place, post, replies }: HostedDeskPorts) {
    this.desk = new CarriedDesk(`carried-${place}`);
    const channel = {
      onBatch: (_batch: Flat): void => undefined,
      sendBatch: (batch: Flat) => post(moved(batch, OWN_FROM)),
      sendPiece: (no: number, part: number, bytes: Uint8Array) => post([STREAM, no + OWN_FROM, part, ownBytes(bytes)]),
    };
    this.desk.connect(channel, replies, Date.now());
    this.#replies = (batch) => channel.onBatch(batch);
  }

  static isOne(desk: Desk): boolean {
    return desk instanceof CarriedDesk;
  }

  /** Whether it takes requests. */
  get isOpen(): boolean {
    return this.desk.outbox !== null && !this.desk.isClosed;
  }

  /** Takes what of a batch of the thread is for the door of this node; gives the rest, or null where there is none. */
  take(batch: Flat): Flat | null {
    const stride = strideOf(batch);
    let own = 0;
    for (let at = 1; at < batch.length; at += stride) if ((batch[at] as number) >= OWN_FROM) own++;
    if (own === 0) return batch;
    if (own * stride === batch.length - 1) {
      this.#replies(moved(batch, -OWN_FROM));
      return null;
    }
    const [here, there]: [Flat, Flat] = [[batch[0]!], [batch[0]!]];
    for (let at = 1; at < batch.length; at += stride)
      ((batch[at] as number) >= OWN_FROM ? here : there).push(...batch.slice(at, at + stride));
    this.#replies(moved(here, -OWN_FROM));
    return there;
  }

  /** The thread is gone. */
  gone(): void {
    this.desk.outbox = null;
  }
}

function strideOf(batch: Flat): number {
  if (batch[0] === STREAM) return STREAM_STRIDE;
  return batch[0] === REPLIES ? REPLY_STRIDE : REQUEST_STRIDE;
}

function moved(batch: Flat, by: number): Flat {
  const stride = strideOf(batch);
  for (let at = 1; at < batch.length; at += stride) batch[at] = (batch[at] as number) + by;
  return batch;
}
