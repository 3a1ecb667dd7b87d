/** Chunks that programs have alike are one file in the package. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { shareChunks } from '#runtime/cli/share-chunks.ts';

function folder(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-chunks-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

test('one file stays of those with the same bytes, and every program finds it', async () => {
  const dir = folder({
    'one.worker.js': "export const got = (await import('./one.worker-dist-A_b-34F8.js')).value;",
    'skep.js': 'import { value } from `./skep-dist-A_b-34F8.js`;'.replaceAll('`', '"') + 'export const got = value;',
    'skep-more-parts-00000000.js': 'export const later = () => import(`./skep-dist-A_b-34F8.js`);',
    'one.worker-dist-A_b-34F8.js': 'export const value = 7;',
    'skep-dist-A_b-34F8.js': 'export const value = 7;',
    'skep-dist-11111111.js': 'export const value = 8;',
  });
  shareChunks(dir);
  expect(readdirSync(dir).filter((name) => name.endsWith('.js'))).toEqual([
    'one.worker.js',
    'shared-dist-A_b-34F8.js',
    'skep-dist-11111111.js',
    'skep-more-parts-00000000.js',
    'skep.js',
  ]);
  const load = (name: string) => import(pathToFileURL(join(dir, name)).href) as Promise<Record<string, unknown>>;
  expect(await load('one.worker.js')).toMatchObject({ got: 7 });
  expect(await load('skep.js')).toMatchObject({ got: 7 });
  const { later } = (await load('skep-more-parts-00000000.js')) as { later: () => Promise<object> };
  expect(await later()).toMatchObject({ value: 7 });
});

test('files that are like no other stay as they are', () => {
  const files = { 'a.js': 'import "./a-b-12345678.js";', 'a-b-12345678.js': '1', 'b.js': '2', 'c.js': '2' };
  const dir = folder(files);
  shareChunks(dir);
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(dir, name), 'utf8')).toBe(text);
});
