/** `node test/simulation/run.ts --seed 7`: runs one seed or many, shrinks the first that fails, and prints the command that repeats it. */
import { parseArgs } from 'node:util';
import { PLANTS } from '#test/planted/plants.ts';
import { standIn } from './instead/hooks.ts';
import type { Bounds } from './node/settings.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    turns: { type: 'string', default: '60' },
    falls: { type: 'string', default: '4' },
    plant: { type: 'string' },
    ignore: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const plant = values.plant === undefined ? null : PLANTS[values.plant];
if (plant === undefined) throw new Error(`there is no planted bug ${values.plant}`);
standIn(plant);
// Only now: modules of the floors that are loaded from here on are those of the machine.
const { runSeed } = await import('./node/run.ts');
const { shrink } = await import('./shrink.ts');

const pattern = values.ignore === undefined ? null : new RegExp(values.ignore);
const options = {
  ...(pattern !== null && { ignores: (path: string) => pattern.test(path) }),
  ...(values.trace && { told: (line: string) => void process.stdout.write(`${line}\n`) }),
};
const bounds: Bounds = { turns: Number(values.turns), falls: Number(values.falls) };
const first = Number(values.seed);
const began = performance.now();
const sum = { seeds: 0, events: 0, falls: 0, threadEnds: 0, acknowledged: 0, undone: 0 };
let trace = '';
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const outcome = await runSeed(seed, bounds, options);
  sum.seeds++;
  for (const what of ['events', 'falls', 'threadEnds', 'acknowledged', 'undone'] as const) sum[what] += outcome[what];
  trace = outcome.trace;
  if (outcome.failure === null) continue;
  const { smallest, within } = values.trace
    ? { smallest: outcome, within: bounds }
    : await shrink(outcome, bounds, (tried) => runSeed(seed, tried, options));
  const more = [values.plant && `--plant ${values.plant}`, values.ignore && `--ignore '${values.ignore}'`].filter(Boolean).join(' ');
  const lines = smallest.lines.slice(-40).join('\n');
  const command = `node test/simulation/run.ts --seed ${seed} --turns ${within.turns} --falls ${within.falls} ${more}`.trim();
  process.stdout.write(`${lines}\n\nseed ${seed}: ${smallest.failure}\n\nagain, with all that happens: ${command} --trace\n`);
  process.exitCode = 1;
  break;
}
process.stdout.write(`${JSON.stringify({ ...sum, trace, seconds: Math.round((performance.now() - began) / 100) / 10 })}\n`);
