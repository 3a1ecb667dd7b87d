/** `npm run planted`: puts each bug of plants.ts into a copy of the project, and says which tests notice it, and how soon. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { table } from '#bench/kit/table.ts';
import { copyOfProject, look, recordText, removeCopy, type Found } from './planted.ts';
import { PLANTS } from './plants.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } });
const names = positionals.length > 0 ? positionals : Object.keys(PLANTS);
const unknown = names.find((name) => PLANTS[name] === undefined);
if (unknown !== undefined) {
  process.stderr.write(`planted: ${unknown} is none of ${Object.keys(PLANTS).join(', ')}\n`);
  process.exit(2);
}

const copy = copyOfProject();
const all: Found[] = [];
try {
  for (const name of names) {
    const found = await look(copy, name, PLANTS[name]!);
    all.push(found);
    process.stderr.write(`${name}: ${found.by.length} of ${found.tests} tests failed, ${found.seconds} s\n`);
  }
} finally {
  removeCopy(copy);
}
const columns = [
  { title: 'bug' },
  { title: 'failed', align: 'right' },
  { title: 's', align: 'right' },
  { title: 'first' },
] as const;
const rows = all.map(({ name, by, tests, seconds }) => [
  name,
  `${by.length} of ${tests}`,
  String(seconds),
  by[0] ?? 'NOT FOUND',
]);
process.stdout.write(`\n${table(columns, rows)}\n`);
if (values.to !== undefined) writeFileSync(values.to, recordText(values.to, all));
if (all.some(({ by }) => by.length === 0)) process.exitCode = 1;
