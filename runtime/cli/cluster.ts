/** `skep cluster init|check|status|nodes|shards|events|drain|fence|move|rebalance|snapshot|adopt|leave`: the log in a database that acknowledges a node's writes. Spec: docs/contract/platform.md §6. */
import { InvalidArgumentError, type Command } from 'commander';
import { limits } from '#config/limits.ts';
import type { PlannedMove } from '#runtime/supervisor/place-moves.ts';
import {
  askNode,
  guarded,
  operatorVerb,
  platformOf,
  platformVerb,
  shownVerb,
  type OperatorOptions,
} from './operator-verb.ts';
import { renderRecord, renderRows, type Row } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

const { logShards, logShardsMax } = limits.storage;

export function addCluster(program: Command, terminal: Terminal): void {
  const cluster = program
    .command('cluster')
    .description('the log in a database that acknowledges writes (storage.journal)')
    .enablePositionalOptions();
  const say = (step: string): void => terminal.err(`${step}\n`);
  platformVerb(cluster, terminal, {
    name: 'init',
    what: 'make the tables of a log in an empty database; refuses a database that has one, or that is not replicated as the file says',
    example: 'skep cluster init -f platform.yaml --shards 64',
    show: async (platform, { shards }: OperatorOptions & { shards: number }) => {
      const { warning, ...made } = await (await import('#runtime/cluster/init.ts')).makeLog(platform, shards);
      if (warning !== '') terminal.err(`skep: warning: ${warning}\n`);
      return made;
    },
  }).option(
    '--shards <number>',
    'how many logs, for good: a tenant lies in one; more than hosts that will ever serve it',
    shardsOf,
    logShards,
  );
  operatorVerb(
    cluster,
    'check',
    'whether the database is fit for a log: its release, its copies, permissions, and how long a write takes; exit 1 when it is not',
    'skep cluster check -f platform.yaml',
  ).action(({ file, output }: OperatorOptions) =>
    guarded(async () => {
      const [platform, { examineLog }] = await Promise.all([
        platformOf(file, terminal),
        import('#runtime/cluster/examine.ts'),
      ]);
      const findings = await examineLog(platform);
      const rows = findings.map(({ check, state, detail, mend }) => ({ state, check, detail, mend }));
      terminal.out(renderRows(rows, output));
      if (findings.some(({ state }) => state === 'fault')) throw new CliError('', EXIT.failure);
    }),
  );
  operatorVerb(
    cluster,
    'status',
    'show the nodes on the log, which one serves, how long ago each said so, how far one that stands by is behind, where the others reach each, whether its doors reach the one that serves, and for which node it runs hosts; and of each shard its owner, the epoch of its claim, its newest entry, its newest copy, how many entries a start without a store reads behind that, and how far the store of this machine is; that of a running node is left out',
    'skep cluster status -f platform.yaml',
  ).action(({ file, output }: OperatorOptions) =>
    guarded(async () => {
      const [platform, { statusOf }, { CLOSED }, { whyClosed }] = await Promise.all([
        platformOf(file, terminal),
        import('#runtime/cluster/shards.ts'),
        import('#runtime/cluster/vault.ts'),
        import('#config/shared-vault.ts'),
      ]);
      const closed = platform.cluster.link === undefined ? null : whyClosed(platform);
      const { isServed, nodes, shards } = await statusOf(platform);
      if (isServed) terminal.err('skep: a node serves the data directory, so its stores are not looked into\n');
      if (closed !== null) terminal.err(`skep: ${closed.why}: ${CLOSED}\n    ${closed.mend}\n`);
      if (output === 'json') return terminal.out(`${JSON.stringify({ nodes, shards }, null, 2)}\n`);
      const rows = nodes.map(({ node, state, beat_s, lease_s, behind, behind_s, link, linked, carries }) => {
        return { node, state, beat_s, lease_s, behind, behind_s, link, linked, carries };
      });
      if (rows.length > 0) terminal.out(`${renderRows(rows, output)}\n`);
      terminal.out(
        renderRows(
          shards.map((shard) => ({ ...shard })),
          output,
          COLUMNS,
        ),
      );
    }),
  );
  platformVerb(cluster, terminal, {
    name: 'nodes',
    what: 'show the nodes on the log as status does, without the shards',
    example: 'skep cluster nodes -f platform.yaml',
    show: async (platform) => (await import('#runtime/cluster/shards.ts')).nodesOf(platform),
  });
  platformVerb(cluster, terminal, {
    name: 'events',
    what: 'show what has happened to the nodes on the log within a month, oldest first: which one started, served, handed over, was ended, ran hosts for another one, and which shards each opened and gave up; by the clock of the database',
    example: 'skep cluster events -f platform.yaml',
    show: async (platform) => (await import('#runtime/cluster/events.ts')).eventsOf(platform),
  });
  platformVerb(cluster, terminal, {
    name: 'shards',
    what: 'show which node runs which shards, by the claims in the log, and in which of its places: with cluster.carry nodes that stand by run some of them',
    example: 'skep cluster shards -f platform.yaml',
    show: async (platform) => (await import('#runtime/cluster/shards.ts')).shardPlacesOf(platform),
  });
  platformVerb<OperatorOptions, [string | undefined]>(cluster, terminal, {
    name: 'drain',
    what: 'have the node that serves the log hand over to one that waits and follows: it finishes what it took, gives its place up, and becomes the standby; refused where no node waits that had all',
    example: 'skep cluster drain n1 -f platform.yaml',
    show: async (platform, _options, node) =>
      (await import('#runtime/cluster/hand-over.ts')).handOver(platform, node ?? null),
  }).argument('[node]', 'the name of the node that serves; whichever does, unless given');
  platformVerb(cluster, terminal, {
    name: 'fence',
    what: 'end a node in the log that is known to be dead, so that a standby need not wait for its lease; refused while it beats. One that lives, and only does not reach the database, may answer outdated reads for what is left of its lease, unless cluster.reads is confirmed',
    example: 'skep cluster fence n1 -f platform.yaml --confirm n1',
    show: async (platform, { confirm }: OperatorOptions & { confirm: string }, node: string) => {
      if (confirm !== node)
        throw new CliError(`skep: --confirm is not the node\n    write --confirm ${node}\n`, EXIT.usage);
      return (await import('#runtime/cluster/fence.ts')).fenceNode(platform, node);
    },
  })
    .argument('<node>', 'its name')
    .requiredOption(
      '--confirm <node>',
      'the name of the node once more: its process is gone, and cannot come back by itself',
    );
  shownVerb<OperatorOptions, [number, string]>(cluster, terminal, {
    name: 'move',
    what: 'have the place of a shard run on another node that carries hosts (cluster.carry), with the other shards of that place, until it is moved again or that node leaves; run where the serving node’s directory is',
    example: 'skep cluster move 17 n3 -f platform.yaml',
    show: (ask, _options, shard, node) => ask('cluster.move', { shard, node }),
  })
    .argument('<shard>', 'its number', shardNumber)
    .argument('<node>', 'the name of the node: one that stands by, or the one that serves');
  operatorVerb(
    cluster,
    'rebalance',
    'share the places out among the nodes that carry hosts (cluster.carry) as if no move had been wished, one place after the other, and print what was to move; each stays where it is while its node has no more than its share; run where the serving node’s directory is',
    'skep cluster rebalance -f platform.yaml --dry-run',
  )
    .option('--dry-run', 'print what would move, and move nothing', false)
    .action(async ({ file, output, dryRun }: OperatorOptions & { dryRun: boolean }) => {
      const platform = await platformOf(file, terminal);
      const moves = (await askNode(platform, 'cluster.rebalance', { isTried: dryRun })) as readonly PlannedMove[];
      if (moves.length === 0 && output !== 'json')
        return terminal.out('nothing moves: no node has more than its share\n');
      const rows = moves.map(({ shards, ...move }) => ({ ...move, shards: shards.join(', ') }));
      terminal.out(output === 'json' ? `${JSON.stringify(moves, null, 2)}\n` : renderRows(rows, output));
    });
  operatorVerb(
    cluster,
    'snapshot',
    'copy every shard that has new entries now (storage.journal.snapshots), and cut the log behind the copies; exit 1 when one fails',
    'skep cluster snapshot -f platform.yaml',
  ).action(async ({ file, output }: OperatorOptions) => {
    const platform = await platformOf(file, terminal);
    const report = await askNode(platform, 'cluster.snapshot', null, say);
    terminal.out(renderRecord(report as Row, output));
  });
  platformVerb(cluster, terminal, {
    name: 'rotate-key',
    what: 'begin the next key by which the log and its copies are sealed (storage.journal.seal): nodes seal with it when they open the log next, as behind a handover; nothing is written anew, and the keys before stay in the vault',
    example: 'skep cluster rotate-key -f platform.yaml',
    show: async (platform) => (await import('#runtime/cluster/rotate-key.ts')).rotateLogKey(platform),
  });
  platformVerb(cluster, terminal, {
    name: 'adopt',
    what: 'take the stopped directory of a node on files into an empty log, as copies of its shards; refuses a log that is not empty, and goes on where it was ended',
    example: 'skep cluster adopt -f platform.yaml',
    show: async (platform) => (await import('#runtime/cluster/adopt.ts')).adoptDirectory(platform, say),
  });
  platformVerb(cluster, terminal, {
    name: 'leave',
    what: 'make the directory of a stopped node on a log one whose journal are files, with every row; no node serves the log from then on',
    example: 'skep cluster leave -f platform.yaml',
    show: async (platform) => {
      const [{ leaveLog }, { startNode }] = await Promise.all([
        import('#runtime/cluster/leave.ts'),
        import('#runtime/node.ts'),
      ]);
      const catchUp = async (): Promise<void> => (await startNode(platform, { doors: false })).stop();
      return leaveLog(platform, catchUp, say);
    },
  });
}

const COLUMNS = ['shard', 'owner', 'epoch', 'last', 'confirmed', 'trimmed', 'copy', 'copied', 'behind', 'here'];

function shardNumber(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('give the number of a shard: skep cluster shards lists them');
}

function shardsOf(text: string): number {
  const shards = Number(text);
  if (/^\d+$/.test(text) && shards >= 1 && shards <= logShardsMax) return shards;
  throw new InvalidArgumentError(`give a whole number from 1 to ${logShardsMax}`);
}
