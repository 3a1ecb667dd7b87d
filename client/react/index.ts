/** What `@skep/client/react` exports: hooks on TanStack Query. */
export { useAuth, useUser } from './auth.ts';
export type { AuthState, User } from './auth.ts';
export { useChannel } from './channel.ts';
export type { ChannelMessage, ChannelName, ChannelOptions, ChannelResult } from './channel.ts';
export { keyOf } from './keys.ts';
export { useLive } from './live.ts';
export type { LiveName, LiveOptions, LiveQuery } from './live.ts';
export { SkepProvider, useSkep } from './provider.ts';
export type { SkepProviderProps } from './provider.ts';
export { useInfiniteList, useList, useRow } from './reads.ts';
export type { PageOptions, ReadOptions } from './reads.ts';
// With the asterisk a page can add its schema to `Register`.
export * from './register.ts';
export { useCreate, useRemove, useUpdate } from './writes.ts';
export type { RemoveCall, UpdateCall, WriteHookOptions } from './writes.ts';
