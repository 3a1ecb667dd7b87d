/** A cluster under a few clients for a long time, with a fault of the campaign `cluster` at random moments. */
import { Random } from '#test/kit/random.ts';
import { faultsFor } from './faults.ts';
import { SPARSE } from './load.ts';
import { FaultRounds } from './rounds.ts';
import type { World, WorldWish } from './world.ts';

export interface SoakWish extends WorldWish {
  readonly seed: number;
  /** Milliseconds; the fault that is under way then comes to its end. */
  readonly forMs: number;
  /** Between two faults, on average. */
  readonly quietMs: number;
}

export interface Soaked {
  readonly acknowledged: number;
  readonly takeovers: number;
  readonly histories: number;
  /** How often each fault was. */
  readonly faults: Readonly<Record<string, number>>;
  /** What was found; the cluster was let go then. */
  readonly wrong: readonly string[];
}

const NOT_STARTED = { acknowledged: 0, takeovers: 0, histories: 0, faults: {} };

/** A run however short has a node that is killed. */
const FIRST = 'kill of the one that serves';
/** The longest time without a fault, in averages. */
const QUIET_MAX = 3;

/** Ends the cluster. Does not reject, since others beside it go on: what is wrong is said at once and returned. */
export async function soak(started: Promise<World>, wish: SoakWish): Promise<Soaked> {
  let rounds: FaultRounds | null = null;
  const wrong: string[] = [];
  try {
    const world = await started;
    rounds = new FaultRounds(world, wish.seed, SPARSE);
    wrong.push(...(await foundUnder(rounds, wish)));
    await rounds.end();
    await world.end(wrong.length > 0);
  } catch (error) {
    wrong.push(String(error));
  }
  for (const line of wrong) process.stderr.write(`\ncluster of seed ${wish.seed}: ${line}\n`);
  if (rounds === null) return { ...NOT_STARTED, wrong };
  const { acknowledged, histories, takeovers } = rounds.figures;
  return { acknowledged, histories, takeovers, faults: rounds.done, wrong };
}

async function foundUnder(rounds: FaultRounds, { forMs, quietMs, seed, ...wish }: SoakWish): Promise<string[]> {
  const random = new Random(seed);
  const names = faultsFor(wish);
  const end = performance.now() + forMs;
  try {
    for (let name = FIRST; performance.now() < end; name = random.pick(names))
      await rounds.run(name, Math.min(quietFor(random, quietMs), Math.max(0, end - performance.now())));
    return await rounds.lastFaults();
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Moments without memory, as those of real faults: exponential. */
function quietFor(random: Random, averageMs: number): number {
  return Math.min(-Math.log(1 - random.next()), QUIET_MAX) * averageMs;
}
