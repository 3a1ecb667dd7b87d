/**
 * What campaigns count. Where SKEP_TALLY names a file (`npm run campaign`), each count is a line of it, at once, so that a test that fails or dies has counted
 * what came before; else nothing is written.
 */
import { appendFileSync } from 'node:fs';

export const COUNTED = {
  kills: 'processes killed (SIGKILL)',
  hostKills: 'host threads killed',
  faults: 'faults of disks',
  seeds: 'simulated nodes, each from a seed of its own',
  simulatedFalls: 'falls of them and ends of their threads',
  images: 'images of disks without power, each recovered',
  productStarts: 'of them by the start of a whole node',
  acknowledged: 'writes acknowledged, each looked for afterwards',
  damages: 'bytes of stored files changed, each to be noticed',
  requests: 'hostile requests',
  statements: 'statements of SQL, in PostgreSQL as well',
  inputs: 'hostile inputs to parsers',
  blocks: 'blocks of the code under test that they reached, anew in each run',
  queries: 'queries and writes of rows, in PostgreSQL as well',
} as const;

export type Counted = keyof typeof COUNTED;
export type Counts = Readonly<Partial<Record<Counted, number>>>;

/** The variable that names the file. */
export const TALLY_FILE = 'SKEP_TALLY';

export function tally(counts: Counts): void {
  const file = process.env[TALLY_FILE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(counts)}\n`);
}
