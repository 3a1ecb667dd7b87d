/** One member of a channel: what waits for it, and what it waits for. The hall (hall.ts) serves it. */
import type { Call } from '#actors/host/call.ts';
import { LiveWait, type EndReason } from '../live-wait.ts';
import type { Address } from './address.ts';
import type { Queue } from './queue.ts';

/** What a member is told next; `text` holds whole events. */
export type Round =
  | { readonly kind: 'told'; readonly text: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'end'; readonly reason: EndReason };

export class Member extends LiveWait<Round> {
  readonly id: string;
  readonly call: Call;
  readonly address: Address;
  /** Which caller it counts to. */
  readonly owner: string;
  readonly queue: Queue;
  /** What it says of itself, as JSON. */
  state: string;
  /** It has not been told yet that it has joined. */
  isNew = true;
  /** When it was judged last, by the fine clock. */
  judgedAt: number;

  constructor(id: string, call: Call, address: Address, owner: string, queue: Queue, state: string, fineMs: number) {
    super();
    this.id = id;
    this.call = call;
    this.address = address;
    this.owner = owner;
    this.queue = queue;
    this.state = state;
    this.judgedAt = fineMs;
  }

  over(): Round {
    return { kind: 'end', reason: this.ended ?? 'gone' };
  }

  /** As others are shown it. */
  get shown(): string {
    const { type, subject } = this.call.principal!;
    return `{"id":"${this.id}","type":"${type}","subject":${JSON.stringify(subject)},"state":${this.state}}`;
  }
}
