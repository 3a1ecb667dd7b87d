/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';

export interface Options {
  /** Case names; `all` stands for every one. Empty: show the usage table. */
  readonly names: readonly string[];
  /** Where the JSON goes. */
  readonly json: string | undefined;
  /** Seconds of each measured run; the case's own when absent. */
  readonly seconds: number | undefined;
  /** Connections of every HTTP case; the case's own when absent. */
  readonly connections: number | undefined;
  /** Threads of wrk. */
  readonly threads: number;
  /** Alternating pairs with the ceiling. */
  readonly pairs: number;
  /** Data directory to use and to leave; a fresh temporary one, removed afterwards, when absent. */
  readonly data: string | undefined;
  /** Tenant hosts of every node; each case's own, else the product's, when absent. */
  readonly hosts: number | undefined;
  /** Rows that the entity must hold before creates are measured; more are created when there are fewer. */
  readonly rows: number;
  /** Rows at which `growth` measures again. */
  readonly grown: number;
  /** Tenants of the largest node of `tenants`. */
  readonly tenants: number;
  /** Kills, and as many handovers, of `takeovers`; the case's own when absent. */
  readonly times: number | undefined;
  /** The load on the last core alone, everything else on the others: `bench:peers` only. */
  readonly pin: boolean;
  readonly profile: boolean;
  /** Attacks of `hostile-neighbours`, or kinds of them; routes of `accounts-apart`; all when absent. */
  readonly only: readonly string[] | undefined;
  /** Leave the temporary data directory. */
  readonly keep: boolean;
  readonly help: boolean;
}

const FLAGS = {
  json: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  threads: { type: 'string' },
  pairs: { type: 'string' },
  data: { type: 'string' },
  hosts: { type: 'string' },
  rows: { type: 'string' },
  grown: { type: 'string' },
  tenants: { type: 'string' },
  times: { type: 'string' },
  pin: { type: 'boolean' },
  profile: { type: 'boolean' },
  only: { type: 'string' },
  keep: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Each flag with what it takes and does, for the usage text. */
export const FLAG_HELP: readonly (readonly [flag: string, text: string])[] = [
  ['--json <file>', 'write everything measured as JSON'],
  ['--seconds N', 'length of each measured run (default: each case has its own)'],
  ['--connections N', 'connections of every HTTP case (default: each case has its own)'],
  ['--threads N', 'threads of wrk (default 1: one core for the load, one for the server)'],
  ['--pairs N', 'alternating pairs of ceiling and case, of which the medians count (default 3)'],
  ['--data <dir>', 'data directory to use and to leave (default: a temporary one, removed afterwards)'],
  [
    '--hosts N',
    "tenant hosts of every node that is started (default: the product's own; where a case promises something of one, one)",
  ],
  ['--rows N', 'rows present before creates are measured, rows of 2 KB of a backup (default 200000)'],
  [
    '--grown N',
    'rows at which growth measures again, of an index build, of retention, of the console (default 5000000)',
  ],
  ['--tenants N', 'tenants of the largest node of tenants (default 10000)'],
  ['--times N', 'kills, and as many handovers, of takeovers (default 5; a p99 wants 200)'],
  ['--pin', 'bench:peers: the load on the last core alone, Skep and peers on the others (default: all on all)'],
  ['--profile', 'CPU profiles of the server under bench/results/, and what took the time'],
  [
    '--only A,B',
    'hostile-neighbours: these attacks, or these kinds of them; accounts-apart: these routes (default: all)',
  ],
  ['--keep', 'leave the temporary data directory'],
];

/** Throws a message for people on an unknown flag or a value that is no positive whole number. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
  return {
    names: positionals,
    json: values.json,
    seconds: count('seconds', values.seconds, 1),
    connections: count('connections', values.connections, 1),
    threads: count('threads', values.threads, 1) ?? 1,
    pairs: count('pairs', values.pairs, 1) ?? 3,
    data: values.data,
    hosts: count('hosts', values.hosts, 1),
    rows: count('rows', values.rows, 0) ?? 200_000,
    grown: count('grown', values.grown, 1) ?? 5_000_000,
    tenants: count('tenants', values.tenants, 1) ?? 10_000,
    times: count('times', values.times, 1),
    pin: values.pin ?? false,
    profile: values.profile ?? false,
    only: values.only?.split(','),
    keep: values.keep ?? false,
    help: values.help ?? false,
  };
}

function count(flag: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < min) throw new Error(`--${flag} takes a whole number from ${min} on`);
  return value;
}
