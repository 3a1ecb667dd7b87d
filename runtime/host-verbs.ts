/**
 * What main asks a tenant host itself, beside what it asks the tenants' actors: verb → what it takes and what it gives. Main asks through
 * rooms/tenant-host-room.ts, a host answers by the table of threads/answer-host-ask.ts, and the compiler holds both to these rows.
 */
import type { Job, Step } from './copies/job.ts';

export interface HostVerbs {
  /** The tenant wakes anew with its next request. */
  readonly forget: { readonly body: null; readonly reply: null };
  /** Digests of the revisions that the host's tenants serve. Refused where a shard is stopped. */
  readonly revisions: { readonly body: null; readonly reply: readonly string[] };
  /** Numbers of the tenants that are awake. */
  readonly awake: { readonly body: null; readonly reply: readonly number[] };
  /** Begins a copy or a sweep; its number. */
  readonly 'copies.begin': { readonly body: Job; readonly reply: number };
  /** Waits a while for the end of one, by its number. */
  readonly 'copies.look': { readonly body: number; readonly reply: Step };
}

export type HostVerb = keyof HostVerbs;
export type HostBody<V extends HostVerb> = HostVerbs[V]['body'];
export type HostReply<V extends HostVerb> = HostVerbs[V]['reply'];

/** In the place of a service's name, in an ask of a tenant's actor (topic `actor.ask`): the host answers by itself. */
export const HOST_ITSELF = 'host';
