/**
 * Every command of the documentation's pages is run as it stands there, against a real node in an empty directory, and prints what the page says;
 * one that cannot be run is marked, with the reason (`sh untested: <reason>`). The README's tour has a test of its own.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '#test/kit/demo-process.ts';
import { before, blocksOf, difference, unmarked } from '#test/kit/page-commands.ts';
import { PageRuns } from '#test/kit/page-run.ts';
import { isLongRun } from '#test/kit/rounds.ts';

const pages = globSync('docs/**/*.md', { cwd: root }).sort();
const withCommands = pages.filter((path) => blocksOf(readFileSync(join(root, path), 'utf8')).length > 0);
const TUTORIAL = 'docs/tutorials/help-desk.md';

const runs = new PageRuns();
afterAll(() => runs.close());

test.each(pages)('every command of %s is run or says why not', (path) => {
  expect(unmarked(readFileSync(join(root, path), 'utf8'))).toEqual([]);
});

test('there are pages with commands', () => {
  expect(withCommands).toContain(TUTORIAL);
});

/** `npm test` runs the tutorial alone, `npm run test:ci` every page. */
test.each(isLongRun ? withCommands : [TUTORIAL])(
  'the commands of %s work as printed',
  { timeout: 180_000 },
  async (path) => {
    await runs.run(join(root, path));
  },
);

describe('caught', () => {
  const fence = (info: string, ...lines: readonly string[]) => `\`\`\`${info}\n${lines.join('\n')}\n\`\`\`\n`;

  test.each([
    ['a block that is marked with nothing', fence('', 'skep check')],
    ['commands in another shell', fence('bash', 'skep check')],
    ['a mark without a reason', fence('sh untested', 'skep check')],
    ['a reason of one word', fence('sh untested: no', 'skep check')],
    ['a mark that means nothing', fence('sh serv', 'skep check')],
  ])('%s', (_name, page) => {
    expect(unmarked(page)).toHaveLength(1);
    expect(blocksOf(page)).toEqual([]);
  });

  test.each([
    ['another line', ['a', 'c'], ['a', 'b']],
    ['a line too many', ['a', 'b'], ['a']],
    ['a line that is missing', ['a'], ['a', 'b']],
    ['another value beside one that may change', ['{"id":"01","n":3}'], ['{"id":"…","n":2}']],
    ['a line that never came', ['a', 'b'], ['…', 'c']],
  ])('output with %s', (_name, printed, expected) => {
    expect(difference(printed, expected)).toMatch(/^(promised|printed besides): /);
  });
});

test('a page is read block by block, with its marks', () => {
  const page =
    '# A\n<!-- continues: docs/sql.md -->\n```sh serve\nx\n```\n```yaml\ny: 1\n```\n```sh\nz\n```\n```text\n1\n\n2\n```\n';
  expect(blocksOf(page)).toEqual([
    { how: 'serve', text: 'x\n', expected: null },
    { how: 'run', text: 'z\n', expected: ['1', '2'] },
  ]);
  expect([before(page), before('# B')]).toEqual(['docs/sql.md', null]);
  expect(difference(['a', 'x', 'y', '{"id":"01"}'], ['a', '…', '{"id":"…"}'])).toBe(null);
});
