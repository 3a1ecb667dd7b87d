/** Looks at a running node for `skep top`, out of the metrics of its operations listener. It sees what a scrape sees, and needs no other right. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration } from '#config/values/duration.ts';
import { metricsAt, readinessAt, type DegradedThing } from '#runtime/observe/ask-operations.ts';
import { Metrics } from '#runtime/observe/read-metrics.ts';
import { operationsUrl } from './operations-url.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import { figuresOf, type Figures } from './top-figures.ts';
import type { TopOptions } from './top-options.ts';
import { screenOf } from './top-screen.ts';

interface Look {
  readonly figures: Figures;
  readonly degraded: readonly DegradedThing[];
}

const EVERY_MS_MIN = 100;
/** Clears the screen and goes to its first line. */
const CLEAR = '\u001b[H\u001b[2J';

/** Looks and shows; without an end on a terminal, unless it was asked to look once. */
export async function top(options: TopOptions, terminal: Terminal): Promise<void> {
  const url = await operationsUrl(options, terminal);
  const everyMs = everyOf(options.every);
  const tenants = Number(options.tenants);
  if (!Number.isSafeInteger(tenants) || tenants < 0)
    throw usage(`--tenants takes a whole number, not ${options.tenants}`);
  let before = await metricsOf(url);
  const look = async (): Promise<Look> => {
    const began = performance.now();
    await sleep(everyMs);
    const after = await metricsOf(url);
    const figures = figuresOf(before, after, (performance.now() - began) / 1000);
    before = after;
    return { figures, degraded: (await readinessAt(url)).degraded ?? [] };
  };
  const shown = ({ figures, degraded }: Look): string =>
    screenOf(figures, degraded, { url, columns: terminal.columns, tenants });
  if (options.output === 'json') {
    const { figures, degraded } = await look();
    terminal.out(`${JSON.stringify({ ...figures, degraded }, null, 2)}\n`);
  } else if (options.once === true || !terminal.redraws) terminal.out(shown(await look()));
  else for (;;) terminal.out(`${CLEAR}${shown(await look())}\nCtrl-C ends\n`);
}

function everyOf(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms < EVERY_MS_MIN) throw usage(`--every takes a duration of at least ${EVERY_MS_MIN} ms, as 2s`);
  return ms;
}

const usage = (what: string): CliError => new CliError(`skep: ${what}\n`, EXIT.usage);

/** Rejects with what to do where nothing answers. */
async function metricsOf(url: string): Promise<Metrics> {
  try {
    return Metrics.of(await metricsAt(url));
  } catch (error) {
    throw new CliError(
      `skep: ${url} gives no metrics: ${(error as Error).message}\n    is the node running? name its operations listener with --url, or its platform file with -f\n`,
    );
  }
}
