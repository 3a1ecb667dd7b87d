import { expect, test } from 'vitest';
import { Exemplars } from '#runtime/observe/exemplars.ts';
import { expose, exposeOpenMetrics } from '#runtime/observe/exposition.ts';
import { createMetricTable } from '#runtime/observe/metric-table.ts';
import { scrapeFamilies, scrapeText } from '#runtime/observe/scrape.ts';

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"`;
const SAMPLE = new RegExp(
  String.raw`^(${NAME})(?:\{${LABEL}(?:,${LABEL})*\})? (?:[+-]Inf|NaN|-?[0-9.]+(?:e[+-]?\d+)?)$`,
);
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);

/** Faults of a text against the format: every line is one of three, heads come once and before their samples. */
function faults(text: string): string[] {
  const out: string[] = [];
  const types = new Map<string, string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const head = HEAD.exec(line);
    const sample = SAMPLE.exec(line);
    if (head?.[1] === 'HELP') current = head[2]!;
    else if (head !== null) {
      if (types.has(head[2]!) || head[2] !== current) out.push(line);
      types.set(head[2]!, head[3]!);
    } else if (sample === null) out.push(line);
    else {
      const suffix = sample[1]!.slice(current.length);
      const suffixes = types.get(current) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (!sample[1]!.startsWith(current) || !suffixes.includes(suffix)) out.push(line);
    }
  }
  if (!text.endsWith('\n')) out.push('no newline at the end');
  return out;
}

test('a scrape is valid text exposition', () => {
  const text = scrapeText(createMetricTable(2), ['main', 'host "0"\\'], []);
  expect(text.split('\n').length).toBeGreaterThan(100);
  expect(faults(text)).toEqual([]);
});

test('labels and help are escaped, special values spelled', () => {
  const labels = { path: 'a"b\\c\nd' };
  const samples = [
    { labels, value: Infinity },
    { labels: {}, value: -Infinity },
    { labels: {}, value: NaN },
    { labels: {}, value: 1e21 },
  ];
  const text = expose([{ name: 'm', type: 'gauge', help: 'two\nlines \\', samples }]);
  expect(text).toBe(
    '# HELP m two\\nlines \\\\\n# TYPE m gauge\nm{path="a\\"b\\\\c\\nd"} +Inf\nm -Inf\nm NaN\nm 1e+21\n',
  );
  expect(faults(text)).toEqual([]);
});

test('the check itself bites', () => {
  expect(faults('m 1\n# HELP m x\nm one\nm{a=b} 1\nm{a="\n"} 1')).not.toEqual([]);
  expect(faults('# HELP m x\n# TYPE m counter\nm_bucket 1\n')).toEqual(['m_bucket 1']);
});

test('OpenMetrics: counters are named without their ending, help is escaped, and the text has an end', () => {
  const families = [
    { name: 'a_total', type: 'counter', help: 'so "many"', samples: [{ labels: {}, value: 1 }] },
    { name: 'b', type: 'gauge', help: 'x', samples: [{ labels: { l: 'v' }, value: 2 }] },
  ] as const;
  expect(exposeOpenMetrics(families)).toBe(
    '# HELP a so \\"many\\"\n# TYPE a counter\na_total 1\n# HELP b x\n# TYPE b gauge\nb{l="v"} 2\n# EOF\n',
  );
});

test('OpenMetrics: every counter of the node has the ending that it needs, and no family has two heads', () => {
  const families = scrapeFamilies(createMetricTable(2), ['main', 'host-0'], []);
  expect(families.filter(({ type, name }) => type === 'counter' && !name.endsWith('_total'))).toEqual([]);
  const heads = [...exposeOpenMetrics(families).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(heads).size).toBe(heads.length);
});

test('the newest traced request of a bucket is its exemplar, in OpenMetrics alone', () => {
  const exemplars = new Exemplars();
  const add = (traceId: string, value: number) => exemplars.add('data', true, { traceId, value, at: 1.5 });
  add('a'.repeat(32), 0.0011);
  add('b'.repeat(32), 0.0012);
  add('c'.repeat(32), 1000);
  const families = exemplars.in(scrapeFamilies(createMetricTable(1), ['main'], []));
  const lines = exposeOpenMetrics(families)
    .split('\n')
    .filter((line) => line.includes(' # '));
  const bucket = (le: string) => `skep_request_seconds_bucket{service="data",class="read",le="${le}"} 0`;
  expect(lines).toEqual([
    `${bucket('0.0025')} # {trace_id="${'b'.repeat(32)}"} 0.0012 1.500`,
    `${bucket('+Inf')} # {trace_id="${'c'.repeat(32)}"} 1000 1.500`,
  ]);
  expect(expose(families)).not.toContain('trace_id');
});
