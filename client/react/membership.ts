/**
 * One member of a channel for all components of the page that ask for the same channel, key and login.
 *
 *   joining ── the node says so ──▶ joined ── the connection breaks ──▶ joining
 *      └───────────────┬──────────────┘
 *        refused, or no component is left ──▶ left
 */
import { channel, type Channel, type Member, type Told } from '../channel.ts';
import type { Transport } from '../transport.ts';
import { ended, holdToLogin, type Here } from './here.ts';

type AnyTold = Told<unknown, unknown>;
export type AnyMessage = Extract<AnyTold, { readonly type: 'message' }>;

/** Where the member is, for components. It is replaced, and never changed. */
export interface Standing {
  readonly status: 'joining' | 'joined' | 'left';
  readonly member: string | null;
  readonly members: readonly Member<unknown>[];
  readonly error: Error | null;
}

/** What one component is told. */
export interface Listener {
  changed(): void;
  message(message: AnyMessage): void;
  missed(): void;
}

/** Which channel is meant. */
export interface Address {
  readonly name: string;
  readonly key: string | undefined;
}

const NONE: readonly Member<unknown>[] = [];
export const JOINING: Standing = { status: 'joining', member: null, members: NONE, error: null };
export const LEFT: Standing = { ...JOINING, status: 'left' };

const pages = new WeakMap<Transport, Map<string, Membership>>();

/** Those of a client, by their login, channel and key. */
export function membershipsOf({ client: { transport } }: Here): Map<string, Membership> {
  const all = pages.get(transport) ?? new Map<string, Membership>();
  pages.set(transport, all);
  return all;
}

/** Joins with the first listener; gives the function that ends that of this one. */
export function listen(here: Here, id: string, address: Address, listener: Listener): () => void {
  const all = membershipsOf(here);
  const known = all.get(id);
  // One that was refused is not taken over: a component that is mounted again asks again.
  if (known !== undefined && !known.isSpent) return known.add(listener);
  const one: Membership = new Membership(here, address, () => {
    if (all.get(id) === one) all.delete(id);
  });
  all.set(id, one);
  return one.add(listener);
}

export class Membership {
  readonly #here: Here;
  readonly #room: Channel<unknown, unknown>;
  readonly #listeners = new Set<Listener>();
  readonly #leaving = new AbortController();
  readonly #left: () => void;
  #standing = JOINING;
  #hasJoined = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the components want the others to see, as JSON, and what the others were last shown. */
  #wanted: string | undefined;
  #shown: string | undefined;
  #isShowing = false;

  constructor(here: Here, { name, key }: Address, left: () => void) {
    this.#here = here;
    this.#room = channel(here.client, name, key === undefined ? {} : { key });
    this.#left = left;
    // The state of the first component comes in the turn in which it listens.
    queueMicrotask(() => void this.#follow());
  }

  get standing(): Standing {
    return this.#standing;
  }

  get isSpent(): boolean {
    return this.#standing.status === 'left' && this.#listeners.size === 0;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      // Another component may take its place in this turn, as each does under StrictMode.
      queueMicrotask(() => this.#listeners.size === 0 && this.#leave());
    };
  }

  /** Sends, unless it was left. The node says whether a caller that is no member may. */
  async send(payload: unknown): Promise<void> {
    if (this.#leaving.signal.aborted) throw left();
    holdToLogin(this.#here);
    await this.#room.send(payload);
  }

  /** The others are shown this state from now on, the last one where it changes faster than the node takes it. */
  show(state: string): void {
    this.#wanted = state;
    void this.#show();
  }

  async #show(): Promise<void> {
    const wanted = this.#wanted;
    if (this.#isShowing || wanted === undefined || wanted === this.#shown) return;
    const { member } = this.#standing;
    this.#isShowing = true;
    this.#shown = wanted;
    try {
      holdToLogin(this.#here);
      await this.#room.setState(JSON.parse(wanted));
    } catch (thrown) {
      // It joins again: the state goes with that.
      if (member === this.#standing.member) this.#set({ error: thrown as Error });
    }
    this.#isShowing = false;
    void this.#show();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#leaving;
    if (this.#listeners.size === 0) return;
    try {
      const onLive = (isLive: boolean): void => {
        if (!isLive) this.#set(JOINING);
      };
      for await (const told of this.#room.join({ signal, onLive })) {
        holdToLogin(this.#here);
        this.#hear(told);
      }
    } catch (thrown) {
      this.#set({ ...LEFT, error: thrown as Error });
    }
  }

  #hear(told: AnyTold): void {
    if (told.type === 'message') return this.#each((listener) => listener.message(told));
    const { members } = this.#room;
    const { member } = told.type === 'joined' ? told : this.#standing;
    this.#set({ status: 'joined', member, members, error: null });
    if (told.type === 'lost') this.#each((listener) => listener.missed());
    if (told.type !== 'joined') return;
    if (this.#hasJoined) this.#each((listener) => listener.missed());
    this.#hasJoined = true;
    const own = members.find(({ id }) => id === member);
    this.#shown = own === undefined ? this.#wanted : JSON.stringify(own.state);
    void this.#show();
  }

  #leave(): void {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort();
    clearTimeout(this.#timer);
    this.#left();
  }

  /** Components are told once a turn of the event loop, however many members come and go in it. */
  #set(change: Partial<Standing>): void {
    if (this.#leaving.signal.aborted) return;
    this.#standing = { ...this.#standing, ...change };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const listener of this.#listeners) listener.changed();
    });
  }

  /** What one component throws is its own: no other one misses a message for it. */
  #each(tell: (listener: Listener) => void): void {
    for (const listener of this.#listeners) queueMicrotask(() => this.#listeners.has(listener) && tell(listener));
  }
}

export const left = (): Error => ended('left', 'the channel was left: no component that joins it is shown');
