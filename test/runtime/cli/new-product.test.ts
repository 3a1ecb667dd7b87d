/** What `skep new` refuses, and that nothing of a refused or interrupted run is left. */
import { existsSync, mkdirSync, readFileSync, readdirSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newProduct, nextCommands } from '#runtime/cli/new-product.ts';
import { fc } from '#test/kit/property.ts';
import { ownFolder } from '#test/kit/demo-process.ts';
import { skep } from './recorder.ts';

/** Everything below a folder, with the contents of files. */
const treeOf = (folder: string): unknown =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path, lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null]);

describe('refused, with what is there and exit code 2', () => {
  test.each([
    ['a file', (at: string) => writeFileSync(at, 'mine'), 'a file'],
    ['a link that leads nowhere', (at: string) => symlinkSync('/nowhere', at), 'a link'],
    ['an empty directory', (at: string) => mkdirSync(at), 'an empty directory'],
    [
      'a directory with files',
      (at: string) => {
        mkdirSync(at);
        for (const name of ['b', 'a']) writeFileSync(join(at, name), name);
      },
      'a directory with a, b',
    ],
    [
      'a directory with many files',
      (at: string) => {
        mkdirSync(at);
        for (let n = 0; n < 20; n++) writeFileSync(join(at, `f${String(n).padStart(2, '0')}`), '');
      },
      'a directory with f00, f01, f02, f03, f04, f05, f06, f07 and 12 more',
    ],
  ])('%s', async (_name, make, what) => {
    const folder = ownFolder();
    make(join(folder, 'shop'));
    const before = treeOf(folder);
    const { code, out, err } = await skep(`new shop --dir ${join(folder, 'shop')}`);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`${join(folder, 'shop')} is there already: ${what}\n    nothing is overwritten`);
    expect(treeOf(folder)).toEqual(before);
  });

  test.each(['Shop', '-shop', 'shop.', 'a'.repeat(64), 'sh/op', '..', 'köln'])('the name %s', async (name) => {
    const folder = ownFolder();
    const { code, err } = await skep(`new --dir ${join(folder, 'x')} -- ${name}`);
    expect([code, err.split('\n')[0]]).toEqual([2, `skep: "${name}" cannot be the name of a product`]);
    expect(treeOf(folder)).toEqual([]);
  });

  test('a directory whose parent is missing, or is a file', async () => {
    const folder = ownFolder();
    writeFileSync(join(folder, 'file'), '');
    for (const above of ['none', 'file']) {
      const { code, err } = await skep(`new shop --dir ${join(folder, above, 'shop')}`);
      expect(code).toBe(2);
      expect(err).toContain(`there is no directory ${join(folder, above)} to make shop in`);
    }
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('a template that there is not', async () => {
    const { code, err } = await skep('new shop --template blog');
    expect([code, err.includes('Allowed choices are minimal, help-desk, content-site')]).toEqual([2, true]);
  });
});

test('a directory that the system does not let be made is one line with exit code 1, and leaves nothing', async () => {
  const { code, err } = await skep('new shop --dir /proc/shop');
  expect([code, existsSync('/proc/shop')]).toEqual([1, false]);
  expect(err).toMatch(/^skep: \/proc\/shop could not be written, and nothing of it is left: .*\n$/);
});

test('a second run is refused and leaves the files of the first', async () => {
  const dir = join(ownFolder(), 'shop');
  await newProduct({ name: 'shop', template: 'minimal', dir });
  const before = treeOf(dir);
  await expect(newProduct({ name: 'other', template: 'help-desk', dir })).rejects.toThrow(
    'a directory with .gitignore, README.md, platform.yaml, product',
  );
  expect(treeOf(dir)).toEqual(before);
});

/** The words that a POSIX shell makes of a line without expansions, by its rules for single quotes and backslashes. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|\\[^]|[^\s'\\])+/g))
    words.push(
      word.replaceAll(/'([^']*)'|\\([^])/g, (_all, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
    );
  return words;
}

test('whatever the directory is called, a shell reads the printed path as one word', () => {
  let quoted = 0;
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: fc.constantFrom(...Array.from('ab /-.\'"$`\\*~!\t\né')) }), (dir) => {
      const file = wordsOf(nextCommands('shop', dir)[2]!);
      const path = join(dir, 'platform.yaml');
      if (/[^\w./-]/.test(dir)) quoted++;
      expect(file).toEqual(['skep', '-f', path.startsWith('-') ? `./${path}` : path]);
    }),
    { numRuns: 500 },
  );
  expect(quoted).toBeGreaterThan(100);
});
