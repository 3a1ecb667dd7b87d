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
  why: 'A list of 20 takes 23 µs of the host (half of it in LMDB’s cursor and the merge with what is pending, a sixth in writing JSON) and 14 of the door, which writes 4 KB; with the load’s 9 both cores are full, while the raw server’s rate is that of its one thread and a core of load, 125,000 to 170,000 a second from run to run.',
  tried: [
    'two hosts in place of one: 0.93 to 1.04 × of one for reads, since the cores were full already',
    'decoded rows are kept (0.199 became 0.25 to 0.35 × in the same setting); keeping parsed queries, too, would spare the host 7 % at most and was left out',
  ],
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
    why: 'An answer crosses to the vault’s keeper and back, three busy threads with TLS on two cores beside the load; a node of 22 November has 0.65 × on this machine, too, where it had 0.98 on another one.',
    tried: [
      'answers to GET are kept by the keeper already, and their signature is not made again',
      'over plain HTTP the listener is Node’s since it answers HTTP/1.0, which stock clients of OCSP speak: the addon cannot',
    ],
  },
  'bff-slowest over its slowest call': {
    why: 'Of the time above the slowest call one millisecond is the way to a server outside and back over loopback, the rest turns of a host whose cores are full.',
    tried: ['fewer connections: the distance stays', 'calls through undici’s pool: 2.9 became 2.6 ms'],
  },
};

/** Null where nothing is known. */
export const causeOf = ({ name, rival }: Pick<Figure, 'name' | 'rival'>): Cause | null =>
  CAUSES[rival === undefined ? name : `${name} beside ${rival.name}`] ?? null;
