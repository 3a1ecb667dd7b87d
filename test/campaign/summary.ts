/** What a run of campaigns prints at its end. */
import { number, span } from '#bench/kit/format.ts';
import { table } from '#bench/kit/table.ts';
import { namesIn, type Covered } from '#test/kit/covered.ts';
import { COUNTED, TIMES, type Counted, type Counts } from '#test/kit/tally.ts';
import type { Run } from './record.ts';

export function summary({ machine, fsyncPerSecond, campaigns, violations }: Run): string {
  const rows = campaigns.map(({ name, times, tests, seconds, counts, covered }) => [
    name,
    number(times),
    number(tests),
    `${number(seconds)} s`,
    countsText(counts, covered),
  ]);
  const columns = [
    { title: 'campaign' },
    { title: 'runs', align: 'right' },
    { title: 'tests', align: 'right' },
    { title: 'time', align: 'right' },
    { title: 'counted' },
  ] as const;
  const found = violations.flatMap(({ campaign, seed, failures }) => [
    `${campaign}, seed ${seed}:`,
    ...failures.map((failure) => `  ${failure}`),
  ]);
  return [
    `\ncommit ${machine.commit ?? 'unknown'}, ${machine.cpu}, ${machine.cores} cores, ${number(fsyncPerSecond)} fsync/s on ${machine.fileSystem}, ${machine.date}\n\n`,
    table(columns, rows),
    violations.length === 0 ? '\nno violation\n' : `\n${violations.length} runs failed:\n${found.join('\n')}\n`,
  ].join('');
}

export interface Progress {
  readonly name: string;
  /** Runs of it that have ended. */
  readonly times: number;
  readonly spentMs: number;
  /** What all campaigns have taken, and how long they have. */
  readonly allMs: number;
  readonly forMs: number | null;
  readonly counted: string;
  /** Runs that failed, of all campaigns. */
  readonly violations: number;
}

/** What a campaign prints while it runs. */
export function progressLine({ name, times, spentMs, allMs, forMs, counted, violations }: Progress): string {
  const seconds = (ms: number): string => `${number(Math.round(ms / 1000))} s`;
  const all = forMs === null ? '' : ` (all: ${seconds(allMs)} of ${seconds(forMs)})`;
  return `campaign ${name}: run ${number(times + 1)}, ${seconds(spentMs)}${all}, ${violations === 0 ? 'no violation' : `${number(violations)} runs failed`}; ${counted === '' ? 'nothing counted yet' : counted}`;
}

/** `covered`: what of the campaign's table these runs covered, null where it has none. */
export function countsText(counts: Counts, covered: Covered | null = null): string {
  const named = (Object.keys(COUNTED) as Counted[]).filter((what) => counts[what] !== undefined);
  const texts = named.map(
    (what) => `${TIMES.has(what) ? span(counts[what]!) : number(counts[what]!)} ${COUNTED[what]}`,
  );
  if (covered !== null) {
    const cells = [...namesIn(covered)].length;
    texts.push(`${number(cells)} different cells of ${number(Math.max(covered.of, cells))}`);
  }
  return texts.join('; ');
}
