/** One member of a channel: what waits for it, and what it waits for. The hall (hall.ts) serves it. */
import type { Call } from '#actors/host/call.ts';
import type { Address } from './address.ts';
import type { Queue } from './queue.ts';

/**
 * Why a member has left. `session`: its credential does not count any more; `access`: its caller may not join any more; `definitions`: the channel is
 * not declared any more; `leaving`: the tenant moves or rests, or the node stops; `cost`: judging it takes more work than a turn may; `fault`: it could
 * not be served; `gone`: its caller has left.
 */
export type EndReason = 'session' | 'access' | 'definitions' | 'leaving' | 'cost' | 'fault' | 'gone';

/** What a member is told next; `text` holds whole events. */
export type Round =
  | { readonly kind: 'told'; readonly text: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'end'; readonly reason: EndReason };

export class Member {
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
  #wait: { readonly dueAt: number; readonly deliver: (round: Round) => void } | null = null;
  #ended: EndReason | null = null;

  constructor(id: string, call: Call, address: Address, owner: string, queue: Queue, state: string, fineMs: number) {
    this.id = id;
    this.call = call;
    this.address = address;
    this.owner = owner;
    this.queue = queue;
    this.state = state;
    this.judgedAt = fineMs;
  }

  get isWaiting(): boolean {
    return this.#wait !== null;
  }

  get ended(): EndReason | null {
    return this.#ended;
  }

  isDue(fineMs: number): boolean {
    return this.#wait !== null && fineMs >= this.#wait.dueAt;
  }

  wait(dueAt: number): Promise<Round> {
    return new Promise((deliver) => (this.#wait = { dueAt, deliver }));
  }

  deliver(round: Round): void {
    const wait = this.#wait;
    this.#wait = null;
    wait?.deliver(round);
  }

  /** Ends it now where it waits, else when it next asks. */
  end(reason: EndReason): void {
    this.#ended ??= reason;
    this.deliver({ kind: 'end', reason: this.#ended });
  }

  /** As others are shown it. */
  get shown(): string {
    const { type, subject } = this.call.principal!;
    return `{"id":"${this.id}","type":"${type}","subject":${JSON.stringify(subject)},"state":${this.state}}`;
  }
}
