/** The campaigns of `npm run campaign`: what each does to a node or a part of it, what must hold, and the test files that do it. */

export interface Campaign {
  /** What is done, and what must hold. */
  readonly proves: string;
  /** Test files, from the project's root. */
  readonly files: readonly string[];
}

const crash = (...names: readonly string[]): string[] => names.map((name) => `test/crash/${name}.test.ts`);
const rows = (...names: readonly string[]): string[] =>
  names.map((name) => `test/actors/engine/rows/${name}.property.test.ts`);

export const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  kills: {
    proves:
      'A node is killed under creates, updates, envelopes, submissions and scripts: what was acknowledged is there once, and nothing is half there.',
    files: crash('kill', 'envelope', 'scripts', 'storage-kill', 'budget'),
  },
  starts: {
    proves:
      'A node is killed at any moment of its life, every second time in the start that recovers what the kill before has left: what was acknowledged in any of its lives is there once, and nothing is half there.',
    files: crash('kill-starts'),
  },
  feed: {
    proves:
      'A node, or its host, is killed under subscribers of changes, consumer groups, clients and members of channels: each is told what it may see of the kept changes, once and in order.',
    files: crash('changes', 'change-groups', 'client-changes', 'graphql-sse', 'live-kills', 'channels'),
  },
  intake: {
    proves:
      'A node is killed, its disk fills up or hangs, under visitors: what was answered 200 is in the log, in the database and at its tenant, once; what was refused is nowhere.',
    files: [...crash('intake-ledger', 'tenant-forms'), 'test/actors/intake/kill.test.ts'],
  },
  deliveries: {
    proves:
      'A node is killed with webhooks, triggers and due times pending, and its courier at each step of a mail, a webhook and a notice: each leaves at least once under one id, and what it writes is written once.',
    files: crash('triggers', 'webhooks', 'webhook-ends', 'courier-steps', 'cron'),
  },
  audit: {
    proves: 'A node is killed before each step of sealing a log: what was acknowledged is there, and the log verifies.',
    files: [...crash('seal'), 'test/scenario/audit-faults.test.ts'],
  },
  operations: {
    proves:
      'A node is killed inside plans, provisioning, new revisions, backups, restores, moves, deletions, seeds and retention: a tenant is before or behind each, or it is finished later.',
    files: crash('plans', 'provisioning', 'kept-revision', 'tenant-copies', 'node-backup', 'upkeep'),
  },
  files: {
    proves: 'A node is killed under uploads and changes of assets: what was acknowledged is there with all its bytes.',
    files: crash('content-fs', 'resumable-upload'),
  },
  disks: {
    proves:
      'Syncs fail with EIO, disks are full, a process has no descriptor left, and another machine goes on with the replica of a disk: nothing is acknowledged after a failed sync, and what was acknowledged before is there.',
    files: crash('eio', 'small-disk', 'storage-fault', 'other-machine', 'no-descriptors'),
  },
  stops: {
    proves:
      'A process stands still (SIGSTOP) for longer than a disk may take to answer, gets too little memory, or its clock is set by an hour, under clients: it goes on, or it ends; what was acknowledged is there.',
    files: [...crash('stopped', 'limited'), 'test/scenario/clock-jumps.test.ts'],
  },
  cluster: {
    proves:
      'Two or three nodes on one log in a PostgreSQL with a synchronous standby, under clients at all of them: a node is killed, two are, stopped, paused for less and longer than its lease; its link to the database is cut, each direction apart, and what was held comes late; commits that wait are cancelled or their sessions ended; the standby of the database is restarted or slow, the database stands still, the disk of one of them is slow; by half of the seeds the nodes run hosts of one another, answer at all doors, and their links to each other are cut. Each history of a row is one order of its calls, what was acknowledged is there once, webhooks come, and a session goes on.',
    files: crash('cluster'),
  },
  'cluster-soak': {
    proves:
      'Many small clusters side by side for a long time, each of two or three nodes with a database and a standby of its own, by half of them with hosts of one another, under a few clients: at random moments, about a minute apart, one of the faults of the campaign `cluster`. The same has to hold, looked at behind each fault and at the end of all.',
    files: crash('cluster-soak'),
  },
  upgrade: {
    proves:
      'Three nodes on one log are replaced one after the other by another release, a commit of the history, and back again, under callers at all doors, by a third of the seeds with hosts of one another; and a node that has handed its place over is stopped at any moment of its way to stand by: each request is answered, or gets 503 with a Retry-After of two seconds at most, and what was acknowledged is there, once.',
    files: crash('rolling-upgrade', 'stopped-behind-hand-over'),
  },
  matrix: {
    proves:
      'Each call that a node makes to each kind of its files (open, write, sync, rename, unlink, read; the first to the fiftieth) fails with EIO or ENOSPC, is short or late, under clients: what was acknowledged is there after a start without faults, nothing is half there, answers are declared, and the node goes on or ends as declared.',
    files: crash('matrix'),
  },
  images: {
    proves:
      'A node works while everything that it does to its files is recorded; out of that come disks as a loss of power may leave them (what was synced, and any part of the rest, torn between sectors). Each is recovered: what was acknowledged is there once, nothing is half there, and logs verify.',
    files: crash('images'),
  },
  simulation: {
    proves:
      'The rooms of a node run in one thread on a simulated clock and disk, from one seed: the power goes at any change of the disk, processes and threads end, syncs fail. What was acknowledged is there, a state is one that was, nothing shows what a crash undoes; the audit log has each event once, each submission is stored and at its tenant once, a request under a key runs once, and each row leaves as a webhook under one id. So do the threads that share the table of rates, each step of one between steps of others: no bucket grants more than its burst and rate, and no caller is refused what its bucket has. And the vault keeper, with files whose power goes: acknowledged secrets, removals and keys are there, versions only rise, and nothing is read while it is sealed. And a whole node of these and of the door, its visits, supervisor, watchdog and relays, on one clock and one disk: all of this holds at once.',
    files: ['test/simulation/simulation.test.ts', 'test/simulation/parts.test.ts'],
  },
  'cluster-simulation': {
    proves:
      'Nodes on one log in one thread, from one seed, with the code of membership, lease, standby, journal and stores, over a database with one standby in memory: processes end and stand still, clocks go at other rates, links are slow or cut each way, waits are cancelled, commits lost in a failure of the database, places handed over and fenced, the log cut behind copies, the database put back from a copy. What was acknowledged or shown is in the log, no answer is one that was overtaken, each store comes to the log’s state or is refused, and when all is well again a node serves.',
    files: ['test/simulation/cluster.test.ts', 'test/simulation/carriers.test.ts'],
  },
  damage: {
    proves:
      'Bytes of stored files are changed: each change is noticed, or lies in a range that is named as one in which nothing can be.',
    files: [
      ...crash('flips'),
      'test/storage/segment/verify/mutation.test.ts',
      'test/storage/journal-copy/copy.property.test.ts',
    ],
  },
  flood: {
    proves:
      'Requests out of a grammar of broken ones reach every route: each is answered by a refusal of its row or cut, and memory stays flat.',
    files: ['test/scenario/malformed-flood.test.ts'],
  },
  soak: {
    proves:
      'Callers of all kinds are at a node for a long time: rows, queries, log ins, submissions, subscribers that come and go, requests that are broken off. Each is answered as it should be; memory, descriptors and threads do not grow.',
    files: ['test/scenario/soak.test.ts'],
  },
  inputs: {
    proves:
      'Inputs are changed over and over, those first that reach new blocks of the code that reads them, behind signatures and check sums too: each is taken or refused as declared, within its steps, and what is read is written again as it was.',
    files: ['test/fuzz/inputs.test.ts'],
  },
  sql: {
    proves: 'Generated statements run here and in PostgreSQL: results and tables are equal.',
    files: ['test/actors/engine/sql/postgres.property.test.ts'],
  },
  queries: {
    proves:
      'Generated queries, groups, links, views and writes of rows run here and in PostgreSQL: answers and tables are equal, under rules that hide rows.',
    files: [
      ...rows('path/columns', 'path/far', 'path/many', 'path/include-options', 'links/filters', 'links/lists'),
      ...rows('links/writes', 'change-found', 'create-many', 'group/aggregates', 'postgres'),
      'test/actors/engine/view/view.property.test.ts',
    ],
  },
};

/** What no campaign tries yet: the page says it beside what they found. */
export const NOT_COVERED: readonly string[] = [
  'The loss of power of a real machine: the disks of the campaign `images` are made by a model (docs/decisions/platform.md PL-14), which knows what was written and synced, and not what a kernel or a drive does against its promise. Of the vault, of backups and of the first start there are no such images.',
  'Of the campaign `matrix`: calls that nodes make in some of their lives only (its table has those that any run has met, and those that the node of the newest run made without a fault); reads of LMDB, whose files are mapped into memory; a fault of LMDB’s own opening, over which the start ends by a signal instead of a refusal (docs/decisions/storage.md ST-43); a disk that stays broken; the verbs of tenants (move, restore, deploy) and the scrubber, whose files its nodes do not make.',
  'Several machines: nodes, databases and clients of the campaign `cluster` are processes of one, whose links are cut in a relay of the tests, or by pulling the cable of a network namespace; clocks that run at different rates are in a simulation only (`test/runtime/cluster/lease.property.test.ts`). Histories are of single rows: nothing there judges what is read of several at once.',
  'File systems other than the one of the machine that ran, and disks that acknowledge a flush without one.',
  'Of the campaign `simulation`: a whole node from one seed has the door (visits from head to answer on a twin of the addon’s response), rates with their keeper, supervisor, watchdog and relays, a host with journal, archive over a twin of LMDB, outboxes and the data service, audit logs, intake, webhooks and the vault keeper (docs/decisions/platform.md PL-19, PL-20, PL-25, PL-26, PL-32); callers ask the door for rows of a plain service, and the other rooms by the messages that their threads take. The other services, WebSockets, mails, scripts, certificates and agents of the vault, vaults on etcd, and backups run with real threads and clocks alone, so that a failure there is repeated by its inputs and not by its schedule. LMDB itself is in no simulation.',
  'Parsers that are not in test/fuzz/targets: those of libraries behind TLS and HTTP, and of images; and what is found only behind several requests.',
  'Bits that turn in memory, faults of processors, one thread that stands still while others go on, and clocks that run faster or slower than they should (clocks that are set, while a node runs or between two starts, are tried).',
];
