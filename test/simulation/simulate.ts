/** Runs one of the scripts here in a process of its own, as its tests do. */
import { execFile } from 'node:child_process';
import { ROOT } from '#runtime/place.ts';
import { TALLY_FILE } from '#test/kit/tally.ts';

/** The same seeds each time, but in the campaign, which hands its own to every test. */
export const FIRST_SEED = Number(
  process.env['SKEP_SIMULATION_SEED'] ??
    (process.env[TALLY_FILE] === undefined ? 1 : (process.env['SKEP_TEST_SEED'] ?? 1)),
);

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** What says how far it is, and Node's own warnings: a failure is told by the lines behind them. */
const PROGRESS = /^(?:simulation|\(node:|\(Use ).*\n/gm;

export const simulate = (...args: readonly string[]): Promise<Ended> => runScript('run.ts', args);

export function runScript(script: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: 2 ** 27 };
    const child = execFile(process.execPath, [`test/simulation/${script}`, ...args], options, (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : Number(error.code ?? 1),
        output: `${stderr}${stdout}`.replace(PROGRESS, ''),
      }),
    );
    // Its progress, as it comes; a control that is noticed says more there.
    child.stderr!.on('data', (text) => {
      const line = String(text).trimEnd();
      if (line.startsWith('simulation')) console.log(line);
    });
  });
}

export interface Sum {
  readonly seeds: number;
  readonly falls: number;
  readonly threadEnds: number;
  readonly acknowledged: number;
  readonly undone: number;
  /** What the generators have reached. */
  readonly reached: Readonly<Record<string, number>>;
  readonly traces: readonly string[];
}

/** The last line of what it prints. */
export const sumIn = (output: string): Sum => JSON.parse(output.trimEnd().split('\n').at(-1)!) as Sum;
