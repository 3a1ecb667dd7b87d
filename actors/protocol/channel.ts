/** One thread's end of the wire: request and reply batches, and asks with deadlines. Pure over a port, so tests join two ends directly. */
import type { REPLIES } from './frame.ts';
import { Busy } from './busy.ts';
import { CONTROL, INLINE_BYTES_MAX, PROTOCOL_VERSION, REQUESTS, REQUEST_STRIDE, STREAM } from './frame.ts';
import type { Flat } from './frame.ts';
import { areShared, ownBytes, REPLY_PIECE, REPLY_SHARED, type StreamPart } from './stream.ts';
import type { ThreadName } from './topic.ts';
import { TOPICS, topicsBetween, type BodyOf, type ReplyOf, type Topic } from './topics.ts';

export interface Port {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** The other side is gone, too slow or of another version. */
export class ChannelFault extends Error {
  readonly why: 'closed' | 'deadline' | 'failed' | 'version';

  constructor(why: ChannelFault['why'], message: string) {
    super(message);
    this.why = why;
  }
}

interface Control {
  readonly kind: typeof CONTROL;
  readonly version: number;
  readonly topic: Topic;
  readonly id: number;
  /** `tell` is an ask without an answer. */
  readonly part: 'ask' | 'tell' | 'answer' | 'fault' | 'busy';
  readonly body: unknown;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

type Answerer = (body: never) => unknown;

export class Channel {
  readonly #port: Port;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answerers = new Map<Topic, Answerer>();
  readonly #ends: string;
  readonly #sends: ReadonlySet<Topic>;
  readonly #takes: ReadonlySet<Topic>;
  #nextId: number;
  #closed = false;
  /** Takes a batch of requests or replies (without its kind, which stands at index 0). */
  onBatch: (batch: Flat) => void = () => undefined;

  /**
   * `here` holds this end, `there` the other one: what may be sent and answered follows from the topics' rows, once. `firstId`: of its asks; another end that was on this port before had lower ones, and
   * what is answered late to it settles nothing here.
   */
  constructor(port: Port, here: ThreadName, there: ThreadName, firstId = 1) {
    this.#port = port;
    this.#nextId = firstId;
    this.#ends = `${here} to ${there}`;
    this.#sends = topicsBetween(here, there);
    this.#takes = topicsBetween(there, here);
    port.on('message', (message) => {
      if (Array.isArray(message)) this.onBatch(message as Flat);
      else this.#control(message as Control);
    });
  }

  /** Sends a flat batch whose first element is its kind; bytes in it are copied by the structured clone. */
  sendBatch(batch: Flat): void {
    this.#port.postMessage(batch);
  }

  /** Sends one piece of a body; its bytes are transferred, or copied where they are part of a larger buffer. */
  sendPiece(no: number, part: StreamPart, bytes: Uint8Array): void {
    const own = ownBytes(bytes);
    this.#port.postMessage([STREAM, no, part, own], [own.buffer]);
  }

  /** Asks the other side; rejects with ChannelFault past the topic's deadline or when the channel closes, with Busy when it has no room. */
  ask<T extends Topic>(topic: T, body: BodyOf<T>): Promise<ReplyOf<T>> {
    this.#checkSends(topic);
    if (this.#closed) return Promise.reject(new ChannelFault('closed', `${topic}: the thread is gone`));
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      const deadlineMs = TOPICS[topic].deadlineMs;
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new ChannelFault('deadline', `${topic}: no answer within ${deadlineMs} ms`));
      }, deadlineMs);
      timer.unref();
      this.#waiting.set(id, { resolve, reject, timer });
      this.#post(topic, id, 'ask', body);
    });
  }

  /** Notifies the other side, without an answer; a fault of the listener stays there. */
  tell<T extends Topic>(topic: T, body: BodyOf<T>): void {
    this.#checkSends(topic);
    if (!this.#closed) this.#post(topic, 0, 'tell', body);
  }

  #checkSends(topic: Topic): void {
    if (!this.#sends.has(topic))
      throw new Error(`${topic} does not go from ${this.#ends}: its row in actors/protocol says between which threads`);
  }

  /** Declares the function that answers a topic on this side, or listens to it. Throws for a topic that the other side may not send. */
  answer<T extends Topic>(topic: T, answerer: (body: BodyOf<T>) => ReplyOf<T> | Promise<ReplyOf<T>>): void {
    if (!this.#takes.has(topic))
      throw new Error(
        `${topic} does not come here (${this.#ends}): its row in actors/protocol says between which threads`,
      );
    this.#answerers.set(topic, answerer);
  }

  /** Rejects every ask that waits: the other side is gone. */
  close(reason: string): void {
    this.#closed = true;
    // From now on other requests get the numbers of its requests.
    this.onBatch = () => undefined;
    for (const [id, waiting] of this.#waiting) {
      clearTimeout(waiting.timer);
      this.#waiting.delete(id);
      waiting.reject(new ChannelFault('closed', reason));
    }
  }

  #post(topic: Topic, id: number, part: Control['part'], body: unknown): void {
    const message: Control = { kind: CONTROL, version: PROTOCOL_VERSION, topic, id, part, body };
    this.#port.postMessage(message);
  }

  #control(message: Control): void {
    if (message.kind !== CONTROL) return;
    if (message.part === 'ask') void this.#answer(message);
    else if (message.part === 'tell') this.#answerers.get(message.topic)?.(message.body as never);
    else this.#settle(message);
  }

  #settle(message: Control): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return; // its deadline has passed
    this.#waiting.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.part === 'answer') waiting.resolve(message.body as never);
    else if (message.part === 'busy') waiting.reject(new Busy(String(message.body)));
    else waiting.reject(new ChannelFault('failed', String(message.body)));
  }

  async #answer(message: Control): Promise<void> {
    const { topic, id } = message;
    try {
      if (message.version !== PROTOCOL_VERSION)
        throw new ChannelFault('version', `protocol ${message.version}, here ${PROTOCOL_VERSION}`);
      const answerer = this.#answerers.get(topic);
      if (answerer === undefined) throw new Error(`${topic} has no answerer on this thread`);
      this.#post(topic, id, 'answer', await answerer(message.body as never));
    } catch (error) {
      this.#post(topic, id, error instanceof Busy ? 'busy' : 'fault', (error as Error).message);
    }
  }
}

/** Collects records and sends those of one kind that follow one another as one message, the last at the end of the event-loop turn. */
export class Outbox {
  readonly #channel: Pick<Channel, 'sendBatch' | 'sendPiece'>;
  readonly #kind: typeof REQUESTS | typeof REPLIES;
  readonly #later: (flush: () => void) => void;
  readonly #flush = (): void => this.flush();
  #batch: Flat;
  #scheduled = false;

  constructor(
    channel: Pick<Channel, 'sendBatch' | 'sendPiece'>,
    kind: typeof REQUESTS | typeof REPLIES,
    later: (flush: () => void) => void,
  ) {
    this.#channel = channel;
    this.#kind = kind;
    this.#later = later;
    this.#batch = [kind];
  }

  /** The batch to push a record's fields to; it leaves by itself. */
  get batch(): Flat {
    return this.#batchOf(this.#kind);
  }

  /** Takes a request back that has not left yet; false when it has. Only callers that leave in the same turn cost this search. */
  takeBack(no: number): boolean {
    if (this.#batch[0] !== REQUESTS) return false;
    for (let at = 1; at < this.#batch.length; at += REQUEST_STRIDE) {
      if (this.#batch[at] !== no) continue;
      this.#batch.splice(at, REQUEST_STRIDE);
      return true;
    }
    return false;
  }

  /** Sends one stream message behind what waits here. The bytes of a large piece are gone afterwards; those of a small or a shared one are not touched. */
  stream(no: number, part: StreamPart, payload: number | Uint8Array = 0): void {
    if (typeof payload === 'number') this.#batchOf(STREAM).push(no, part, payload);
    else if (part === REPLY_PIECE && areShared(payload)) this.#batchOf(STREAM).push(no, REPLY_SHARED, payload);
    else if (payload.byteLength <= INLINE_BYTES_MAX) this.#batchOf(STREAM).push(no, part, latin1(payload));
    else {
      this.#send();
      this.#channel.sendPiece(no, part, payload);
    }
  }

  flush(): void {
    this.#scheduled = false;
    this.#send();
  }

  /** What waits of another kind leaves first: records keep their order. */
  #batchOf(kind: number): Flat {
    if (this.#batch[0] !== kind) {
      this.#send();
      this.#batch[0] = kind;
    }
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#later(this.#flush);
    }
    return this.#batch;
  }

  #send(): void {
    if (this.#batch.length === 1) return;
    const batch = this.#batch;
    this.#batch = [this.#kind];
    this.#channel.sendBatch(batch);
  }
}

const latin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
