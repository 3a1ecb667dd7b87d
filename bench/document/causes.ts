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
  why: 'The cores are full: of some 60 µs of processor time a create, the host takes 24, the door 13, the journal’s threads and garbage 15, the load 9, and the kernel’s disk and network take what is left but a seventh; the longest answers wait for a collection of garbage, since what is written stays in the overlay for seconds.',
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
  'create-256': {
    ...CREATES,
    why: `${CREATES.why} The tree before any of it (commit 85f7128), which had 0.18 × on another machine, misses it on this one, too: 0.152 × beside 0.142 × in three alternating runs of 30 s on 30 November 2026, in which the raw server alone moved from 101,000 to 136,000 a second; asked at the same time, this one answers 1.022 × as many (95 %: 1.001 to 1.043).`,
  },
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
    why: 'What is left is the door’s own work for a request, a quarter of it, beside a handler that does nothing: the route, the caller’s bucket, counters, an id for the answer. A node of 22 November has 0.65 × on this machine, where it had 0.98 on another one.',
    tried: [
      'the door gives an answer again by itself for a second: 0.57 to 0.64 became 0.70 ×, 25,000 a second 41,000 (docs/decisions/vault.md VA-27)',
      'plain HTTP: 0.31 ×, since the constant door is the addon’s and the vault’s listener is Node’s, which answers the HTTP/1.0 of stock clients',
    ],
  },
  'fresh-clone': {
    why: 'Of some 26 s without the console’s build the clone takes 2.6, the packages 13 (Node itself is 185 MB of them, the door’s addon 133), the bundles 4.5, and the start with the demo’s rows 5.7.',
    tried: [
      'packages of tests and documentation come later: 868 MB became 481, and 34 s became 33',
      'the console’s build beside it gives way between sessions, too: 33 s became 30',
    ],
  },
  'own-account change': {
    why: 'What it is held against, a create, became faster: 30,000 to 34,600 a second where it had 27,000. A change of a name moves an entry of the index by which administrators find people.',
    tried: [
      'the row of the login, which a change of names leaves as it is, is not written again',
      'four runs: 0.72 twice, 0.77 and 0.79 ×, the last one of 10 s each',
    ],
  },
  'own-account login': {
    why: 'A login waits for argon2, whose threads share the two cores with door and host.',
    tried: ['three runs: 0.79, 0.80 and the one here'],
  },
  'bff-slowest over its slowest call': {
    why: 'Of the time above the slowest call a millisecond is the way to a server outside and back over loopback, the rest are turns of a host and of the door on shared cores.',
    tried: ['calls through undici’s pool: 2.9 became 2.6 ms', 'two hosts: 2.1 ms'],
  },
};

/** Null where nothing is known. */
export const causeOf = ({ name, rival }: Pick<Figure, 'name' | 'rival'>): Cause | null =>
  CAUSES[`${name} beside ${rival?.name}`] ?? CAUSES[name] ?? null;
