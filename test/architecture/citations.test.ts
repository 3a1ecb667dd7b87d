/** A proof by name holds only if the named test ran and passed: each way to be no proof is planted here. */
import { describe, expect, test } from 'vitest';
import { unproven, type Citation, type Ran } from '#test/kit/citations.ts';

const FILE = 'test/architecture/citations.test.ts';
const passed = (fullName: string, file = FILE): Ran => ({ file, fullName, state: 'passed', fails: false });
const judge = (title: string, ran: readonly Ran[], wholeRun = true) => unproven([{ file: FILE, title }], ran, wholeRun);

test('a test that passed is a proof, by its title, with or without what stands around it', () => {
  expect(judge('it holds', [passed('a room > it holds')])).toEqual([]);
});

test('of a title with places for values every test of it must have passed, and there must be one', () => {
  const rows = [passed('404 for a city'), passed('404 for a country')];
  expect(judge('404 for %s', rows)).toEqual([]);
  expect(judge('404 for $name', rows)).toEqual([]);
  expect(judge('404 for ${name}', rows)).toEqual([]);
  expect(judge('404 for %s', [...rows, { ...passed('404 for a river'), state: 'failed' }])).toHaveLength(1);
  expect(judge('403 for %s', rows)).toEqual([`${FILE}: "403 for %s" is no test of it`]);
});

describe('no proof', () => {
  test.each([
    ['a title that stands in a comment or a text alone', [passed('another')], 'is no test of it'],
    ['a test in describe.skip or under skipIf(true)', [{ ...passed('it holds'), state: 'skipped' }], 'skipped'],
    ['one that failed', [{ ...passed('it holds'), state: 'failed' }], 'failed'],
    ['one whose run was cut off', [{ ...passed('it holds'), state: 'pending' }], 'never ended'],
    ['one of test.fails', [{ ...passed('it holds'), fails: true }], 'is declared to fail'],
  ] as const)('%s', (_name, ran, problem) => {
    expect(judge('it holds', ran as readonly Ran[])).toEqual([`${FILE}: "it holds" ${problem}`]);
  });

  test('a file that did not run, where all were to', () => {
    expect(judge('it holds', [])).toEqual([`${FILE} did not run: "it holds" is no proof`]);
    expect(judge('it holds', [], false)).toEqual([]);
  });

  test('a file that there is not, in any run', () => {
    const cited: Citation = { file: 'test/no/such.test.ts', title: 'it holds' };
    expect(unproven([cited], [], false)).toHaveLength(1);
  });
});
