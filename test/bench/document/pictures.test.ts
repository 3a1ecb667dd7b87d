/** The pictures of the pages: each is shown somewhere, and those of docs/benchmarks.md say what its tables say. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PICTURE = /!\[[^\]]*\]\(([^)]+)\)/g;
const shown = globSync('docs/**/*.md', { cwd: ROOT }).flatMap((page) =>
  [...read(page).matchAll(PICTURE)].map(([, path]) => ({ page, path: join(dirname(page), path!) })),
);
/** Each page that shows some has a folder of them, by its own name. */
const PAGES = ['docs/benchmarks', 'docs/explanation/cores', 'docs/tutorials/console'];

test('pages show pictures of their folders, whose pictures are all shown', () => {
  const there = PAGES.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`));
  expect(shown.map(({ path }) => path).toSorted()).toEqual(there.toSorted());
  for (const { page, path } of shown) expect(`${dirname(path)}.md`).toBe(page);
});

const drawn = shown.filter(({ page }) => page === 'docs/benchmarks.md');

const page = read('docs/benchmarks.md');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
/** What is beside a figure stands in its table without the unit. */
const UNIT = / (?:(?:op|req|rows|MB)\/s|[nµm]?s)$/;
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

test.each(drawn.map(({ path }) => [basename(path), path]))('%s says what the page says', (_, path) => {
  const texts = [...read(path).matchAll(/<rect [^>]*\/><text [^>]*>([^<]*)<\/text>/g)].map(([, text]) =>
    unescaped(text!),
  );
  expect(texts.length, relative(ROOT, path)).toBeGreaterThan(0);
  for (const text of texts) {
    const [, figure, ratio] = /^(.*?)(?: \((.+)\))?$/.exec(text)!;
    const wanted = [figure!, ...(ratio === undefined ? [] : [ratio])];
    const says = (cells: readonly string[]): boolean =>
      wanted.every((one) => cells.some((cell) => cell.includes(one) || cell.split(' (')[0] === one.replace(UNIT, '')));
    expect(rows.some(says), `${text} is in no table`).toBe(true);
  }
});
