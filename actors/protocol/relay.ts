/**
 * A superadmin's request to another tenant's admin plane, as it crosses from the host of the position that authorized the caller
 * to the host of the tenant that the path names (docs/contract/common.md §1.4).
 */
import type { Body } from './frame.ts';
import type { Principal } from './principal.ts';
import type { Method } from './method.ts';

export interface RelayedCall {
  /** Name of the route's row. */
  readonly route: string;
  readonly method: Method;
  /** Path parameters as the door gives them. */
  readonly params: string;
  readonly query: string;
  readonly requestId: string;
  readonly body: Body;
  /** Authorized already: the receiver makes only the checks of the row. */
  readonly principal: Principal;
}

export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

/** What a host may ask for beyond its own tenants. */
export interface Relay {
  /** The answer of an active tenant; null when no active tenant has that key. */
  call(key: string, call: RelayedCall): Promise<RelayedAnswer | null>;
  /** Keys of the tenants that are awake, whichever host holds them. */
  awake(): Promise<readonly string[]>;
}

/** For threads without a way to other hosts. */
export const NO_RELAY: Relay = { call: () => Promise.resolve(null), awake: () => Promise.resolve([]) };
