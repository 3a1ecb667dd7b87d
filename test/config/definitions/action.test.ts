/** Action definitions: what they say, and what is wrong with file, line and column. Source: docs/contract/data-behaviour.md §2.1. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-action-'));
  write('product.yaml', 'name: atlas\n');
  write('entities/book.yaml', 'entities:\n  book:\n    fields:\n      title: { type: string }\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function problems(): string[] {
  const loaded = loadProduct(dir);
  if (!('problems' in loaded)) return [];
  return loaded.problems.map(({ file, line, column, message, mend }) => {
    expect([file.startsWith(dir), mend]).toEqual([true, expect.stringMatching(/\S/)]);
    return `${line}:${column} ${message}`;
  });
}

function actions() {
  const loaded = loadProduct(dir);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.actions!;
}

test('sections, parameters, rules and where each statement begins', () => {
  write('actions/b.yaml', 'name: b\nsections: { read: { sql: "select 1" } }\n');
  write(
    'actions/a.yaml',
    [
      'name: a',
      'description: A list',
      'entities: [book]',
      'access: { language: cel, rule: "true" }',
      'sections:',
      '  read:',
      "    params: { title: { type: string, default: x }, ids: { type: 'ulid[]', required: true } }",
      '    sql: |',
      '      select id',
      '        from book',
      '  update:',
      '    sql: ./sub/a.sql',
      '    access: { language: cel, rule: "false" }',
    ].join('\n'),
  );
  write('actions/sub/a.sql', 'update book set title = null');
  const [a, b] = actions();
  expect([a!.name, a!.entities, a!.description, b!.name, b!.entities]).toEqual(['a', ['book'], 'A list', 'b', null]);
  expect(a!.sections.read).toMatchObject({
    params: {
      title: { type: 'string', list: false, required: false, default: 'x' },
      ids: { type: 'ulid', list: true, required: true },
    },
    sql: { text: 'select id\n  from book\n', line: 9, column: 7 },
  });
  expect(a!.sections.update).toMatchObject({
    sql: { text: 'update book set title = null', file: join(dir, 'actions/sub/a.sql'), line: 1, column: 1 },
    access: { rule: 'false' },
  });
  expect(b!.sections.read!.sql).toMatchObject({ text: 'select 1', line: 2, column: 27 });
});

test.each([
  ['an unknown entity', 'entities: [boook]\nsections: { read: { sql: select 1 } }', '2:12 there is no entity "boook"'],
  ['no section', 'sections: {}', '2:11 an action has at least one section'],
  ['an unknown section', 'sections: { reed: { sql: select 1 } }', '2:13 unknown key "reed"'],
  [
    'an unknown type',
    'sections: { read: { sql: select 1, params: { a: { type: strin } } } }',
    '2:57 type must be one of',
  ],
  [
    'a default of another type',
    'sections: { read: { sql: select 1, params: { a: { type: integer, default: x } } } }',
    '2:75 the default of a must be a 64-bit integer',
  ],
  [
    'a list default that is none',
    'sections: { read: { sql: select 1, params: { a: { type: "integer[]", default: 1 } } } }',
    '2:79 the default of a must be a list',
  ],
  [
    'a name that every query string has',
    'sections: { read: { sql: select 1, params: { expression: { type: string } } } }',
    '2:58 "expression" has a meaning of its own',
  ],
  ['a file that is not there', 'sections: { read: { sql: ./none.sql } }', '2:26 cannot read'],
  ['a file outside', 'sections: { read: { sql: ../product.sql } }', '2:26 ../product.sql lies outside'],
  ['no statement', 'sections: { read: {} }', '2:13 the key "sql" is missing'],
])('%s is refused with its place', (_what, text, problem) => {
  write('actions/a.yaml', `name: a\n${text}\n`);
  expect(problems()).toEqual([expect.stringContaining(problem)]);
});

test('a name twice is refused, naming both', () => {
  for (const file of ['a', 'b']) write(`actions/${file}.yaml`, 'name: same\nsections: { read: { sql: select 1 } }\n');
  expect(problems()).toEqual([expect.stringContaining('1:7 the action "same" is declared twice')]);
});
