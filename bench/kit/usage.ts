/** The usage text, and which cases a command line names. */
import { estimate, type BenchCase } from '../harness.ts';
import { span } from './format.ts';
import { FLAG_HELP, type Options } from './options.ts';
import { table } from './table.ts';

/** All cases with what they measure, how long they take with these options, and their targets. */
export function usage(cases: readonly BenchCase[], options: Options): string {
  const rows = cases.map((one) => [one.name, one.measures, span(one.seconds(options)), one.target]);
  const list = table(
    [{ title: 'name' }, { title: 'measures' }, { title: 'takes', align: 'right' }, { title: 'target' }],
    rows,
  );
  const flags = table([{ title: 'flag' }, { title: 'meaning' }], FLAG_HELP);
  const all = span(estimate(cases, options));
  return `npm run bench <name …> -- [flags]     (all: every case, about ${all})\n\n${list}\n${flags}`;
}

/** The named cases in the order of the list. Throws on a name that there is not. */
export function chosen(cases: readonly BenchCase[], names: readonly string[]): BenchCase[] {
  const known = new Set(cases.map(({ name }) => name));
  const unknown = names.find((name) => name !== 'all' && !known.has(name));
  if (unknown !== undefined) throw new Error(`there is no case ${unknown}; npm run bench lists them`);
  return names.includes('all') ? [...cases] : cases.filter(({ name }) => names.includes(name));
}
