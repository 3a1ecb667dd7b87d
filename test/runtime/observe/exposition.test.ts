import { expect, test } from 'vitest';
import { expose } from '#runtime/observe/exposition.ts';
import { createMetricTable } from '#runtime/observe/metric-table.ts';
import { scrapeText } from '#runtime/observe/scrape.ts';

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
