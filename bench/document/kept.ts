/** docs/benchmarks.json: what the page shows, so that one case can be measured again on whatever machine, and the page made anew without the others. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Figure } from '#bench/kit/figure.ts';
import { quietOf, type Run } from './page.ts';

/** Of a file that `keep` wrote; none where there is none. */
export function keptIn(file: string): readonly Run[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly Run[]) : [];
}

/** The runs of before without what was measured again, and behind them the new ones. A figure that was measured twice counts as the newest run has it; what failed is forgotten when it was measured. */
export function withRuns(before: readonly Run[], news: readonly Run[]): readonly Run[] {
  const runs = [...before, ...news];
  return runs.flatMap((run, at) => {
    const newer = new Set(runs.slice(at + 1).flatMap(({ figures }) => figures.map(keyOf)));
    const cases = new Set(runs.slice(at + 1).flatMap(({ figures }) => figures.map((figure) => figure.case)));
    const figures = run.figures.filter((figure) => !newer.has(keyOf(figure)));
    const failures = run.failures.filter((failure) => !cases.has(failure.case));
    return figures.length + failures.length === 0 ? [] : [shortened({ ...run, figures, failures })];
  });
}

export function keep(file: string, runs: readonly Run[]): void {
  writeFileSync(file, `${JSON.stringify(runs, null, 1)}\n`);
}

const keyOf = ({ name, rival }: Figure): string => `${name} ${rival?.name ?? ''}`;

/** Of the settings of a run; the others name places of its machine. */
const SHOWN = ['hosts', 'pairs', 'seconds', 'threads'];

/** Without the single runs of each figure, which no page shows. */
function shortened(run: Run): Run {
  const quiet = quietOf(run);
  const figures = run.figures.map((figure): Figure => {
    const { otherCores: _, pairs: __, runs: ___, ...shown } = figure;
    return shown;
  });
  const settings = Object.fromEntries(Object.entries(run.settings).filter(([name]) => SHOWN.includes(name)));
  return { ...run, settings, figures, quiet };
}
