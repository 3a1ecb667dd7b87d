/** `node test/simulation/run.ts --seed 7`: runs one seed or many, shrinks the first that fails, and prints the command that repeats it. */
import { parseArgs } from 'node:util';
import { describeMachine } from '#bench/kit/machine.ts';
import { ROOT } from '#runtime/place.ts';
import { CONTROLS } from './controls.ts';
import type { Control } from './control.ts';
import type { Simulated } from './simulations.ts';
import { Progress, seedsLine } from '#test/kit/progress.ts';
import { standIn } from '#test/simulation/instead/hooks.ts';
import type { Outcome } from '#test/simulation/machine/run-on-machine.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';

const PROGRESS_MS = 10_000;
// Taken before anything is put in its place.
const realNow = performance.now.bind(performance);

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    turns: { type: 'string', default: '60' },
    falls: { type: 'string', default: '4' },
    of: { type: 'string' },
    rooms: { type: 'string' },
    control: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const [first, count] = [Number(values.seed), Number(values.seeds)];
const usual: Bounds = { turns: Number(values.turns), falls: Number(values.falls) };
const control: Control | undefined = values.control === undefined ? { what: '' } : CONTROLS[values.control];
if (control === undefined)
  throw new Error(`there is no control ${values.control}: ${Object.keys(CONTROLS).join(', ')}`);
const { plant, ignores } = control;
standIn(plant ?? null);
// Only now: modules of the floors that are loaded from here on are those of the machine.
const { EXTRA_ROOMS } = await import('#test/simulation/node/settings.ts');
const { loadSimulation, SIMULATED } = await import('./simulations.ts');
const { shrink } = await import('./shrink.ts');

const of = values.of ?? control.of ?? 'node';
if (!(SIMULATED as readonly string[]).includes(of)) throw new Error(`--of takes ${SIMULATED.join(', ')}, not ${of}`);
const wanted = values.rooms?.split(',') ?? control.rooms ?? (values.control === undefined ? EXTRA_ROOMS : ['audit']);
const rooms = EXTRA_ROOMS.filter((room) => (wanted as readonly string[]).includes(room));
const runSeed = await loadSimulation(of as Simulated, rooms);

const run = (seed: number, bounds: Bounds): Promise<Outcome> =>
  runSeed(seed, bounds, {
    ...(ignores !== undefined && { ignores: (path: string) => ignores.test(path) }),
    ...(values.trace && { told: (line: string) => void process.stdout.write(`${line}\n`) }),
  });

/** What is wrong, in how small a run, and how to see it again. */
async function tell(failed: Outcome): Promise<void> {
  const again = (bounds: Bounds): Promise<Outcome> => run(failed.seed, bounds);
  // A trace is that of one run.
  const { smallest, within } = values.trace ? { smallest: failed, within: usual } : await shrink(failed, usual, again);
  const flags = `--seed ${failed.seed} --turns ${within.turns} --falls ${within.falls}`;
  const what = `${of === 'node' ? '' : ` --of ${of}`}${values.rooms === undefined ? '' : ` --rooms ${values.rooms}`}`;
  const more = `${what}${values.control === undefined ? '' : ` --control ${values.control}`}`;
  const { commit } = describeMachine(ROOT, new Date());
  process.stdout.write(
    `${smallest.lines.slice(-40).join('\n')}\n\nseed ${failed.seed}, commit ${commit ?? 'unknown'}: ${smallest.failure}\n\n` +
      `again, with all that happens: node test/simulation/run.ts ${flags}${more} --trace\n`,
  );
}

const sum = { seeds: 0, events: 0, falls: 0, threadEnds: 0, acknowledged: 0, undone: 0 };
const reached: Record<string, number> = {};
const traces: string[] = [];
const progress = new Progress({
  everyMs: PROGRESS_MS,
  now: realNow,
  say: (line) => void process.stderr.write(`${line}\n`),
});
let isGood = true;
for (let seed = first; isGood && seed < first + count; seed++) {
  const outcome = await run(seed, usual);
  sum.seeds++;
  for (const what of ['events', 'falls', 'threadEnds', 'acknowledged', 'undone'] as const) sum[what] += outcome[what];
  for (const [what, count] of Object.entries(outcome.reached ?? {})) reached[what] = (reached[what] ?? 0) + count;
  traces.push(outcome.trace);
  isGood = outcome.failure === null;
  progress.tick((ms) =>
    seedsLine(of === 'node' ? 'simulation' : `simulation of the ${of}`, {
      done: sum.seeds,
      of: count,
      ms,
      violations: isGood ? 0 : 1,
    }),
  );
  if (!isGood) await tell(outcome);
}
if (!isGood) process.exitCode = 1;
process.stdout.write(`${JSON.stringify({ ...sum, reached, traces: traces.slice(-20) })}\n`);
