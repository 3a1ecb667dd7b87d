import { expect, test } from 'vitest';
import { barChart } from '#bench/document/bars.ts';
import { benchmarkPage, type Run } from '#bench/document/page.ts';
import type { Figure } from '#bench/kit/figure.ts';
import { SOME_MACHINE } from '#test/kit/some-machine.ts';

const read: Figure = {
  name: 'read-by-id',
  unit: 'req/s',
  value: 61_000,
  p50Ms: 0.94,
  p99Ms: 2.1,
  p999Ms: 4,
  ceiling: 130_000,
  ratio: 0.469,
  serverCores: 0.8,
  clientCores: 0.6,
  otherCores: 0,
  bottleneck: 'the load',
  errors: 0,
  target: { of: 'ratio', bound: 'min', than: 0.5 },
};
const run = (change: Partial<Run> = {}): Run => ({
  machine: SOME_MACHINE,
  fsync: { perSecond: 2340, p50Ms: 0.41, p99Ms: 0.9 },
  ceiling: 130_000,
  settings: { pairs: 3, threads: 1 },
  figures: [read],
  failures: [],
  ...change,
});

test('what was missed, what was wrong and what failed comes first', () => {
  const sound: Figure = {
    name: 'jq',
    unit: 'op/s',
    value: 5,
    errors: 0,
    target: { of: 'value', bound: 'min', than: 1 },
  };
  const wrong: Figure = { ...sound, name: 'list-20', errors: 1200 };
  const failures = [{ case: 'create-64', message: 'answered 500 {"a|b"}\nand more' }];
  const { page } = benchmarkPage([run({ figures: [read, sound, wrong], failures })]);
  expect(page).toContain('1 of 3 targets reached, 1 figures with wrong answers, 1 cases failed.');
  expect(page).toContain('- **missed**: read-by-id: 0.469 ×, target ≥ 0.5 ×');
  expect(page).toContain('- **wrong answers**: list-20: 1,200');
  expect(page).toContain('- **failed**: create-64: answered 500 {"a\\|b"} and more');
  expect(page.indexOf('**missed**')).toBeLessThan(page.indexOf('## Hot paths'));
});

test('a run tells machine, disk, ceiling, every figure, and names coordinated omission', () => {
  const { page } = benchmarkPage([run()]);
  for (const part of [
    'A processor, 2 cores',
    'commit abcdef123456+',
    '2,340 fsync/s',
    '130,000 req/s, median',
    'coordinated omission',
  ])
    expect(page).toContain(part);
  expect(page).toMatch(
    /\| read-by-id \| 61,000 req\/s \| 940 µs \| 2\.1 ms \| 4 ms \| 130,000 \| 0\.469 × \| 0\.8 \| 0\.6 \| the load \| ≥ 0\.5 × \| \*\*no\*\* \| 0 \|/,
  );
});

test('what others are faster at comes first, and so does a machine that was not quiet', () => {
  const slower = { ...read, name: 'jq', rival: { name: 'native jq', bottleneck: 'the disk' }, otherCores: 0.7 };
  const { page } = benchmarkPage([run({ figures: [slower], peers: [], fsyncRange: [300, 3000] })]);
  expect(page).toContain('- **behind**: jq beside native jq: 0.469 × 130,000 req/s');
  expect(page).toContain('**not quiet**: while 1 of 1 figures were measured');
  expect(page).toContain('Skep: the load; the other: the disk');
  expect(page).toContain("median of the run's; 300 to 3,000");
  expect(benchmarkPage([run()]).page).not.toMatch(/\*\*not quiet|\*\*behind/);
});

test('every picture that the page shows is there, and peers are listed with version, settings and reason', () => {
  const beside = { ...read, name: 'key', rival: { name: "somebody's keys" } };
  const peers = [{ name: "somebody's keys", version: '1.2.3', settings: 'fsync on' }];
  const skipped = [{ name: 'absent', reason: 'it is not installed' }];
  const { page, pictures } = benchmarkPage([run(), run({ figures: [beside], peers, skipped })]);
  const shown = [...page.matchAll(/\]\(benchmarks\/([^)]+)\)/g)].map(([, file]) => file);
  expect(shown).toEqual(['read-by-id.svg', 'peer-key.svg']);
  expect([...pictures.keys()]).toEqual(shown);
  for (const part of ["somebody's keys 1.2.3: fsync on", '**skipped** absent: it is not installed', '## Beside others'])
    expect(page).toContain(part);
});

test('every case has a picture: what stands beside nothing stands together, those of each unit, with what they should reach', () => {
  const of = (name: string, more: Partial<Figure>): Figure => ({ name, unit: 'op/s', value: 1, errors: 0, ...more });
  const target = { of: 'value', bound: 'max', than: 2000 } as const;
  const figures = [
    of('hop small', { case: 'hop', value: 4 }),
    of('hop large', { case: 'hop', value: 2 }),
    of('start, cold', { case: 'start', unit: 'ms', value: 1500, target }),
    of('start, memory', { case: 'start', unit: 'MB', value: 9 }),
    of('of before cases were named', {}),
  ];
  const { page, pictures } = benchmarkPage([run({ figures: [read, ...figures] })]);
  const files = ['read-by-id', 'hop-in-op-s', 'start-in-ms', 'start-in-mb', 'of-before-cases-were-named-in-op-s'];
  expect([...pictures.keys()]).toEqual(files.map((name) => `${name}.svg`));
  for (const file of pictures.keys()) expect(page).toContain(`](benchmarks/${file})`);
  expect(pictures.get('hop-in-op-s.svg')).toContain('<title>hop: small 4 op/s, large 2 op/s</title>');
  expect(pictures.get('start-in-ms.svg')).toContain('<title>start: start, cold 1.5 s, target ≤ 2 s</title>');
  expect(pictures.get('start-in-mb.svg')).toContain('<title>start, memory: start, memory 9 MB</title>');
});

test('it says how many tenant hosts there were', () => {
  expect(benchmarkPage([run({ settings: { pairs: 3, threads: 1, hosts: 2 } })]).page).toContain('tenant hosts 2\n');
  expect(benchmarkPage([run()]).page).toContain("tenant hosts the product's default");
});

test('no run, no page', () => {
  expect(() => benchmarkPage([])).toThrow('there is no run');
});

test('bars are drawn to one scale, text is escaped, and both colour schemes are served', () => {
  const svg = barChart('a < b & "c"', [
    { label: 'Skep', value: 100, text: '100', kind: 'ours' },
    { label: 'other', value: 25, text: '<25>', kind: 'other' },
  ]);
  const widths = [...svg.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) => Number(width));
  expect(widths[0]).toBe(4 * widths[1]!);
  expect(svg).toContain('a &lt; b &amp; &quot;c&quot;');
  expect(svg).not.toMatch(/<25>|<script/);
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(barChart('nothing', [{ label: 'a', value: 0, text: '0', kind: 'ours' }])).toContain('width="1"');
});

test('what the work on speed was asked to reach stands by itself, with the cause of what is missed', () => {
  const create: Figure = { ...read, name: 'create-64', ratio: 0.151, p99Ms: 5.9 };
  const fast: Figure = { ...read, ratio: 0.63 };
  const { page } = benchmarkPage([run({ figures: [fast, create] })]);
  expect(page).toContain('| read-by-id | ≥ 0.62 × | 0.63 × | yes |');
  expect(page).toContain('| create-64 | ≥ 0.2 × | 0.151 × | **no** |');
  expect(page).toContain('| create-64 | p99 ≤ 6 ms | p99 5.9 ms | yes |');
  expect(page.match(/^- create-64\. The cores are full: .* Tried: \(1\) /gm)).toHaveLength(1);
  // A run without any of them has no such part.
  expect(benchmarkPage([run({ figures: [{ ...read, name: 'jq' }] })]).page).not.toContain('was asked to reach');
});
