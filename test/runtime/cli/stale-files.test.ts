/** What a change makes a linter read again: more than it needs costs time, less would hide a fault. */
import { expect, test } from 'vitest';
import { cleanRunOf, staleFiles, type Files } from '#runtime/cli/stale-files.ts';

const IMPORTS = { '#actors/*': './actors/*', '#console/*': './console/src/*' };
const project: Files = new Map([
  ['package.json', '{}'],
  ['actors/a.ts', 'export const a = 1;'],
  ['actors/b.ts', "import { a } from './a.ts';\nexport const b = a;"],
  ['actors/room/c.ts', "import type { b } from '#actors/b.ts';\nexport type C = typeof b;"],
  ['actors/far.ts', "export const far = () => import('./room/c.ts');"],
  ['actors/apart.ts', 'export const apart = 1;'],
  ['client/index.ts', "export * from './call.ts';"],
  ['client/call.ts', 'export const call = 1;'],
  ['console/src/page.tsx', "import { call } from '@skep/client';\nexport { call };"],
  ['console/src/main.ts', "import { call } from './page';\ncall;"],
  ['test/page.test.ts', "import '#console/main.ts';"],
  ['config/names.json', '[]'],
  ['config/names.ts', "import names from './names.json' with { type: 'json' };"],
]);
const before = cleanRunOf(project);
const changed = (changes: Readonly<Record<string, string | null>>) => {
  const files = new Map(project);
  for (const [path, text] of Object.entries(changes))
    if (text === null) files.delete(path);
    else files.set(path, text);
  return staleFiles(files, before, IMPORTS);
};

test('without a clean run all files are read, and after one nothing is', () => {
  expect(staleFiles(project, null, IMPORTS)).toBe('all');
  expect(changed({})).toEqual([]);
});

test('a file that changes is read with all that import it, near and far, by any spelling', () => {
  expect(changed({ 'actors/apart.ts': 'export const apart = 2;' })).toEqual(['actors/apart.ts']);
  expect(changed({ 'actors/a.ts': 'export const a = 2;' })).toEqual([
    'actors/a.ts',
    'actors/b.ts',
    'actors/far.ts',
    'actors/room/c.ts',
  ]);
  expect(changed({ 'client/call.ts': 'export const call = 2;' })).toEqual([
    'client/call.ts',
    'client/index.ts',
    'console/src/main.ts',
    'console/src/page.tsx',
    'test/page.test.ts',
  ]);
  expect(changed({ 'config/names.json': '["a"]' })).toEqual(['config/names.json', 'config/names.ts']);
});

test('a new file is read, also by those that named it before it was there, and importers of one that is gone', () => {
  expect(changed({ 'actors/new.ts': "import './a.ts';" })).toEqual(['actors/new.ts']);
  expect(changed({ 'actors/room/c.ts': null })).toEqual(['actors/far.ts']);
  const gone = new Map([...project].filter(([path]) => path !== 'actors/a.ts'));
  expect(staleFiles(project, cleanRunOf(gone), IMPORTS)).toContain('actors/room/c.ts');
});

test('a circle of imports ends', () => {
  const circle = { 'actors/a.ts': "import './far.ts';" };
  expect(changed(circle)).toEqual(['actors/a.ts', 'actors/b.ts', 'actors/far.ts', 'actors/room/c.ts']);
});

test.each(['package.json', 'package-lock.json', 'console/tsconfig.json', '.oxlintrc.json', 'config/names.d.ts'])(
  '%s decides for all files',
  (path) => {
    expect(changed({ [path]: '{"a":1}' })).toBe('all');
  },
);
