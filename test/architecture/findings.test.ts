/** docs/findings.md: each finding names the tests that close it, and those are executed and pass in the same run (test/kit/citations.ts). */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Citation } from '#test/kit/citations.ts';

interface Finding {
  readonly id: string;
  readonly closedBy: string;
}

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/findings.md', root), 'utf8');
const ROW = /^\| ([A-Z]\d+[a-z]?) \| [^|]+ \| [^|]+ \| (.+) \|$/;

const findings: readonly Finding[] = page.split('\n').flatMap((line) => {
  const [, id, closedBy] = ROW.exec(line) ?? [];
  return id === undefined ? [] : [{ id, closedBy: closedBy! }];
});

/** `file`: "title", "title"; a file without titles stands for all of its tests. */
function citationsOf(closedBy: string): Citation[] {
  return [...closedBy.matchAll(/`(test\/[^`]+\.ts)`(?:: ((?:"[^"]+"(?:, )?)*))?/g)].flatMap(([, file, titles = '']) => {
    const named = [...titles.matchAll(/"([^"]+)"/g)].map(([, title]) => title!);
    return (named.length === 0 ? [''] : named).map((title) => ({ file: file!, title }));
  });
}

test('every line of a table is a finding, and no finding stands twice', () => {
  const lines = page.split('\n').filter((line) => /^\| [A-Z]\d/.test(line));
  expect(lines.filter((line) => !ROW.test(line))).toEqual([]);
  const ids = findings.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(80);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

describe('closed by', () => {
  for (const { id, closedBy } of findings)
    test(id, ({ task }) => {
      const cited = citationsOf(closedBy);
      task.meta.cites = cited;
      for (const { file } of cited) expect(existsSync(fileURLToPath(new URL(file, root))), file).toBe(true);
    });
});
