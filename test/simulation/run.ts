/** `node test/simulation/run.ts --seed 7`: runs one seed or many, shrinks the first that fails, and prints the command that repeats it. */
import { parseArgs } from 'node:util';
import { describeMachine } from '#bench/kit/machine.ts';
import { ROOT } from '#runtime/place.ts';
import { CONTROLS } from './controls.ts';
import type { Control } from './controls.ts';
import { Progress, seedsLine } from '#test/kit/progress.ts';
import { standIn } from '#test/simulation/instead/hooks.ts';
import type { Outcome } from '#test/simulation/node/run.ts';
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
const { runSeed } = await import('#test/simulation/node/run.ts');
const { EXTRA_ROOMS } = await import('#test/simulation/node/settings.ts');
const { loadParts } = await import('#test/simulation/node/parts.ts');
const { shrink } = await import('./shrink.ts');

const wanted = values.rooms?.split(',') ?? control.rooms ?? (values.control === undefined ? EXTRA_ROOMS : ['audit']);
const parts = await loadParts(EXTRA_ROOMS.filter((room) => (wanted as readonly string[]).includes(room)));

const run = (seed: number, bounds: Bounds): Promise<Outcome> =>
  runSeed(seed, bounds, parts, {
    ...(ignores !== undefined && { ignores: (path: string) => ignores.test(path) }),
    ...(values.trace && { told: (line: string) => void process.stdout.write(`${line}\n`) }),
  });

/** What is wrong, in how small a run, and how to see it again. */
async function tell(failed: Outcome): Promise<void> {
  const again = (bounds: Bounds): Promise<Outcome> => run(failed.seed, bounds);
  // A trace is that of one run.
  const { smallest, within } = values.trace ? { smallest: failed, within: usual } : await shrink(failed, usual, again);
  const flags = `--seed ${failed.seed} --turns ${within.turns} --falls ${within.falls}`;
  const rooms = values.rooms === undefined ? '' : ` --rooms ${values.rooms}`;
  const more = `${rooms}${values.control === undefined ? '' : ` --control ${values.control}`}`;
  const { commit } = describeMachine(ROOT, new Date());
  process.stdout.write(
    `${smallest.lines.slice(-40).join('\n')}\n\nseed ${failed.seed}, commit ${commit ?? 'unknown'}: ${smallest.failure}\n\n` +
      `again, with all that happens: node test/simulation/run.ts ${flags}${more} --trace\n`,
  );
}

const sum = { seeds: 0, events: 0, falls: 0, threadEnds: 0, acknowledged: 0, undone: 0 };
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
  traces.push(outcome.trace);
  isGood = outcome.failure === null;
  progress.tick((ms) => seedsLine('simulation', { done: sum.seeds, of: count, ms, violations: isGood ? 0 : 1 }));
  if (!isGood) await tell(outcome);
}
if (!isGood) process.exitCode = 1;
process.stdout.write(`${JSON.stringify({ ...sum, traces: traces.slice(-20) })}\n`);
