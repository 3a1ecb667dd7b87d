/** What is compared with which peer. A contest names an operation that both sides answer, and the target that was set for Skep. */
import { directus } from './directus.ts';
import { parseServer, platformaticPostgres, postgraphile } from './on-postgres.ts';
import { betterAuth, betterAuthMemory, durableObject, oidcProvider, platformaticSqlite } from './rivals.ts';
import type { Peer } from './peer.ts';

export interface Contest {
  /** As it is chosen on the command line and named in the JSON. */
  readonly name: string;
  /** Of the sides of Skep and of the peer. */
  readonly operation: string;
  readonly peer: Peer;
  /** Skep over the peer, at least; nothing is promised when absent. */
  readonly times?: number;
  /** A run of everything holds it with the load on a core of its own as well. */
  readonly alsoApart?: true;
}

export const contests: readonly Contest[] = [
  { name: 'read-postgres', operation: 'read', peer: platformaticPostgres, times: 5, alsoApart: true },
  { name: 'create-postgres', operation: 'create', peer: platformaticPostgres, times: 5, alsoApart: true },
  { name: 'read-sqlite', operation: 'read', peer: platformaticSqlite },
  { name: 'create-sqlite', operation: 'create', peer: platformaticSqlite },
  { name: 'read-directus', operation: 'read', peer: directus },
  { name: 'create-directus', operation: 'create', peer: directus },
  { name: 'read-parse', operation: 'read', peer: parseServer },
  { name: 'create-parse', operation: 'create', peer: parseServer },
  { name: 'read-postgraphile', operation: 'read', peer: postgraphile },
  { name: 'create-postgraphile', operation: 'create', peer: postgraphile },
  { name: 'key', operation: 'key', peer: betterAuth, times: 20 },
  { name: 'key-memory', operation: 'key', peer: betterAuthMemory },
  { name: 'exchange', operation: 'exchange', peer: oidcProvider, times: 2 },
  { name: 'hot-read', operation: 'read', peer: durableObject, times: 5 },
  { name: 'hot-create', operation: 'create', peer: durableObject, times: 5 },
];

/** The named ones, or all. Throws on a name that there is not. `jq` stands beside them: it needs no server. */
export function chosenContests(names: readonly string[]): { readonly http: readonly Contest[]; readonly jq: boolean } {
  const known = [...contests.map(({ name }) => name), 'jq'];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no contest ${unknown}; there are ${known.join(', ')}`);
  const wanted = (name: string): boolean => names.length === 0 || names.includes(name);
  return { http: contests.filter(({ name }) => wanted(name)), jq: wanted('jq') };
}

/** Contests of each peer, in order: a peer is started once. */
export function byPeer(http: readonly Contest[]): ReadonlyMap<Peer, readonly Contest[]> {
  return Map.groupBy(http, ({ peer }) => peer);
}
