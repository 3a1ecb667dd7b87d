/** Numbers of nodes that share a log in a database: of which one serves it and the others wait. */
import { linkLimits } from './link-limits.ts';

export const clusterLimits = {
  link: linkLimits,
  leaseMs: 15_000,
  leaseMsMin: 3000,
  leaseMsMax: 60_000,
  /** A node that serves beats so often within its lease, so that a few may fail. */
  beatsPerLease: 5,
  /** A standby looks so often, or as often as it would beat where that is more. */
  standbyBeatMs: 1000,
  /** A standby looks so often what was written; how far that pause grows while the database is away; and until a shard that it could not follow is tried again. */
  followEveryMs: 500,
  followAwayMsMax: 10_000,
  followFaultMs: 60_000,
  /** How often a node looks whether its machine was suspended, and what it takes for that. */
  suspendLookMs: 500,
  suspendMsMin: 1000,
  /** A standby starts the threads that it will need so long after it began to wait: it follows the log first, and a node that has just handed over leaves the machine to what it still has to end. */
  parkAfterMs: 2000,
  /** A standby that had all that was confirmed so long ago may be handed the place; it looks so often whether it is free then; and how long the command waits, and how often it looks. */
  followLateMs: 5000,
  heirBeatMs: 10,
  /** But no longer: a node that does not give its place up may go on for days. */
  heirBeatsMsMax: 30_000,
  /** Tenants that a node wakes when it takes the place of another one, before they are asked for: those that were written last. Each takes a host some milliseconds. */
  wakesMax: 32,
  /** Connections that such a standby opened ahead are used for so long. */
  aheadMsMax: 30_000,
  /** How often a node looks that waits until other nodes have ended the hosts that they ran for it, or for the one before. */
  releaseLookMs: 50,
  handOverMsMax: 120_000,
  handOverLookMs: 250,
  /** For how long a node that has given its place up leaves the cores to the one that takes it, which may be on the same machine, before it ends its threads. */
  giveWayMs: 400,
  /** How long a node that stands by waits until it reads again what its doors need and could not be had. */
  doorsRetryMs: 5000,
  /** Answers of one host that wait for a round to the log (`reads: confirmed`), from which more get 503. */
  confirmWaitingMax: 10_000,
  nameCharsMax: 64,
  /** Places of tenant hosts in a cluster whose nodes carry hosts for each other (`cluster.places`). */
  placesMin: 2,
  placesMax: 64,
  /** Rows of events that `skep cluster events` reads: a change of many shards has one for each. */
  eventsMax: 20_000,
  /** How often the node that serves looks whether a place belongs elsewhere, and how long it leaves a node alone that could not take one. */
  placesLookMs: 1000,
  placesFaultMs: 30_000,
  /** How long a place stays where it is behind the last call of a job on it. */
  placesHoldMs: 15_000,
  /** How long a job waits for a place that comes from another node, which may be gone for its lease; and how often it looks. */
  placesHomeMsMax: 120_000,
  placesPauseMs: 50,
  /** How long a thread that another node carried may take to end in order when the node that served is gone. */
  carriedEndMs: 2000,
} as const;
