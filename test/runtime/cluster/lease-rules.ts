/** What the simulated lives of nodes share: the rules that can be broken, what was reached, and what a life sees of its node and its world. */
import type { NodeRules } from '#test/storage/log-engine/memory-nodes.ts';
import type { MemoryLog } from '#test/storage/log-engine/memory.ts';
import type { Random } from '#test/kit/random.ts';

export const LEASE_MS = 15_000;
/** When nothing new is begun any more. */
export const LAST_MS = 150_000;

/** Each is true in nodes that keep the rules. */
export interface LeaseRules {
  /** A node is condemned before its place is taken. */
  readonly condemnsFirst: boolean;
  /** A reply asks the lease as it leaves. */
  readonly asksLease: boolean;
  /** The lease counts from the sending of the beat, and not from its answer. */
  readonly countsFromSending: boolean;
  /** The holder answers for a share of the lease. */
  readonly answersForShare: boolean;
  /** A watcher waits for the whole lease. */
  readonly waitsForLease: boolean;
  /** Between the look at a shard and its claim the lease is asked. */
  readonly asksBeforeClaim: boolean;
  /** Where reads are confirmed, a round counts for what was asked before it began. */
  readonly roundsBehindReads: boolean;
}

export const KEPT_LEASE_RULES: LeaseRules = {
  condemnsFirst: true,
  asksLease: true,
  countsFromSending: true,
  answersForShare: true,
  waitsForLease: true,
  asksBeforeClaim: true,
  roundsBehindReads: true,
};

export interface LeaseReached {
  writes: number;
  reads: number;
  readsRefused: number;
  confirmed: number;
  takeOvers: number;
  fenced: number;
  unknown: number;
  stoodStill: number;
}

/** The node of a life: its clock, its network, its standstills. */
export interface LifeNode {
  readonly name: string;
  readonly mayAnswer: boolean;
  /** Monotonic, and its own. */
  clock(): number;
  sleep(ms: number): Promise<void>;
  call<T>(run: () => Promise<T>): Promise<T>;
}

export interface LifeWorld {
  readonly random: Random;
  readonly rules: LeaseRules;
  readonly nodeRules: NodeRules;
  readonly log: MemoryLog;
  /** By what a node answers: its lease, or a round to the log for each read, which trusts no clock. */
  readonly reads: 'lease' | 'confirmed';
  readonly time: { readonly now: number; begin(process: () => Promise<void>): void };
  readonly reached: LeaseReached;
  readonly violations: string[];
  /** Position of the newest entry that a writer was told to be durable. */
  acknowledged: number;
  answers(node: LifeNode): void;
  claims(node: LifeNode): void;
}
