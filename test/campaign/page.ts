/** docs/reliability.md out of a release's record. */
import { number, span } from '#bench/kit/format.ts';
import { COUNTED } from '#test/kit/tally.ts';
import { CAMPAIGNS, NOT_COVERED } from './campaigns.ts';
import { coveredBy, sumOf, type CampaignRecord, type CampaignRun, type Run } from './record.ts';
import type { PlantedRecord } from '#test/planted/planted.ts';
import { countsText } from './summary.ts';
import { attacksSection } from './tenant-attacks.ts';

export function reliabilityPage({ release, runs }: CampaignRecord, planted: PlantedRecord | null): string {
  const all = runs.flatMap(({ campaigns }) => campaigns);
  return [
    '<!-- Made by `npm run campaign:document` out of docs/reliability.json. Change that, not this. -->',
    '# Reliability',
    '',
    `What was done to Skep ${release} on purpose, how often, and what came of it. Everything here can be repeated: \`npm run campaign -- all --for 30m\` prints the same`,
    'table for your machine, and `npm run campaign` lists what can be named alone.',
    '',
    `In all: ${countsText(sumOf(all.map(({ counts }) => counts)))}. ${violationsText(runs)}`,
    '',
    '| campaign | what is done, and what must hold | runs | time | counted |',
    '|---|---|---:|---:|---|',
    ...Object.keys(CAMPAIGNS).map((name) =>
      row(
        name,
        all.filter((one) => one.name === name),
      ),
    ),
    '',
    '## Where it ran',
    '',
    '| when | commit | machine | disk |',
    '|---|---|---|---|',
    ...runs.map(({ machine, fsyncPerSecond }) =>
      cells([
        machine.date.slice(0, 16).replace('T', ' '),
        machine.commit ?? 'unknown',
        `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}`,
        `${number(fsyncPerSecond)} fsync/s on ${machine.fileSystem}`,
      ]),
    ),
    '',
    '## Violations',
    '',
    ...violations(runs),
    '',
    ...plantedSection(planted),
    ...attacksSection(),
    '## What is not covered',
    '',
    ...NOT_COVERED.map((line) => `- ${line}`),
    '',
    '## What is counted',
    '',
    ...Object.values(COUNTED).map((text) => `- ${text}`),
    '',
  ].join('\n');
}

const cells = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;

function row(name: string, runs: readonly CampaignRun[]): string {
  const seconds = runs.reduce((sum, one) => sum + one.seconds, 0);
  const times = runs.reduce((sum, one) => sum + one.times, 0);
  const counts = countsText(sumOf(runs.map((one) => one.counts)), coveredBy(runs));
  const { proves } = CAMPAIGNS[name]!;
  return cells([`\`${name}\``, proves, number(times), times === 0 ? 'not run' : span(seconds), counts]);
}

function violationsText(runs: readonly Run[]): string {
  const count = runs.reduce((sum, { violations: found }) => sum + found.length, 0);
  if (count === 0) return 'No violation was found.';
  return `${number(count)} ${count === 1 ? 'run' : 'runs'} failed: see [Violations](#violations).`;
}

function violations(runs: readonly Run[]): string[] {
  const found = runs.flatMap((run) => run.violations.map((one) => ({ ...one, commit: run.machine.commit })));
  if (found.length === 0) return ['None in these runs.'];
  return found.flatMap(({ campaign, seed, commit, failures, mended }) => [
    `- \`${campaign}\`, seed ${seed}, commit ${commit ?? 'unknown'}:`,
    ...failures.map((failure) => `  - ${failure.replace(/^failed: /, '')}`),
    ...(mended === undefined ? [] : [`  - Mended: ${mended}`]),
  ]);
}

/** What of the tests' own worth is known: bugs that were put in on purpose. */
function plantedSection(planted: PlantedRecord | null): string[] {
  if (planted === null) return [];
  return [
    '## Planted bugs',
    '',
    'Tests that find nothing prove little unless they would find something. `npm run planted` puts each of these bugs into a copy of the project, alone, and runs tests that must notice it.',
    '',
    '| bug | what is wrong then | noticed by | tests that failed | until then |',
    '|---|---|---|---:|---:|',
    ...planted.found.map(({ name, what, by, tests, seconds }) =>
      cells([
        `\`${name}\``,
        what,
        by.length === 0
          ? '**nothing**'
          : `${fileOf(by[0]!)}: ${by[0]!
              .slice(by[0]!.indexOf(': ') + 2)
              .split(': ')[0]!
              .replaceAll('|', '/')}`,
        `${by.length} of ${tests}`,
        `${Math.ceil(seconds)} s`,
      ]),
    ),
    '',
  ];
}

const fileOf = (test: string): string => `\`${test.slice(0, test.indexOf(': '))}\``;
