/** Archives of product checkouts, those of real programs and those that are made to do harm. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { readArchive } from '#runtime/product-archive.ts';
import { tarGzOf, tarOf } from '#test/kit/tar.ts';

const shop = fileURLToPath(new URL('../kit/products/shop/', import.meta.url));
const ROOT = { path: 'product.yaml', text: 'name: shop\n' };
const LONG = `entities/${'deep/'.repeat(30)}${'n'.repeat(90)}.yaml`;

/** What the system's tar makes of the shop, as text by path. */
function packed(...flags: string[]): Record<string, string> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-tar-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(shop, join(dir, 'shop'), { recursive: true });
  mkdirSync(join(dir, 'shop', LONG, '..'), { recursive: true });
  writeFileSync(join(dir, 'shop', LONG), 'long: name\n');
  execFileSync('tar', ['-C', dir, '-cf', join(dir, 'out'), ...flags]);
  return Object.fromEntries(
    readArchive(readFileSync(join(dir, 'out'))).map(({ path, bytes }) => [path, bytes.toString()]),
  );
}

test.each([
  ['of GNU tar', ['--format=gnu', 'shop']],
  ['in pax form, gzipped', ['--format=pax', '-z', 'shop']],
  ['from within', ['--format=pax', '-C', 'shop', '.']],
])('an archive %s gives the files of the checkout', (_name, flags) => {
  const files = packed(...flags);
  expect(files['product.yaml']).toBe(readFileSync(join(shop, 'product.yaml'), 'utf8'));
  expect(files[LONG]).toBe('long: name\n');
  expect(Object.keys(files).some((path) => /^entities\/[^/]+$/.test(path))).toBe(true);
});

test.each([
  ['a path upwards', [ROOT, { path: '../evil.yaml', text: 'x' }], 'leads elsewhere'],
  ['a path upwards within', [ROOT, { path: 'a/../../evil.yaml', text: 'x' }], 'leads elsewhere'],
  ['an absolute path', [ROOT, { path: '/etc/evil.yaml', text: 'x' }], 'leads elsewhere'],
  ['a backslash', [ROOT, { path: 'a\\..\\evil.yaml', text: 'x' }], 'leads elsewhere'],
  [
    'a pax path upwards',
    [ROOT, { path: 'p', kind: 'x', text: '19 path=../../evil\n' }, { path: 'b', text: 'x' }],
    'leads elsewhere',
  ],
  ['a symbolic link', [ROOT, { path: 'entities', kind: '2' }], 'no file and no directory'],
  ['a hard link', [ROOT, { path: 'entities', kind: '1' }], 'no file and no directory'],
  ['a device', [ROOT, { path: 'null', kind: '3' }], 'no file and no directory'],
  ['a file twice', [ROOT, { path: 'a', text: '1' }, { path: './a', text: '2' }], 'twice'],
  ['a size beyond its end', [ROOT, { path: 'a', text: 'x', size: 1e6 }], 'ends within a file'],
  ['a damaged pax record', [ROOT, { path: 'p', kind: 'x', text: '9999 path=x\n' }], 'damaged pax'],
  ['no product.yaml', [{ path: 'a/b/product.yaml', text: 'x' }], 'has no product.yaml'],
  ['nothing', [], 'has no product.yaml'],
])('%s is refused', (_name, entries, why) => {
  for (const archive of [tarOf(entries), tarGzOf(entries)]) expect(() => readArchive(archive)).toThrow(why);
});

test('what is no archive, or too much of one, is refused', () => {
  expect(() => readArchive(Buffer.from('<html>not found</html>'.repeat(100)))).toThrow('no tar archive');
  expect(() => readArchive(Buffer.alloc(0))).toThrow('no end');
  expect(() => readArchive(gzipSync(tarOf([ROOT])).subarray(0, 40))).toThrow('does not unzip');
  expect(() => readArchive(gzipSync(Buffer.alloc(80 * 1024 * 1024)))).toThrow('does not unzip');
  const many = Array.from({ length: 5000 }, (_, i) => ({ path: `f${i}` }));
  expect(() => readArchive(tarOf([ROOT, ...many]))).toThrow('more than 4096 files');
  const broken = tarOf([ROOT]);
  broken[3]! ^= 1;
  expect(() => readArchive(broken)).toThrow('damaged');
});
