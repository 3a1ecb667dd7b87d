/** What is done to the nodes and the database between them. Each fault has ended when its call resolves: what was stopped goes on, and what was killed is started again. What a node that was only slow for
 * about its lease does then is both well: it goes on, or it was overtaken and ends. */
import { dirname, join } from 'node:path';
import { limits } from '#config/limits.ts';
import { callControl } from '#runtime/control.ts';
import { readiness } from '#test/kit/node-pair.ts';
import type { Random } from '#test/kit/random.ts';
import type { Counted } from '#test/kit/tally.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import type { NodeProcess } from './node-process.ts';
import { SHARDS, until, type World, type WorldWish } from './world.ts';

export interface Scene {
  readonly world: World;
  readonly random: Random;
  /** Serves when the fault begins. */
  readonly serving: NodeProcess;
  /** One of the others. */
  readonly standby: NodeProcess;
  readonly others: readonly NodeProcess[];
}

export interface Fault {
  /** As what it counts, beside all faults. */
  readonly counted: Counted;
  /** How many nodes it needs; two unless it says so. */
  readonly nodes?: 3;
  /** Whether the nodes have to carry hosts of one another. */
  readonly carries?: true;
  /** Whether the other node has taken over behind it. Where it need not, it may: a node that a busy machine keeps from beating for its lease is replaced. */
  readonly takesOver: boolean;
  readonly run: (scene: Scene) => Promise<void>;
}

/** Longer than a lease and what a busy machine adds to it; what is awaited comes far sooner. */
const SOON_MS = 180_000;
const SILENT_MS = limits.cluster.link.silentMs;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const between = (random: Random, [least, most]: readonly [number, number]): number =>
  least + random.next() * (most - least);
/** A pause that leaves the lease alone on a machine that has time, and one that does not. */
const shortMs = ({ random, world }: Scene): number => between(random, [50, world.leaseMs * 0.6]);
const longMs = ({ random, world }: Scene): number => between(random, [world.leaseMs * 0.8, world.leaseMs * 1.5]);

/** One of `others` serves. */
async function takesOver({ others }: Pick<Scene, 'others'>): Promise<void> {
  await until('another node serves', SOON_MS, async () => {
    const roles = await Promise.all(others.map((node) => node.role()));
    return roles.includes('serves') ? true : null;
  });
}

/** Refusals of a move: of a node that does not follow yet, of the place of the control plane, and where the node left meanwhile. */
const NOT_MOVED = /carries no hosts now|stays at the node that serves|has not come to/;

/** Has the place of a shard moved to a node, unless it cannot be. */
async function movePlace(
  { place }: NodeProcess,
  wish: { readonly shard: number; readonly node: string },
): Promise<void> {
  await callControl(join(dirname(place.file), 'data'), 'cluster.move', wish).catch((error: Error) => {
    if (!NOT_MOVED.test(error.message)) throw error;
  });
}

/** It has what the log has, and threads that are loaded. */
function couldServe({ place }: NodeProcess): Promise<true> {
  return until(`${place.name} could serve`, SOON_MS, async () => {
    const text = await readiness(place);
    return text.includes('had all') && text.includes('threads ready') ? true : null;
  });
}

/** The one that served has ended since, and stands by. */
async function endsOvertaken({ serving }: Scene, before: number): Promise<void> {
  await until('the node that was overtaken has ended', SOON_MS, () =>
    Promise.resolve(serving.overtaken > before ? true : null),
  );
}

async function kill(scene: Scene, node: NodeProcess): Promise<void> {
  await node.end('SIGKILL');
  if (node === scene.serving) await takesOver(scene);
  node.start();
}

async function cut(scene: Scene, node: NodeProcess, ms: number): Promise<void> {
  node.place.link.cut(scene.random.pick(node.place.link.cuts));
  await wait(ms);
  node.place.link.heal();
}

/** The links of the other nodes to one, in one direction or both. */
async function cutBetween({ random }: Scene, { place }: NodeProcess, ms: number): Promise<void> {
  const link = place.between!;
  link.cut(random.pick(link.cuts));
  await wait(ms);
  link.heal();
}

/** Commits wait for their standby, which stands still; then `sql` is asked for each of their sessions. */
async function endWaits({ world, random }: Scene, sql: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
  const { primary, standby } = world.pair;
  const still = standby.family();
  for (const pid of still) process.kill(pid, 'SIGSTOP');
  const waiting = `from pg_stat_activity where application_name = 'skep' and wait_event = 'SyncRep'`;
  await until('commits wait for the standby', SOON_MS, async () => {
    const [row] = await primary.sql(`select count(*)::int as count ${waiting}`);
    return (row!['count'] as number) > 0 ? true : null;
  });
  for (let times = 1 + random.below(3); times > 0; times--) {
    await primary.sql(`select ${sql}(pid) ${waiting}`);
    await wait(between(random, [5, 100]));
  }
  for (const pid of still) process.kill(pid, 'SIGCONT');
}

async function freeze(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await wait(ms);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

/** Each sync of one database takes a part of the lease, or about the whole of it, for longer than the lease. */
async function slowDisk({ world, random }: Scene, syncMs: number): Promise<void> {
  const { disk } = random.pick([world.pair.primary, world.pair.standby]);
  if (disk === null) throw new Error('no disk can be made slow here');
  disk.delay(syncMs);
  await wait(between(random, [world.leaseMs, world.leaseMs * 2]));
  disk.mend();
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'kill of the one that serves': {
    counted: 'clusterEnds',
    takesOver: true,
    run: (scene) => kill(scene, scene.serving),
  },
  'kill of the standby': { counted: 'clusterEnds', takesOver: false, run: (scene) => kill(scene, scene.standby) },
  'stop in order': {
    counted: 'clusterHandovers',
    takesOver: true,
    run: async (scene) => {
      const how = await scene.serving.end('SIGTERM');
      if (how !== 0) throw new Error(`a node that was stopped ended with ${how}`);
      await takesOver(scene);
      scene.serving.start();
    },
  },
  'handover by an operator': {
    counted: 'clusterHandovers',
    takesOver: true,
    run: async (scene) => {
      await couldServe(scene.standby);
      const { file, name } = scene.serving.place;
      const { code, err } = await skep(`cluster drain ${name} -f ${file} -o json`);
      // A node that a busy machine kept from beating has been replaced just now.
      if (code !== 0 && !err.includes('does not serve the log'))
        throw new Error(`a handover ended with ${code}: ${err}`);
      await takesOver(scene);
    },
  },
  'place that is moved by an operator': {
    counted: 'clusterHandovers',
    carries: true,
    takesOver: false,
    run: async ({ random, serving, standby }) => {
      const node = random.pick([serving, standby]).place.name;
      await movePlace(serving, { shard: random.below(SHARDS), node });
    },
  },
  'pause for longer than the lease': {
    counted: 'clusterPauses',
    takesOver: true,
    run: async (scene) => {
      const { overtaken } = scene.serving;
      scene.serving.signal('SIGSTOP');
      await takesOver(scene);
      await wait(between(scene.random, [0, 500]));
      scene.serving.signal('SIGCONT');
      await endsOvertaken(scene, overtaken);
    },
  },
  'pause for less than the lease': {
    counted: 'clusterPauses',
    takesOver: false,
    run: async (scene) => {
      scene.serving.signal('SIGSTOP');
      await wait(shortMs(scene));
      scene.serving.signal('SIGCONT');
    },
  },
  'pause for about the lease': {
    counted: 'clusterPauses',
    takesOver: false,
    run: async (scene) => {
      scene.serving.signal('SIGSTOP');
      await wait(longMs(scene));
      scene.serving.signal('SIGCONT');
    },
  },
  'pause of the standby': {
    counted: 'clusterPauses',
    takesOver: false,
    run: async (scene) => {
      scene.standby.signal('SIGSTOP');
      await wait(longMs(scene));
      scene.standby.signal('SIGCONT');
    },
  },
  'cancel of commits that wait': {
    counted: 'clusterDatabases',
    takesOver: false,
    run: (scene) => endWaits(scene, 'pg_cancel_backend'),
  },
  'end of sessions whose commits wait': {
    counted: 'clusterDatabases',
    takesOver: false,
    run: (scene) => endWaits(scene, 'pg_terminate_backend'),
  },
  'restart of the standby of the database': {
    counted: 'clusterDatabases',
    takesOver: false,
    run: async (scene) => {
      const { standby } = scene.world.pair;
      await standby.kill();
      await wait(shortMs(scene));
      await standby.start();
    },
  },
  'pulses of the standby of the database': {
    counted: 'clusterDatabases',
    takesOver: false,
    run: async (scene) => {
      const pids = scene.world.pair.standby.family();
      for (let times = 0; times < 8; times++) {
        await freeze(pids, between(scene.random, [20, 150]));
        await wait(10);
      }
    },
  },
  'pause of the database': {
    counted: 'clusterDatabases',
    takesOver: false,
    run: async (scene) => {
      const ms = scene.random.chance(0.5) ? shortMs(scene) : longMs(scene);
      await freeze(scene.world.pair.primary.family(), ms);
    },
  },
  'slow disk of a database': {
    counted: 'clusterDatabases',
    takesOver: false,
    run: (scene) => slowDisk(scene, between(scene.random, [20, scene.world.leaseMs * 0.15])),
  },
  'disk of a database that is slow for about the lease': {
    counted: 'clusterDatabases',
    takesOver: false,
    run: (scene) => slowDisk(scene, longMs(scene)),
  },
  'cut link, for less than the lease': {
    counted: 'clusterCuts',
    takesOver: false,
    run: async (scene) => {
      await cut(scene, scene.serving, shortMs(scene));
    },
  },
  'cut link, for about the lease': {
    counted: 'clusterCuts',
    takesOver: false,
    run: async (scene) => {
      await cut(scene, scene.serving, longMs(scene));
    },
  },
  'cut link, until the other one serves': {
    counted: 'clusterCuts',
    takesOver: true,
    run: async (scene) => {
      const { overtaken, place } = scene.serving;
      place.link.cut(scene.random.pick(place.link.cuts));
      await takesOver(scene);
      await wait(between(scene.random, [0, 500]));
      place.link.heal();
      await endsOvertaken(scene, overtaken);
    },
  },
  'kill of the one that serves and of a standby': {
    counted: 'clusterEnds',
    nodes: 3,
    takesOver: true,
    run: async ({ serving, standby, others, random, world }) => {
      await Promise.all([
        serving.end('SIGKILL'),
        wait(between(random, [0, world.leaseMs * 1.2])).then(() => standby.end('SIGKILL')),
      ]);
      await takesOver({ others: others.filter((node) => node !== standby) });
      for (const node of [serving, standby]) node.start();
    },
  },
  'kill of the one that serves, and of its heir': {
    counted: 'clusterEnds',
    nodes: 3,
    takesOver: true,
    run: async ({ serving, others, random, world }) => {
      await serving.end('SIGKILL');
      await wait(between(random, [world.leaseMs * 0.9, world.leaseMs * 1.3]));
      const next = await world.untilServing();
      await next.end('SIGKILL');
      await takesOver({ others: others.filter((node) => node !== next) });
      for (const node of [serving, next]) node.start();
    },
  },
  'stop in order of the one that serves, and of its heir': {
    counted: 'clusterHandovers',
    nodes: 3,
    takesOver: true,
    run: async ({ serving, others, world }) => {
      await serving.end('SIGTERM');
      const next = await world.untilServing();
      await next.end('SIGTERM');
      await takesOver({ others: others.filter((node) => node !== next) });
      for (const node of [serving, next]) node.start();
    },
  },
  'cut link to a node that carries hosts, for less than a link may be silent': {
    counted: 'clusterCuts',
    carries: true,
    takesOver: false,
    run: (scene) => cutBetween(scene, scene.standby, between(scene.random, [50, SILENT_MS * 0.6])),
  },
  'cut link to a node that carries hosts, for longer than a link may be silent': {
    counted: 'clusterCuts',
    carries: true,
    takesOver: false,
    run: (scene) => cutBetween(scene, scene.standby, between(scene.random, [SILENT_MS * 0.8, SILENT_MS * 2])),
  },
  'cut link to the node that serves, for about as long as a link may be silent': {
    counted: 'clusterCuts',
    carries: true,
    takesOver: false,
    run: (scene) => cutBetween(scene, scene.serving, between(scene.random, [SILENT_MS * 0.6, SILENT_MS * 1.5])),
  },
  'cut link of the standby': {
    counted: 'clusterCuts',
    takesOver: false,
    run: (scene) => cut(scene, scene.standby, longMs(scene)),
  },
};

/** Those that so many nodes can meet. */
export function faultsFor({ nodes, isCarried }: Pick<WorldWish, 'nodes' | 'isCarried'>): string[] {
  return Object.entries(FAULTS)
    .filter(([, fault]) => (fault.nodes ?? 2) <= nodes && (isCarried || fault.carries !== true))
    .map(([name]) => name);
}
