/** What a run of campaigns prints at its end. */
import { number } from '#bench/kit/format.ts';
import { table } from '#bench/kit/table.ts';
import { COUNTED } from '#test/kit/tally.ts';
import type { Counted, Counts } from '#test/kit/tally.ts';
import type { Run } from './record.ts';

export function summary({ machine, fsyncPerSecond, campaigns, violations }: Run): string {
  const rows = campaigns.map(({ name, times, tests, seconds, counts }) => [
    name,
    number(times),
    number(tests),
    `${number(seconds)} s`,
    countsText(counts),
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

export function countsText(counts: Counts): string {
  const named = (Object.keys(COUNTED) as Counted[]).filter((what) => counts[what] !== undefined);
  return named.map((what) => `${number(counts[what]!)} ${COUNTED[what]}`).join('; ');
}
