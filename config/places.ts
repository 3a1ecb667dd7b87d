/** Places of tenant hosts: each has a fixed set of shards, and a thread on one of the nodes that carry hosts for each other. */
import { limits } from './limits.ts';
import type { Platform } from './platform.ts';

/** What places are counted by. A platform without tenants of a log may lack the section. */
export interface Placed {
  readonly hosts: number;
  readonly cluster?: Pick<Platform['cluster'], 'carry' | 'places'>;
}

/** How many places there are where this node serves. */
export function placeCount({ cluster, hosts }: Placed): number {
  return cluster?.carry === true ? (cluster.places ?? hosts) : hosts;
}

/** For how many places this node needs room in the memory that its threads share: another node may ask it to run any of them. */
export function placeRoom({ cluster, hosts }: Placed): number {
  return cluster?.carry === true ? Math.max(limits.cluster.placesMax, hosts) : hosts;
}
