/**
 * What campaigns count. Where SKEP_TALLY names a file (`npm run campaign`), each count is a line of it, at once, so that a test that fails or dies has counted
 * what came before; else nothing is written.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { covered, namesIn, type Covered } from './covered.ts';

export const COUNTED = {
  kills: 'processes killed (SIGKILL)',
  storeKills: 'of them with the storage alone, without doors and tenants',
  hostKills: 'host threads killed',
  courierKills: 'couriers killed, each at a named step of a parcel',
  stops: 'processes that stood still (SIGSTOP) for longer than a disk may take, and went on',
  starvations: 'processes whose memory was limited while they served',
  faults: 'faults of disks',
  seeds: 'simulated nodes, tables of rates and vaults, each from a seed of its own',
  simulatedFalls: 'falls of them and ends of their threads',
  images: 'images of disks without power, each recovered',
  productStarts: 'of them by the start of a whole node',
  cells: 'cells of the fault matrix, each one call of a node that failed, was short or late',
  clusterFaults:
    'faults of two or three nodes on one log, their links and their database: ends, pauses, cuts, waits that were ended',
  clusterEnds: 'of them kills of one node or two',
  clusterHandovers: 'of them stops in order, handovers and moves of places',
  clusterPauses: 'of them nodes that stood still',
  clusterCuts: 'of them links that were cut',
  clusterDatabases: 'of them faults of the database and its standby',
  takeovers: 'of them in which the other node took over',
  clusterSeconds:
    'of clusters that served under such faults, in which nothing acknowledged was lost and no history was refused',
  replacements: 'nodes on one log that were replaced by one of another release, under callers at all doors',
  histories: 'histories of rows under them, each held against one order of its calls',
  acknowledged: 'writes acknowledged, each looked for afterwards',
  damages: 'bytes of stored files changed, each to be noticed',
  soaked:
    'seconds under callers of all kinds; behind a whole run memory had grown by no more than its bound (40 MB from the second quarter of the run to the last), descriptors and threads were as before',
  requests: 'hostile requests',
  statements: 'statements of SQL, in PostgreSQL as well',
  inputs: 'hostile inputs to parsers',
  blocks: 'blocks of the code under test that they reached, anew in each run',
  queries: 'queries and writes of rows, in PostgreSQL as well',
} as const;

export type Counted = keyof typeof COUNTED;
/** Those that are seconds, and are shown as a time. */
export const TIMES: ReadonlySet<Counted> = new Set<Counted>(['clusterSeconds']);
export type Counts = Readonly<Partial<Record<Counted, number>>>;

/** The variable that names the file. */
export const TALLY_FILE = 'SKEP_TALLY';

export function tally(counts: Counts): void {
  const file = process.env[TALLY_FILE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(counts)}\n`);
}

/** A line about cells: those that were covered before the campaign, one that is covered now, how many there are. */
interface CoverLine {
  readonly before?: Covered;
  readonly cover?: string;
  readonly of?: number;
}

export interface Coverage {
  /** Cells that neither this campaign nor its record has covered yet; all of them where none is left, and where no campaign runs. */
  readonly left: readonly string[];
  readonly cover: (cell: string) => void;
}

export function coverage(all: readonly string[]): Coverage {
  const file = process.env[TALLY_FILE];
  if (file === undefined) return { left: all, cover: () => undefined };
  const say = (line: CoverLine): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  const lines = coverLines(readFileSync(file, 'utf8'));
  const done = new Set(
    lines.flatMap(({ before, cover }) => (before === undefined ? (cover ?? []) : [...namesIn(before)])),
  );
  const left = all.filter((cell) => !done.has(cell));
  // Those that earlier nodes have met belong to the table, whether this one would or not.
  say({ of: done.size + left.length });
  return { left: left.length === 0 ? all : left, cover: (cell) => say({ cover: cell }) };
}

/** What a tally begins with where the record has covered cells. */
export const coveredBefore = (before: Covered): string => `${JSON.stringify({ before } satisfies CoverLine)}\n`;

/** The cells that tests have written down; undefined where there is no table. */
export function coveredIn(text: string): Covered | undefined {
  const lines = coverLines(text);
  const of = lines.findLast((line) => line.of !== undefined)?.of;
  if (of === undefined) return undefined;
  return covered(
    of,
    lines.flatMap(({ cover }) => (cover === undefined ? [] : [cover])),
  );
}

/** A line that is not whole was cut by a kill. */
function coverLines(text: string): CoverLine[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as CoverLine);
}
