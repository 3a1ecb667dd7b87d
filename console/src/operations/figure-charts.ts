/** Which figures are shown together, and how each is told. Pure. */
import type { Words } from '../words/en.ts';
import type { Figures } from '../words/figures.ts';
import type { FigurePoint } from './shapes.ts';

type Name = Exclude<keyof FigurePoint, 'at'>;

export interface FigureChart {
  readonly title: string;
  readonly lines: readonly (readonly [label: string, of: Name])[];
  readonly tell: (value: number) => string;
}

export function chartsOf({ operations: words }: Words, { count, bytes }: Figures): readonly FigureChart[] {
  const ms = (value: number): string => `${count(value)} ms`;
  return [
    {
      title: words.perSecondTitle,
      lines: [
        [words.answered, 'requests_per_second'],
        [words.failed, 'failed_per_second'],
      ],
      tell: count,
    },
    {
      title: words.times,
      lines: [
        ['p50', 'p50_ms'],
        ['p99', 'p99_ms'],
      ],
      tell: ms,
    },
    {
      title: words.memory,
      lines: [
        [words.heap, 'heap_bytes'],
        [words.process, 'rss_bytes'],
      ],
      tell: bytes,
    },
    { title: words.lagTitle, lines: [[words.records, 'lag_records']], tell: count },
    { title: words.waiting, lines: [[words.waitingNow, 'waiting']], tell: count },
    { title: words.loopDelay, lines: [['p99', 'loop_delay_ms']], tell: ms },
  ];
}
