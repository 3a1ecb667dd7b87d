/** `content/stores/stores.yaml`. Source: docs/contract/content.md §3.1. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readContentStores } from '#config/definitions/content/stores.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-stores-'));
  mkdirSync(dir, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function told(text: string): string[] {
  writeFileSync(join(dir, 'stores.yaml'), text);
  return readContentStores(dir).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test('stores with their defaults; none where there is no file', () => {
  expect(readContentStores(join(dir, 'gone'))).toEqual({ stores: [], problems: [], tree: null });
  expect(told('contentstores:\n  - { name: media, type: native }\n')).toEqual([]);
  expect(readContentStores(dir).stores).toEqual([
    { name: 'media', type: 'native', active: true, index: 'database', access: {}, images: {} },
  ]);
});

test.each([
  ['stores: []\n', ['1:1 unknown key "stores"', '1:1 the key "contentstores" is missing']],
  [
    'contentstores:\n  - { name: Media, type: native }\n',
    ['2:13 name must be a name of lower-case letters, digits, _ and -, not "Media"'],
  ],
  ['contentstores:\n  - { name: a, type: n, index: disk }\n', ['2:32 index must be one of database, fs, not "disk"']],
  [
    'contentstores:\n  - { name: a, type: n }\n  - { name: a, type: n }\n',
    ['3:13 the content store "a" is declared twice'],
  ],
])('%j is refused', (text, expected) => expect(told(text).sort()).toEqual([...expected].sort()));

test('a .yml file is reported', () => {
  writeFileSync(join(dir, 'stores.yml'), '');
  expect(readContentStores(dir).problems).toMatchObject([{ message: 'only .yaml files are read' }]);
});
