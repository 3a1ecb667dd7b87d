/** A run of the peers: a run's report, which peers ran with which settings, and which could not. */
import { reached, targetText, type Figure } from '#bench/kit/figure.ts';
import { duration, number } from '#bench/kit/format.ts';
import type { RunReport } from '#bench/kit/report.ts';
import { table } from '#bench/kit/table.ts';

export interface PeerNote {
  readonly name: string;
  readonly version: string;
  readonly settings: string;
}

export interface PeersReport extends RunReport {
  readonly peers: readonly PeerNote[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

const time = (ms: number | undefined): string => (ms === undefined ? '' : duration(ms));

function cells(figure: Figure): string[] {
  const hit = reached(figure);
  return [
    figure.name,
    figure.rival?.name ?? '',
    `${number(figure.value)} ${figure.unit}`,
    time(figure.p99Ms),
    figure.ceiling === undefined ? '' : number(figure.ceiling),
    time(figure.rival?.p99Ms),
    figure.ratio === undefined ? '' : `${number(figure.ratio)} ×`,
    figure.target === undefined ? '' : targetText(figure.target, figure.unit),
    hit === null ? '' : hit ? 'yes' : 'NO',
    String(figure.errors),
    figure.bottleneck ?? '',
    figure.rival?.bottleneck ?? '',
    figure.note ?? '',
  ];
}

export function peersText({ figures, peers, skipped, failures }: PeersReport): string {
  const titles = [
    { title: 'contest' },
    { title: 'beside' },
    { title: 'Skep', align: 'right' },
    { title: 'p99', align: 'right' },
    { title: 'peer', align: 'right' },
    { title: 'p99', align: 'right' },
    { title: 'ratio', align: 'right' },
    { title: 'target' },
    { title: 'reached' },
    { title: 'errors', align: 'right' },
    { title: "Skep's bottleneck" },
    { title: "the peer's" },
    { title: 'note' },
  ] as const;
  const lines = [
    ...peers.map(({ name, version, settings }) => `${name} ${version}: ${settings}`),
    ...skipped.map(({ name, reason }) => `SKIPPED ${name}: ${reason}`),
    ...failures.map((failure) => `FAILED ${failure.case}: ${failure.message}`),
  ];
  return `${figures.length === 0 ? '' : `${table(titles, figures.map(cells))}\n`}${lines.map((line) => `${line}\n`).join('')}`;
}
