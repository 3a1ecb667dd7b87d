/** One run on a machine of its own: what every simulation does around its clients, and what it gives. */
import { forgetDescriptors } from '#test/simulation/instead/descriptors.ts';
import { Random } from '#test/kit/random.ts';
import { Machine, setMachine } from './machine.ts';
import { World } from './world.ts';

/** What a run has done, and what of it was at stake. */
export interface Counts {
  readonly threadEnds: number;
  readonly acknowledged: number;
  readonly undone: number;
  /** What the generators have reached, by what it is called in the sum. */
  readonly reached?: Readonly<Record<string, number>>;
}

export interface Outcome extends Counts {
  readonly seed: number;
  readonly trace: string;
  readonly events: number;
  readonly falls: number;
  readonly failure: string | null;
  readonly lines: readonly string[];
}

export interface Options {
  readonly told?: (line: string) => void;
  /** Whether syncs of a path do nothing: the disk of a control. */
  readonly ignores?: (path: string) => boolean;
}

export interface SimulatedRun {
  /** Throws with what is wrong. */
  all(): Promise<void>;
  counts(): Counts;
}

/** Never throws: what is wrong is in the outcome. */
export async function runOnMachine(
  seed: number,
  { told, ignores }: Options,
  begin: (world: World, machine: Machine) => SimulatedRun,
): Promise<Outcome> {
  const world = new World(seed, told ?? null);
  const machine = new Machine(world, new Random(seed ^ 0xd15c), ignores);
  const run = begin(world, machine);
  let failure: string | null = null;
  const onRejection = (error: unknown): void => world.fail(error as Error);
  process.on('unhandledRejection', onRejection);
  setMachine(machine);
  try {
    await run.all();
  } catch (error) {
    failure = textOf(error as Error);
  } finally {
    setMachine(null);
    forgetDescriptors();
    process.off('unhandledRejection', onRejection);
  }
  const { events, traceHash: trace, lines } = world;
  return { seed, trace, events, falls: machine.falls, ...run.counts(), failure, lines };
}

/** What is wrong, with its causes, and where it was noticed. */
function textOf(error: Error): string {
  const what: string[] = [];
  let last = error;
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    what.push(one.message);
    last = one;
  }
  return `${what.join(': ')}\n${last.stack ?? ''}`;
}
