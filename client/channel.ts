/** Channels: `channel(client, 'ticket', { key })` (docs/contract/channels.md). What is told in them is kept nowhere. */
import { endOf } from './changes.ts';
import { eventsIn, type StreamEvent } from './event-stream.ts';
import { queryOf } from './parameters.ts';
import { passingMs, type Ask, type Sender, type Transport } from './transport.ts';
import { backOffMs, pause } from './wait.ts';

/** The node says something every 15 seconds. */
const IDLE_MS = 45_000;
const WAIT_MS_MAX = 15_000;

export interface Member<State> {
  readonly id: string;
  readonly type: 'user' | 'service';
  readonly subject: string;
  /** What it says of itself; null where it says nothing. */
  readonly state: State | null;
}

/** What a member is told, in order. */
export type Told<State, Payload> =
  /** This client is a member, with this id; another one after each break of the connection. What was said meanwhile is not told. */
  | { readonly type: 'joined'; readonly member: string }
  /** Another member came, said something else of itself, or left. */
  | { readonly type: 'presence'; readonly change: 'join' | 'state' | 'leave'; readonly member: Member<State> }
  | {
      readonly type: 'message';
      /** As the node names the sender; `member` where the sender is one and says so. */
      readonly from: { readonly type: 'user' | 'service'; readonly subject: string; readonly member?: string };
      /** When the node took it. */
      readonly at: string;
      readonly payload: Payload;
    }
  /** So many events were dropped, since the loop took them too slowly. */
  | { readonly type: 'lost'; readonly count: number };

export interface JoinOptions<State> {
  /** What the other members are shown of this one. */
  readonly state?: State;
  readonly signal?: AbortSignal;
  /** Called with true when the node lets it in, before `joined` is told, and with false when the connection is broken, or could not be made, and is tried again. */
  readonly onLive?: (isLive: boolean) => void;
}

export interface Channel<State, Payload> {
  /** The members as the loop over `join` was told last, this one among them; empty where it does not run, or the channel has no presence. */
  readonly members: readonly Member<State>[];
  /**
   * Joins, and gives what is told until the caller leaves the loop, the signal is aborted (its reason is thrown) or the node refuses. Where the connection breaks, it
   * joins again with the state of then. One loop at a time.
   */
  join(options?: JoinOptions<State>): AsyncGenerator<Told<State, Payload>, void>;
  /** Sends to all members, this one too. It is sent once: 429 `v2.channel_rate` is thrown. */
  send(payload: Payload, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Changes what the other members are shown of this one. Takes effect when it joins, where it is no member now. */
  setState(state: State): Promise<void>;
}

/** A channel of the product; `key` where it has keys. Nothing is sent yet. */
export function channel<State = unknown, Payload = unknown>(
  { transport }: Sender,
  name: string,
  { key }: { readonly key?: string } = {},
): Channel<State, Payload> {
  return new Room<State, Payload>(transport, name, key);
}

class Room<State, Payload> implements Channel<State, Payload> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #key: string | undefined;
  readonly #members = new Map<string, Member<State>>();
  /** The id of this member; undefined while it is none. */
  #own: string | undefined;
  #state: State | undefined;
  #failures = 0;
  #firstMs = 250;

  constructor(transport: Transport, name: string, key: string | undefined) {
    this.#transport = transport;
    this.#path = `/data/channels/${encodeURIComponent(name)}`;
    this.#key = key;
  }

  get members(): readonly Member<State>[] {
    return [...this.#members.values()];
  }

  async *join({ state, signal, onLive }: JoinOptions<State> = {}): AsyncGenerator<Told<State, Payload>, void> {
    if (state !== undefined) this.#state = state;
    try {
      for (;;) {
        let askedMs = 0;
        try {
          const response = await this.#transport.open(this.#joining(signal));
          onLive?.(true);
          for await (const event of eventsIn(response.body!, IDLE_MS)) {
            const told = this.#heard(event);
            if (told !== null) yield told;
          }
        } catch (error) {
          askedMs = passingMs(error, signal);
        }
        this.#left();
        onLive?.(false);
        await pause(Math.max(askedMs, backOffMs(++this.#failures, this.#firstMs, WAIT_MS_MAX)), signal);
      }
    } finally {
      this.#left();
    }
  }

  async send(payload: Payload, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const body = { payload, member: this.#own };
    await this.#transport.send({ ...this.#asked('POST'), body, signal, again: 'never' });
  }

  async setState(state: State): Promise<void> {
    this.#state = state;
    const member = this.#own;
    if (member !== undefined)
      await this.#transport.send({ ...this.#asked('PUT'), body: { member, state }, again: 'safe' });
  }

  #asked(method: string): Ask {
    return { method, path: this.#path, query: queryOf({ key: this.#key }) };
  }

  #joining(signal: AbortSignal | undefined): Ask {
    const asked = this.#asked('GET');
    if (this.#state !== undefined) asked.query!.set('state', JSON.stringify(this.#state));
    return { ...asked, headers: { Accept: 'text/event-stream' }, signal };
  }

  #left(): void {
    this.#own = undefined;
    this.#members.clear();
  }

  /** What an event tells the caller; null for nothing. The members follow it. */
  #heard({ event, data, retryMs }: StreamEvent): Told<State, Payload> | null {
    if (retryMs !== null) this.#firstMs = retryMs;
    if (event === '') return null;
    this.#failures = 0;
    const body = JSON.parse(data) as Said<State>;
    if (event === 'end') return endOf(String(body.reason), 'channel');
    if (event === 'joined') this.#own = body.member as string;
    if (event === 'presence') this.#follow(body);
    const { members, ...told } = body;
    if (members !== undefined) {
      this.#members.clear();
      members.forEach((member) => this.#members.set(member.id, member));
    }
    return { ...told, type: event } as unknown as Told<State, Payload>;
  }

  #follow({ change, member }: Said<State>): void {
    const { id } = member as Member<State>;
    if (change === 'leave') this.#members.delete(id);
    else this.#members.set(id, member as Member<State>);
  }
}

interface Said<State> {
  readonly reason?: string;
  readonly member?: string | Member<State>;
  readonly members?: readonly Member<State>[];
  readonly change?: string;
}
