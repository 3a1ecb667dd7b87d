/** docs/decisions: every decision has a number of its own, a date and a status; the index and all citations are true. Each fault is planted. */
import { expect, test } from 'vitest';
import { checkDecisions, FOLDER } from './decisions.ts';
import { projectFiles } from './project.ts';
import type { SourceFile } from './source.ts';

/** This file's own plants are no citations. */
const TEXT = /^(?!test\/architecture\/decisions\.).*\.(ts|mjs|md|yaml)$/;

test('the pages, their index and whatever cites them are true', () => {
  const files = projectFiles(TEXT);
  expect(files.filter(({ path }) => path.startsWith(FOLDER)).length).toBeGreaterThan(20);
  expect(checkDecisions(files)).toEqual([]);
});

const page = (text: string, name = 'hives.md'): SourceFile => ({ path: FOLDER + name, text });
const index = (...lines: string[]) => page(['| [hives.md](hives.md) | HV | hives |', ...lines].join('\n'), 'README.md');
const decision = (id: string, title: string, dated = '2026-11-21 · accepted') =>
  `## ${id} ${title}\n${dated}\n\nBees fly.\n\n`;
const found = (...files: SourceFile[]) => checkDecisions(files).map(({ rule, what }) => `${rule}: ${what}`);

const hives = page(`# Hives\n\n${decision('HV-1', 'A hive is round')}${decision('HV-2', 'A hive hums')}`);
const listed = index('- HV-1 A hive is round', '- HV-2 A hive hums');
const cites = (text: string): SourceFile => ({ path: 'actors/bee.ts', text });

test('sound pages have no violation, whatever way they are cited', () => {
  const ways = [
    'docs/decisions/hives.md',
    '`docs/decisions/hives.md` HV-1 to HV-2',
    'docs/decisions/hives.md HV-1 and HV-2',
    '`docs/decisions/hives.md` HV-2, "A hive hums"',
    '/**\n * docs/decisions/hives.md\n * HV-1, "A hive is\n * round"\n */',
  ];
  expect(found(hives, listed, ...ways.map(cites))).toEqual([]);
});

test('caught: a heading without a number, a number twice, a number of another page', () => {
  expect(found(page('## A hive is round\n'), index())).toEqual(['number: "## A hive is round" has no number']);
  const twice = page(decision('HV-1', 'A') + decision('HV-1', 'B'));
  expect(found(twice, index('- HV-1 A', '- HV-1 B'))).toEqual(['number: HV-1 is not above the one before it']);
  const other = page(decision('HV-3', 'C'), 'bees.md');
  const both = index('| [bees.md](bees.md) | BS | bees |', '- HV-1 A hive is round', '- HV-2 A hive hums', '- HV-3 C');
  expect(found(hives, other, both)).toEqual(['prefix: HV-3 has the prefix of another page']);
});

test.each(['', '2026-11-21', 'accepted', '2026-11-21 · agreed', '2026-11-21 · amended'])(
  'caught: "%s" in place of date and status',
  (dated) => {
    expect(found(page(decision('HV-1', 'A', dated)), index('- HV-1 A'))).toEqual([
      'status: HV-1 has no date and status',
    ]);
  },
);

test('caught: a successor that there is not, a decision that says nothing', () => {
  const superseded = (id: string) =>
    page(decision('HV-1', 'A', `2026-11-21 · superseded by ${id}`) + decision('HV-2', 'B'));
  const both = index('- HV-1 A', '- HV-2 B');
  expect(found(superseded('HV-2'), both)).toEqual([]);
  expect(found(superseded('HV-9'), both)).toContain('status: HV-1 is superseded by HV-9, which there is not');
  const silent = page(`## HV-1 A\n2026-11-21 · accepted\n\n${decision('HV-2', 'B')}`);
  expect(found(silent, both)).toEqual(['text: HV-1 says nothing']);
});

test('caught: an index that misses a decision or a page, or lists one that there is not', () => {
  expect(found(hives, index('- HV-1 A hive is round'))).toEqual(['index: misses "- HV-2 A hive hums"']);
  const more = index('- HV-1 A hive is round', '- HV-2 A hive hums', '- HV-3 A hive sleeps');
  expect(found(hives, more)).toContain('index: lists "- HV-3 A hive sleeps", which there is not');
  expect(found(hives, page('- HV-1 A hive is round\n- HV-2 A hive hums', 'README.md'))).toEqual([
    'index: misses docs/decisions/hives.md',
  ]);
  const gone = index('| [bees.md](bees.md) | BS | bees |', '- HV-1 A hive is round', '- HV-2 A hive hums');
  expect(found(hives, gone)).toEqual(['index: lists docs/decisions/bees.md']);
});

test('caught: a citation of a page, a number or words that there are not', () => {
  const of = (text: string) => found(hives, listed, cites(text));
  expect(of('docs/decisions/bees.md')).toEqual(['citation: docs/decisions/bees.md is no page']);
  expect(of('docs/decisions/hives.md HV-1 to HV-9')).toEqual(['citation: docs/decisions/hives.md has no HV-9']);
  expect(of('docs/decisions/hives.md HV-1, "A hive hums"')).toEqual([
    'citation: docs/decisions/hives.md has no "A hive hums" at HV-1',
  ]);
  expect(of('docs/decisions/hives.md "A hive hums"')).toHaveLength(1);
  expect(found(page(`${hives.text}See HV-7.`), listed)).toEqual(['citation: there is no HV-7']);
});
