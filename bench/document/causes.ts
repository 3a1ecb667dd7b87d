/**
 * Why a figure of docs/benchmarks.md misses what is wanted of it, on the machine of that page, and what was tried. A run says what, and not why: these are written by hand when a run is published, and go when the figure is reached.
 */
import type { Figure } from '#bench/kit/figure.ts';

interface Cause {
  readonly why: string;
  /** Ways that were tried and did not reach it, each with what it gave. */
  readonly tried: readonly string[];
}

const CREATES: Cause = {
  why: 'The cores are full: of some 60 µs of processor time a create, the host takes 24, the door 13, the journal’s threads and garbage 15, the load 9; the longest answers wait for a collection of garbage, since what is written stays in the overlay for seconds.',
  tried: [
    'V8’s young generation at 2, 4 and 16 MB: 22,000 to 28,600 a second and a p99 of 8.4 to 12 ms with each',
    'fewer threads of libuv, larger sweeps, smaller batches: no difference',
    'the journal in memory, then the whole store: a p99 of 10 to 14 ms all the same, so it is not the disk',
  ],
};

const LISTS: Cause = {
  why: 'A list of 20 takes 23 µs of the host (two fifths of it in LMDB’s cursor and the merge with what is pending, a seventh in writing JSON) and 14 of the door, which writes 4 KB; with the load’s 9 both cores are full. The raw server moves from run to run, 125,000 to 170,000 a second, and the ratio with it: 0.25 to 0.35 at 38,000 to 40,000 lists a second.',
  tried: ['two hosts in place of one: 38,300 and 38,400 a second', 'a young generation of 64 MB: 37,400 a second'],
};

const TRIGGERS: Cause = {
  why: 'An event is a durable fifth record beside the four of a create.',
  tried: [
    'events as short lines of text: 0.66 to 0.70 × (docs/decisions/triggers.md TG-16)',
    'a fixed text of ten bytes for the event, and nothing counted: 0.70 to 0.83 ×, so that 0.8 is what a record of its own costs at the least',
  ],
};

const CAUSES: Readonly<Record<string, Cause>> = {
  'list-20': LISTS,
  'list-20 of a range': LISTS,
  'list-20 by cursor': LISTS,
  'create-64': CREATES,
  'create-256': CREATES,
  'create-postgres beside Platformatic DB on PostgreSQL': {
    why: 'The faster side keeps the load busier and lacks the cores that it takes: with the load on a core of its own it is 6.4 × (docs/decisions/bench.md BE-10).',
    tried: CREATES.tried.slice(0, 2),
  },
  'audit-writes': {
    why: 'Each record is read out of its outbox, passed on by main, hashed and written by the sealer (13 µs of its thread) and settled in the outbox, all on the two cores that creates fill.',
    tried: [
      'a ring of slots that are written over in place of rows that are deleted: 0.49 became 0.68 to 0.72 × (docs/decisions/audit.md AU-8)',
      'outboxes that are asked again after 10 ms at the earliest, answers in groups: no further gain for records',
    ],
  },
  'trigger-create webhook': TRIGGERS,
  'trigger-create mail': TRIGGERS,
  'trigger-create script': TRIGGERS,
  'trigger-create-http': {
    why: 'Each webhook is a signed request of its own from the courier to a receiver that shares the two cores with node and load.',
    tried: [
      'outboxes that are asked again after 10 ms at the earliest: 0.30 became 0.43 × (docs/decisions/runtime.md RT-37)',
      'undici’s pool in place of node:http: 75 to 90 µs a webhook in place of 180 to 250 (docs/decisions/triggers.md TG-17)',
    ],
  },
  'ocsp-kept': {
    why: 'An answer crosses to the vault’s keeper and back: with TLS and the load three busy threads on two cores. A node of 22 November has 0.65 × on this machine, where it had 0.98 on another one.',
    tried: [
      'three runs: 0.57, 0.63 and 0.64 ×',
      'plain HTTP: 0.31 ×, since the constant door is the addon’s and the vault’s listener is Node’s, which answers the HTTP/1.0 of stock clients',
    ],
  },
  'takeovers, handed over': {
    why: 'It takes 353 ms in the middle; what the two of 72 above half a second waited for is not known.',
    tried: [
      'an heir that connects ahead and looks a hundred times a second, with parked threads: 0.5 to 4 s became this (docs/decisions/storage.md ST-40)',
      'claims of eight shards by one statement: some four changes in all in place of seven round trips a shard',
    ],
  },
  'own-account change': {
    why: 'What it is held against, a create, became faster: 34,600 a second where it had 27,000.',
    tried: [],
  },
  'own-account login': {
    why: 'A login waits for argon2, whose threads share the two cores with door and host.',
    tried: [],
  },
  'bff-slowest over its slowest call': {
    why: 'Of the time above the slowest call a millisecond is the way to a server outside and back over loopback, the rest are turns of a host and of the door on shared cores.',
    tried: ['calls through undici’s pool: 2.9 became 2.6 ms', 'two hosts: 2.1 ms'],
  },
};

/** Null where nothing is known. */
export const causeOf = ({ name, rival }: Pick<Figure, 'name' | 'rival'>): Cause | null =>
  CAUSES[`${name} beside ${rival?.name}`] ?? CAUSES[name] ?? null;
