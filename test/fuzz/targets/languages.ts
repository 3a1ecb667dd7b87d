/** What definitions and callers write in languages of their own: rules, jq, SQL, patterns. Each ends by an answer, by its declared fault, or where its fuel does. */
import { readFileSync } from 'node:fs';
import type { Json } from '#actors/kit/jq/value.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must, unless } from './must.ts';

const SCOPE = {
  principal: { subject: 'u1', roles: ['editor'], superadmin: false },
  row: { name: 'Ada', age: 36, tags: ['a', 'b'], owner: 'u1', data: { x: [1, 2] } },
  request: { method: 'GET', operation: 'read', entity: 'item', id: null, data: { name: 'B' } },
  now: new Date(0),
};

export async function ruleTarget(): Promise<Target> {
  const { compileRule, DefinitionError } = await import('#actors/kit/rule.ts');
  const { fuelled, OutOfFuel } = await import('#actors/kit/pace/fuel.ts');
  const { limits } = await import('#config/limits.ts');
  const told: string[] = [];
  return {
    name: 'rule',
    costs: 3,
    form: 'text',
    covers: ['/actors/kit/rule', '/actors/kit/pattern.ts', '/node_modules/@marcbachmann/cel-js/'],
    seeds: [
      "'librarian' in principal.roles || row.owner == principal.subject",
      'row.tags.exists(t, t.startsWith("a")) && row.age >= 18 ? true : request.data.name.matches("^[a-z]+$")',
      'has(row.data) && row.data.x.map(i, i * 2).all(i, i < 10)',
      'timestamp("2026-01-01T00:00:00Z") < now && duration("1h") > duration("1m") && size(row.name) == 3',
      'cel.bind(x, row.tags.filter(t, t != "a"), x.size() > 0) && type(row.age) == int',
      'optional.of(row.name).orValue("x").contains("A") && [1, 2.5, 3u, b"x", {"k": null}] != []',
    ],
    words: [
      'row.',
      'principal.',
      'request.data.',
      'now',
      '&&',
      '||',
      '!',
      'in',
      '?',
      ':',
      '.exists(x, ',
      '.all(',
      '.map(',
      'size(',
      '.matches("',
      '"""',
      'r"',
      'b"\\xff"',
      '0x',
      '1u',
      '-',
      '[',
      ']',
      '(',
      ')',
      '{',
      '}',
      'int(',
      'string(',
      'double(',
      'dyn(',
      '9223372036854775808',
    ],
    bytesMax: 2000,
    stepsMax: linear(3_000_000, 3000),
    run: (input) => {
      const source = input.toString();
      const rule = unless(
        (error) => error instanceof DefinitionError,
        () => compileRule(source, 'entities/x.yaml:1:1'),
      );
      if (rule === undefined) return;
      const isDry = (error: unknown): boolean => error instanceof OutOfFuel;
      const said = unless(isDry, () =>
        fuelled(limits.host.turnUnits, () => rule.allows(SCOPE, ({ why }) => void (told[0] = why))),
      );
      must(said === undefined || typeof said === 'boolean', `it says ${String(said)}`);
    },
  };
}

const JQ_INPUT: Json = {
  data: [
    { name: 'a', price: 1.5, tags: ['x', 'y'] },
    { name: 'b', price: null },
  ],
  count: 2,
  text: 'a,b c',
};
const FUEL = 100_000;

export async function jqTarget(): Promise<Target> {
  const { Program } = await import('#actors/kit/jq/program.ts');
  const { Unsure } = await import('#actors/kit/jq/faults.ts');
  const { OutOfFuel } = await import('#actors/kit/pace/fuel.ts');
  const manual = readFileSync(new URL('../../actors/kit/jq/manual.tsv', import.meta.url), 'utf8');
  const programs = manual.split('\n').map((line) => line.split('\t')[0]!);
  return {
    name: 'jq',
    costs: 3,
    form: 'text',
    covers: ['/actors/kit/jq/'],
    seeds: programs.filter((program, at) => program !== '' && at % 12 === 0),
    words: [
      '.',
      '..',
      '|',
      ',',
      '[]',
      '?',
      '//',
      'try',
      'catch',
      'reduce',
      'foreach',
      'as $x',
      '$x',
      'def f: ',
      ';',
      'if',
      'then',
      'else',
      'end',
      'label $out',
      'break $out',
      '@base64',
      '"\\(',
      ')"',
      'limit(',
      'range(',
      'recurse',
      'env',
      'input',
      'test("',
      'sub("',
      '1e1000',
      'nan',
      'infinite',
      '?//',
    ],
    bytesMax: 2000,
    stepsMax: linear(1_500_000, 3000),
    run: (input) => {
      const isDeclared = (error: unknown): boolean => error instanceof Unsure || error instanceof OutOfFuel;
      const program = unless(isDeclared, () => Program.compile(input.toString()));
      const answer = program && unless(isDeclared, () => program.answer(JQ_INPUT, FUEL));
      if (answer?.kind === 'body') void JSON.parse(answer.text);
    },
  };
}

export async function sqlTarget(): Promise<Target> {
  const { loadSqlParser } = await import('#actors/engine/sql/load.ts');
  const { compileSql } = await import('#actors/engine/sql/compile.ts');
  const { SqlDefinitionError } = await import('#actors/engine/sql/place.ts');
  const { declaredTables } = await import('#actors/engine/sql/schema.ts');
  const { entityOf, productOf } = await import('#test/kit/data-call.ts');
  await loadSqlParser();
  const schema = declaredTables(
    productOf([
      entityOf('purchase', {
        id: { type: 'integer' },
        customer_id: { type: 'integer' },
        amount: { type: 'decimal' },
        at: { type: 'datetime' },
        note: { type: 'string' },
      }),
      entityOf('customer', {
        id: { type: 'integer' },
        name: { type: 'string' },
        vip: { type: 'boolean' },
        born: { type: 'date' },
      }),
    ]),
  );
  return {
    name: 'sql',
    costs: 3,
    form: 'text',
    covers: ['/actors/engine/sql/'],
    seeds: [
      'select id, amount from purchase where customer_id = :c and amount > 1.5 order by at desc limit 10 offset 2',
      'select c.name, sum(p.amount) as total, count(*) from purchase p join customer c on c.id = p.customer_id group by c.name having sum(p.amount) > :least',
      "with big as (select * from purchase where amount > 100) select case when note is null then 'none' else upper(note) end from big union all select name from customer",
      'insert into customer (id, name, vip) values (:id, :name, true) on conflict (id) do update set name = excluded.name returning *',
      "update purchase set amount = amount * 2, note = note || '!' where id in (select id from purchase where at < now()) returning id",
      'delete from customer where not exists (select 1 from purchase p where p.customer_id = customer.id) and born between :a and :b',
      "select row_number() over (partition by customer_id order by at), coalesce(note, 'x'), cast(amount as text), extract(year from at) from purchase",
      "select name from customer where name like 'a%' or name ilike any(:names) and vip is not true",
    ],
    words: [
      'select',
      'from',
      'where',
      'and',
      'or',
      'not',
      'in',
      'null',
      '(',
      ')',
      ',',
      '*',
      ':x',
      '::int',
      '$1',
      "''",
      '"',
      '$$',
      '--',
      '/*',
      '*/',
      ';',
      'lateral',
      'array[',
      ']',
      'distinct on',
      'over',
      'interval',
      'recursive',
      'values',
      'purchase',
      'customer',
      'pg_sleep(1)',
      '1e400',
      "e'\\x'",
      'u&"',
    ],
    bytesMax: 4096,
    stepsMax: linear(60_000, 600),
    run: (input) => {
      const isDeclared = (error: unknown): boolean => error instanceof SqlDefinitionError;
      const compiled = unless(isDeclared, () =>
        compileSql(input.toString(), schema, { file: 'a', line: 1, column: 1 }),
      );
      if (compiled !== undefined)
        must(
          compiled.entities.every((name) => schema.names.includes(name)),
          'another entity',
        );
    },
  };
}
