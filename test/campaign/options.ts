/** The command line of `npm run campaign`. */
import { parseArgs } from 'node:util';
import { CAMPAIGNS } from './campaigns.ts';

export interface Options {
  readonly names: readonly string[];
  /** Milliseconds for all of them together; null: each once, with the rounds of a campaign, however long that takes. */
  readonly forMs: number | null;
  /** The record that this run is added to. */
  readonly to: string | null;
  readonly help: boolean;
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Throws with what is wrong. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { for: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const known = Object.keys(CAMPAIGNS);
  const names = positionals.includes('all') ? known : positionals;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`there is no campaign ${unknown.join(', ')}: all, ${known.join(', ')}`);
  return {
    names,
    forMs: values.for === undefined ? null : durationMs(values.for),
    to: values.to ?? null,
    help: values.help === true || names.length === 0,
  };
}

function durationMs(text: string): number {
  const [, number, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(number) * UNITS[unit as keyof typeof UNITS];
  if (!(ms > 0)) throw new Error(`--for takes a time such as 90s, 30m or 12h, not ${text}`);
  return ms;
}

export function usage(): string {
  const names = Object.entries(CAMPAIGNS).map(([name, { proves }]) => `  ${name.padEnd(20)}${proves}`);
  return [
    'npm run campaign -- <name>… | all [--for 30m] [--to <file>]',
    '',
    ...names,
    '',
    '  --for 30m    so long for all of them together: each runs once, and what is left is shared',
    '               (without it: each once, with as many rounds as a campaign has, for hours)',
    '  --to <file>  add what was counted to this record, which docs/reliability.md is made of',
    '',
  ].join('\n');
}
