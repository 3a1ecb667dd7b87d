import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileKinds, type FileKind } from '#config/file-kinds.ts';
import { keysOf } from '#config/schema-walk.ts';
import { definitionFiles } from '#runtime/describe/definition-pages.ts';
import { ROOT } from '#runtime/place.ts';

const files = definitionFiles();
const page = (name: string) => files.get(`docs/reference/definitions/${name}.md`)!;
const row = (name: string, key: string) =>
  page(name)
    .split('\n')
    .find((line) => line.startsWith(`| \`${key}\` |`));

test('a key says what it is for, what it takes, its default or that it must be there, and an example', () => {
  expect(row('entity', 'entities.<name>.fields.<name>.type')).toMatch(
    /\| what the field holds \| one of string, text, .* \| \*required\* \| `string` \|$/,
  );
  expect(row('bff', 'calls.<name>.method')).toBe(
    '| `calls.<name>.method` | the method of the call | one of GET, POST, PUT, PATCH, DELETE | `GET` | `GET` |',
  );
});

test('a rule is one row, and a value of any type is no map', () => {
  expect(row('entity', 'entities.<name>.access.read')).toContain('| a rule |');
  expect(row('entity', 'entities.<name>.access.read.rule')).toBeUndefined();
  expect(row('entity', 'entities.<name>.fields.<name>.default')).toContain('| a value |');
});

const kinds = Object.entries(fileKinds) as [string, FileKind][];

test.each(kinds)('every key of %s says what it is for', (_name, kind) => {
  const named = keysOf(kind.schema).filter(({ path }) => path.at(-1) !== '[]' && path.at(-1) !== '<name>');
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ about }) => about === undefined).map(({ path }) => path.join('.'))).toEqual([]);
});

test('the index leads to a page and a schema of each kind, and names its files', () => {
  for (const [name, { files: globs }] of kinds) {
    expect(files.has(`docs/schemas/${name}.schema.json`)).toBe(true);
    const line = page('README')
      .split('\n')
      .find((text) => text.includes(`schemas/${name}.schema.json`))!;
    expect(line).toContain(`(${name === 'platform' ? '../platform-file' : name}.md)`);
    for (const glob of globs) expect(line).toContain(`\`${glob}\``);
  }
});

test('the settings of docs/how-to/editor.md have each kind with its globs', () => {
  const [, json] = /```json\n([^]*?)\n```/.exec(readFileSync(`${ROOT}docs/how-to/editor.md`, 'utf8'))!;
  const { 'yaml.schemas': said } = JSON.parse(json!) as { 'yaml.schemas': Record<string, string | string[]> };
  const written = Object.entries(said).map(([path, globs]) => [
    /(\w[\w-]*)\.schema\.json$/.exec(path)![1],
    [globs].flat(),
  ]);
  expect(written).toEqual(kinds.map(([name, { files: globs }]) => [name, globs]));
});
