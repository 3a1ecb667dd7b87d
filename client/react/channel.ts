/** `useChannel`: who is here, and messages that no row keeps (docs/contract/channels.md). */
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { Member, Told } from '../channel.ts';
import type { ChannelTypes } from '../schema.ts';
import { JOINING, LEFT, left, listen, membershipsOf, type Standing } from './membership.ts';
import { useHere } from './provider.ts';
import type { Register, RegisteredSchema as S } from './register.ts';

type Channels = S extends { readonly channels: infer C } ? C : Readonly<Record<string, ChannelTypes>>;
export type ChannelName = Extract<keyof Channels, string>;
type Said<N extends string, W extends string> = Register extends {
  readonly channels: { readonly [name in N]: { readonly [what in W]: infer T } };
}
  ? T
  : unknown;
type Has<N extends ChannelName, W extends keyof ChannelTypes> = Channels[N] extends { readonly [what in W]: infer H }
  ? H
  : boolean;

export type ChannelMessage<N extends ChannelName = ChannelName> = Extract<
  Told<unknown, Said<N, 'payload'>>,
  { readonly type: 'message' }
>;

/** `key`: null for none yet. A channel without keys takes none. */
type Keyed<N extends ChannelName> =
  boolean extends Has<N, 'keyed'>
    ? { readonly key?: string | null }
    : Has<N, 'keyed'> extends true
      ? { readonly key: string | null }
      : { readonly key?: never };
/** `state`: what the other members are shown of this one. */
type Present<N extends ChannelName> =
  Has<N, 'presence'> extends false ? { readonly state?: never } : { readonly state?: Said<N, 'state'> };

export type ChannelOptions<N extends ChannelName> = Keyed<N> &
  Present<N> & {
    /** Called with each message, those that this page sends too, with the function of the last drawing. */
    readonly onMessage?: (message: ChannelMessage<N>) => void;
    /** Called when messages were lost: this page was too slow, or it has joined again behind a break. */
    readonly onMissed?: () => void;
    /** False: it does not join, or leaves. */
    readonly enabled?: boolean;
  };
type Call<N extends ChannelName> = {} extends Keyed<N> ? [options?: ChannelOptions<N>] : [options: ChannelOptions<N>];

export interface ChannelResult<N extends ChannelName> {
  /** `left`: not joined by choice, or refused by the node, which `error` tells; then it is joined with the next mount, key or login. */
  readonly status: Standing['status'];
  /** Of this page, among the members; another one after each break; null while it is none. */
  readonly member: string | null;
  /** All that are here now, this page too; empty where the channel has no presence. */
  readonly members: readonly Member<Said<N, 'state'>>[];
  readonly error: Error | null;
  /** Sends to all members, this page too; once, so that 429 `v2.channel_rate` is thrown. `client.stream_ended` once the channel is left. */
  readonly send: (payload: Said<N, 'payload'>) => Promise<void>;
}

/**
 * Joins a channel for as long as the component is shown. All components that name the same channel and key are one member, which has the state that one of them said
 * last. With another login it joins anew; without one, and while `key` is null, it is `left`.
 */
export function useChannel<const N extends ChannelName>(name: N, ...[options]: Call<N>): ChannelResult<N> {
  const { key, state, enabled = true, onMessage, onMissed } = (options ?? {}) as Options;
  const here = useHere();
  const isWanted = enabled && !here.isOver && key !== null;
  const id = isWanted ? JSON.stringify([here.login, name, key]) : null;
  const heard = useRef({ onMessage, onMissed });
  useEffect(() => void (heard.current = { onMessage, onMissed }));
  const subscribe = useCallback(
    (changed: () => void) => {
      if (id === null) return () => undefined;
      const message = (told: ChannelMessage): void => heard.current.onMessage?.(told);
      const missed = (): void => heard.current.onMissed?.();
      return listen(here, id, { name, key: key ?? undefined }, { changed, message, missed });
    },
    [here, id, name, key],
  );
  const at = useCallback(() => (id === null ? undefined : membershipsOf(here).get(id)), [here, id]);
  const standing = useSyncExternalStore(
    subscribe,
    () => (id === null ? LEFT : (at()?.standing ?? JOINING)),
    () => LEFT,
  );
  const shown = JSON.stringify(state);
  useEffect(() => {
    if (shown !== undefined) at()?.show(shown);
  }, [at, shown]);
  const send = useCallback(
    async (payload: unknown) => {
      const one = at();
      if (one === undefined) throw left();
      await one.send(payload);
    },
    [at],
  );
  // What it says and is told has the types that the page names.
  const result: object = { ...standing, send };
  return result as ChannelResult<N>;
}

interface Options {
  readonly key?: string | null;
  readonly state?: unknown;
  readonly enabled?: boolean;
  readonly onMessage?: (message: ChannelMessage) => void;
  readonly onMissed?: () => void;
}
