/** Faults of nodes on one log that must be noticed; which rule each breaks: docs/decisions/storage.md ST-41. */
import type { Control } from '#test/simulation/control.ts';

const MEMBERSHIP = 'runtime/cluster/membership.ts';
const LEASE = 'runtime/cluster/lease.ts';
const NODES = 'test/storage/log-engine/memory-nodes.ts';
const STATEMENTS = 'test/storage/log-engine/memory-statements.ts';
const MEMORY = 'test/storage/log-engine/memory.ts';
const TAKE_OVER = 'storage/log-engine/take-over.ts';
const APPENDER = 'storage/engine-journals/appender.ts';

const of = (what: string, file: string, find: string, put: string): Control => ({
  what,
  of: 'cluster',
  plant: { file, find, put },
});

export const CLUSTER_CONTROLS: Readonly<Record<string, Control>> = {
  'condemned-life-beats': of(
    'A life that was condemned beats on, and renews its lease.',
    NODES,
    'if (mine === undefined || (endsCondemned && mine.isFenced)) return read(null);',
    'if (mine === undefined) return read(null);',
  ),
  'lease-from-answer': of(
    'A lease counts from the answer to a beat, and not from its sending.',
    MEMBERSHIP,
    'lease.renewed(sentAt);',
    'lease.renewed(now());',
  ),
  'lease-held-longer': of(
    'A holder answers for longer than its share of a lease, and than others wait.',
    LEASE,
    'const HELD_SHARE = 0.8;',
    'const HELD_SHARE = 1.2;',
  ),
  'unasked-answer': of(
    'An answer that rests on no record of its own asks for nothing.',
    'actors/host/allowed.ts',
    'return mayAnswer === undefined || mayAnswer() ? outcome : unsure(service, call, outcome);',
    'return outcome;',
  ),
  'chapter-dropped-early': of(
    'A chapter is given back with entries that were not let go.',
    STATEMENTS,
    'row.entries.filter(({ seq }) => seq > row.trimmed);',
    'row.entries.filter(({ seq }) => seq > row.trimmed + 1);',
  ),
  'engine-trims-above-copies': of(
    'The engine lets entries go that no noted copy has, for a node that asks for it.',
    STATEMENTS,
    '    if (rules.trimsBelowSnapshots && seq > (row.snapshots[0]?.seq ?? 0)) return read(new TrimRefused(shard, seq));\n    return write(shard, { ...row, trimmed: Math.max(row.trimmed, seq) }, null);',
    '    return write(shard, { ...row, trimmed: Math.max(row.trimmed, seq + 1) }, null);',
  ),
  'noted-copy-removed': of(
    'A copy is removed although the log names it.',
    'storage/shard-copy/keep-copies.ts',
    'if (!named.has(name) && !kept.has(name) && readCopyName(name)!.seq <= notes[0]!.seq)',
    'if (named.has(name) || readCopyName(name)!.seq <= notes[0]!.seq)',
  ),
  'gap-untold': of(
    'A reader is not told that entries are gone.',
    STATEMENTS,
    '  if (rules.tellsOfGaps && after < row.trimmed) return new TrimGap(shard, after, row.trimmed);\n',
    '',
  ),
  'unconfirmed-followed': of(
    'A standby takes what is not confirmed.',
    STATEMENTS,
    'const end = rules.hidesUnconfirmed ? row.confirmed : row.tail;',
    'const end = row.tail;',
  ),
  'own-entry-confirmed': of(
    'An entry says of itself that it is confirmed.',
    'test/storage/log-engine/memory-server.ts',
    'confirmed: Math.max(row.confirmed, entry.confirmed),',
    'confirmed: entry.seq,',
  ),
  'read-ends-early': of(
    'A claimer does not read up to its own entry.',
    TAKE_OVER,
    '    ({ seq, chain } = chunk.entries.at(-1)!);\n',
    '    return true;\n',
  ),
  'cancelled-wait-counts': of(
    'A wait that was cancelled passes for an acknowledgement.',
    MEMORY,
    'say(this.rules.doubtsCancelledWaits ? giveUp : settle)',
    'say(settle)',
  ),
  'unknown-counts': of(
    'An unknown outcome passes for an acknowledgement.',
    APPENDER,
    'untilKnown(() => this.#options.engine.append(entries), this.#pause).then(',
    "this.#options.engine.append(entries).catch(() => entries.map((): AppendOutcome => 'durable')).then(",
  ),
  'found-counts': of(
    'An entry that is found in the log counts, without a commit behind it.',
    STATEMENTS,
    '      if (rules.coversWhatItFinds)\n        rows.set(',
    '      if (!rules.coversWhatItFinds)\n        rows.set(',
  ),
  'lost-counts': of(
    'An owner that has lost its shard goes on.',
    APPENDER,
    "outcomes[at] === 'durable');",
    'outcomes[at] !== undefined);',
  ),
  'one-lost-all-lost': of(
    'Outcomes of several shards in one call are mixed up.',
    APPENDER,
    "const lost = shards.filter((_, at) => outcomes[at] !== 'durable');",
    "const lost = shards.filter((_, at) => outcomes[at] !== 'durable' && shards.length === 1);",
  ),
  'silent-node-kept': of(
    'A life that is silent keeps its place for good.',
    MEMBERSHIP,
    'const isGone = one.place === life.place || watch.isSilent(one, now());',
    'const isGone = one.place === life.place && watch.isSilent(one, now());',
  ),
  'place-promised-for-good': of(
    'A place is promised to an heir that is gone.',
    MEMBERSHIP,
    'heirs.has(one.id) && !one.isFenced && !watch.isSilent(one, now())',
    'heirs.has(one.id) && watch !== null && now() > 0',
  ),
  'heirs-wait-for-each-other': of(
    'Of two lives to which the place was promised each waits for the other one.',
    MEMBERSHIP,
    'const [next] = living.map(({ id }) => id).toSorted();',
    'const next = living.find(({ id }) => id !== life.id)?.id;',
  ),
  'chain-not-compared': of(
    'A log is told from another one by positions alone.',
    'storage/log-engine/chain.ts',
    'if (entry.seq !== seq || entry.chain !== chainOf(chain, entry)) return seq;',
    'if (entry.seq !== seq) return seq;',
  ),
  'shorter-log-taken': of(
    'A log that ends before the store is taken for its own.',
    TAKE_OVER,
    'if (claim.tail < base.seq)',
    'if (claim.tail < 0)',
  ),
  'torn-store-untold': of(
    'A sweep does not say, before its first commit, of which entries it brings a part.',
    'storage/applied.ts',
    '    first: [reachWrite({ whole: before.whole, through })],',
    '    first: [],',
  ),
  'torn-entry-not-compared': of(
    'A store takes another entry for the one of which it has a part.',
    'storage/engine-journals/log-follower.ts',
    '    if (chain !== through.chain)',
    "    if (chain === '')",
  ),
  'swept-before-durable': of(
    'A sweep does not wait until what it takes is durable.',
    'storage/follower.ts',
    ' || leaving.generation.newest > this.#options.durable()) return;',
    ') return;',
  ),
  'missed-claim-ends': of(
    'A claimer that has its place gives up when the owner before gives a shard up meanwhile.',
    'storage/engine-journals/bring-up.ts',
    '...(work.mayClaim !== undefined && { again }),',
    '',
  ),
  'time-begins-anew': of(
    'A new owner’s entries may be earlier than those before.',
    TAKE_OVER,
    'first: 0, time, body: Buffer.from(token) });',
    'first: 0, time: 0, body: Buffer.from(token) });',
  ),
};
