/**
 * The verbs that a tenant host answers by itself, beside those of its tenants' actors: verb → body and reply. Main asks through
 * rooms/tenant-host-room.ts, a host answers by the table of threads/answer-host-ask.ts, and the compiler checks both against these rows.
 */
import type { HostUsage, OutsideLeft } from '#actors/protocol/usage.ts';
import type { KeptFile } from '#actors/kit/jobs.ts';
import type { Job, Step } from './copies/job.ts';

export interface HostVerbs {
  /** Ends the tenant's activation; its next request wakes it anew. */
  readonly forget: { readonly body: null; readonly reply: null };
  /** The node is about to stop: answers that last, such as streams of events, end. */
  readonly retire: { readonly body: null; readonly reply: null };
  /** Digests of the revisions that the host's tenants serve. Refused where a shard is stopped. */
  readonly revisions: { readonly body: null; readonly reply: readonly string[] };
  /** The revision that each of these tenants serves, by their numbers; null for one that serves none here. */
  readonly 'revisions.of': { readonly body: readonly number[]; readonly reply: readonly (string | null)[] };
  /** The files of the folder `web` of the revision that a tenant serves; none where that is the known one still. */
  readonly 'web.index': { readonly body: string | null; readonly reply: WebAnswer };
  /** Numbers of the tenants that are awake. */
  readonly awake: { readonly body: null; readonly reply: readonly number[] };
  /** What was counted of the host's tenants since the last such ask. */
  readonly 'usage.take': { readonly body: null; readonly reply: readonly HostUsage[] };
  /** How many calls outside tenants have left, counted from what the last `usage.take` gave; others are not bounded. */
  readonly 'usage.allow': { readonly body: readonly OutsideLeft[]; readonly reply: null };
  /** Begins a copy or a sweep and gives its number. */
  readonly 'copies.begin': { readonly body: Job; readonly reply: number };
  /** Waits for a bounded time until the work of this number ends. */
  readonly 'copies.look': { readonly body: number; readonly reply: Step };
}

export interface WebAnswer {
  /** Null where the tenant serves no revision yet. */
  readonly revision: string | null;
  /** Null where the revision is the known one. */
  readonly files: readonly KeptFile[] | null;
}

export type HostVerb = keyof HostVerbs;
export type HostBody<V extends HostVerb> = HostVerbs[V]['body'];
export type HostReply<V extends HostVerb> = HostVerbs[V]['reply'];

/** The name that stands for the host itself where an ask of topic `actor.ask` names a service. */
export const HOST_ITSELF = 'host';
