/** View definitions: what they may say, and what is wrong, with file, line and column. Source: docs/contract/data-definitions.md §1.12. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { definitionFaults } from '#actors/data/definition-faults.ts';
import { productFaults } from '#runtime/product-faults.ts';
import { faultText } from '#actors/kit/part-fault.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-view-'));
  write('product.yaml', 'name: atlas\n');
  write(
    'entities/a.yaml',
    'entities:\n  ticket: { fields: { title: { type: string }, cost: { type: integer }, at: { type: datetime }, note: { type: json } } }\n',
  );
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function product(): ProductDefinition {
  const loaded = loadProduct(dir, {});
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product;
}

function problems(): string[] {
  const loaded = loadProduct(dir, {});
  return 'problems' in loaded ? loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
}

/** Faults of the statement, as `skep check` shows them, without the folder. */
async function faults(columns: string, sql: string): Promise<string[]> {
  write('views/v.yaml', `columns: { ${columns} }\nsql: |\n  ${sql}\n`);
  return (await definitionFaults(product())).map((fault) => faultText(fault).replace(`${dir}/views/`, ''));
}

describe('the file', () => {
  test('columns in their order with the key first, statement, rules, the name of the file', () => {
    write('views/top.sql', 'select id, title from ticket');
    write(
      'views/top.yaml',
      "columns: { title: string, id: ulid }\nsql: ./top.sql\naccess: { read: { language: cel, rule: 'true' } }\nrow_rule: { language: cel, rule: row.title != '' }\n",
    );
    const [view] = product().views!;
    expect(view).toMatchObject({
      name: 'top',
      fields: { id: { type: 'ulid' }, title: { type: 'string' } },
      access: { read: { rule: 'true', where: expect.stringContaining('top.yaml:3:34') } },
      row_rule: { rule: "row.title != ''" },
      view: { text: 'select id, title from ticket', line: 1, column: 1 },
    });
    expect(Object.keys(view!.fields)).toEqual(['id', 'title']);
  });

  test.each([
    ['ticket.yaml', 'columns: { id: ulid }\nsql: select id from ticket\n', '0:0 "ticket" is an entity already'],
    [
      'api_key.yaml',
      'columns: { id: ulid }\nsql: select id from ticket\n',
      '0:0 "api_key" is an entity of the platform',
    ],
    ['Top.yaml', 'columns: { id: ulid }\nsql: select id from ticket\n', '0:0 "Top" is no name of a view'],
    [
      'v.yaml',
      'columns: { title: string }\nsql: select title from ticket\n',
      '1:10 a view needs the column id, which names a row',
    ],
    ['v.yaml', 'columns: { id: boolean }\nsql: select true as id\n', '1:16 the key cannot be of type boolean'],
    ['v.yaml', 'columns: { id: ulid, constructor: string }\nsql: select 1\n', '1:35 "constructor" is a reserved name'],
    ['v.yaml', 'columns: { id: ulid, x: file }\nsql: select 1\n', expect.stringMatching(/^1:25 .*file/)],
    ['v.yaml', 'columns: { id: ulid }\nsql: ./none.sql\n', expect.stringMatching(/^2:6 cannot read /)],
    [
      'v.yaml',
      'columns: { id: ulid }\nsql: select 1\naccess: { create: {} }\n',
      expect.stringMatching(/^3:11 .*create/),
    ],
  ])('%s: %j is refused', (file, text, problem) => {
    write(`views/${file}`, text);
    expect(problems()).toEqual([problem]);
  });

  test('there are no more than the bound', () => {
    for (let n = 0; n <= limits.sql.viewsMax; n++)
      write(`views/v${n}.yaml`, 'columns: { id: ulid }\nsql: select id from ticket\n');
    expect(problems()).toEqual([`0:0 more than ${limits.sql.viewsMax} views`]);
  });
});

describe('the statement, against the columns', () => {
  test.each([
    ['id: ulid, title: string', 'select id, title from ticket'],
    ['id: string, n: integer', 'select title as id, sum(cost) as n from ticket group by title'],
    [
      'id: string, n: decimal, m: number',
      'select title as id, count(*) as n, avg(cost) as m from ticket group by title',
    ],
    ['id: string, all: json, note: json', 'select id, array_agg(title) as "all", note from ticket group by id'],
  ])('%s fits %s', async (columns, sql) => {
    expect(await faults(columns, sql)).toEqual([]);
  });

  test.each([
    ['id: ulid', 'select id from tickets', 'v.yaml:3:18: there is no entity tickets; did you mean "ticket"?'],
    ['id: ulid', 'select ids from ticket', 'v.yaml:3:10: there is no column ids; did you mean "id"?'],
    ['id: ulid', 'select id from v', 'v.yaml:3:18: there is no entity v; '],
    [
      'id: ulid',
      'delete from ticket returning id',
      'v.yaml:3:3: the statement of the view v writes; a view is a select',
    ],
    [
      'id: ulid',
      'select id from ticket where cost > :n',
      'v.yaml:3:3: :n is a parameter, and a view takes none; callers filter its columns',
    ],
    ['id: ulid, name: string', 'select id, title from ticket', 'v.yaml:1:1: the statement of v gives no column name; '],
    [
      'id: ulid',
      'select id, title from ticket',
      'v.yaml:1:1: the statement of v gives title, which columns does not declare; add it or leave it out',
    ],
    [
      'id: ulid, at: date',
      'select id, at from ticket',
      'v.yaml:1:1: at is declared as date, and the statement gives timestamp; change the type or cast it',
    ],
    [
      'id: ulid',
      'select title as id from ticket',
      'v.yaml:1:1: id is declared as ulid, and the statement gives text; change the type or cast it',
    ],
    [
      'id: ulid, n: integer',
      'select id, cost * 0.5 as n from ticket',
      'v.yaml:1:1: n is declared as integer, and the statement gives numeric; change the type or cast it',
    ],
  ])('%s does not fit %s', async (columns, sql, fault) => {
    expect(await faults(columns, sql)).toEqual([expect.stringContaining(fault)]);
  });

  test('a rule that names no column is found', async () => {
    write(
      'views/v.yaml',
      "columns: { id: ulid }\nsql: select id from ticket\nrow_rule: { language: cel, rule: row.title == 'x' }\n",
    );
    expect((await productFaults(product())).map(faultText)).toEqual([expect.stringContaining('title')]);
  });
});
