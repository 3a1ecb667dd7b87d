/** Stateflow definitions: what they say, and what is wrong with file, line and column. Source: docs/contract/data-behaviour.md §1.1. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';

const ENTITY = `entities:
  order:
    fields:
      status: { type: string, required: true, max_length: 10 }
      kind: { type: enum, enum: [a, b] }
      total: { type: integer }
      hidden: { type: string, mask: full }
      taken: { type: string, default: old }
`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-stateflow-'));
  write('product.yaml', 'name: atlas\n');
  write('entities/order.yaml', ENTITY.replace('mask: full', `mask: ${MASK}`));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const MASK = 'redact';

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function product(): ProductDefinition {
  const loaded = loadProduct(dir);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product;
}

function problems(): string[] {
  const loaded = loadProduct(dir);
  if (!('problems' in loaded)) return [];
  return loaded.problems.map(({ file, line, column, message, mend }) => {
    expect([file.startsWith(dir), mend]).toEqual([true, expect.stringMatching(/\S/)]);
    return `${line}:${column} ${message}`;
  });
}

/** A stateflow on `status`, one line per key; a state or an event more where the test says so. */
const flow = (changes: Readonly<Record<string, string>> = {}): string =>
  Object.entries({
    name: 'lending',
    entity: 'order',
    field: 'status',
    initial: 'draft',
    states: '{ draft: { events: { go: { target: done } } }, done: { type: final } }',
    ...changes,
  })
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');

describe('what it says', () => {
  test('scripts of events and states, in place or in a file beside', () => {
    write('stateflows/go.js', 'row.total = 1;');
    const states =
      '{ draft: { exit: "row.a = 1;", events: { go: { target: done, actions: ./go.js } } }, done: { entry: "return;" } }';
    write('stateflows/a.yaml', flow({ states }));
    expect(product().stateflows![0]!.states).toMatchObject({
      draft: { exit: 'row.a = 1;', events: { go: { actions: 'row.total = 1;' } } },
      done: { entry: 'return;' },
    });
  });

  test('states, events, guards in both spellings with their place; a state may have nothing', () => {
    write(
      'stateflows/a.yaml',
      flow({
        states:
          '{ draft: { events: { go: { target: done, guard: "row.total > 0" }, no: { target: Not Done, guard: { language: cel, rule: "true" } } } }, done: { type: final }, Not Done: }',
      }),
    );
    const line = readFileSync(join(dir, 'stateflows/a.yaml'), 'utf8').split('\n')[4]!;
    const at = (text: string): string => `${join(dir, 'stateflows/a.yaml')}:5:${line.indexOf(text) + 1}`;
    expect(product().stateflows).toEqual([
      {
        name: 'lending',
        entity: 'order',
        field: 'status',
        scriptsAt: {},
        initial: 'draft',
        where: `${join(dir, 'stateflows/a.yaml')}:1:1`,
        states: {
          draft: {
            events: {
              go: { target: 'done', guard: { language: 'cel', rule: 'row.total > 0', where: at('guard: "') } },
              no: { target: 'Not Done', guard: { language: 'cel', rule: 'true', where: at('rule:') } },
            },
          },
          done: { type: 'final', events: {} },
          'Not Done': { events: {} },
        },
      },
    ]);
  });

  test('the initial state is the default of its field; stateflows come by name', () => {
    write('stateflows/a.yaml', flow({ name: 'z' }));
    write('stateflows/b.yaml', flow({ name: 'a', field: 'kind', initial: 'b', states: '{ a: {}, b: {} }' }));
    expect(product().stateflows?.map(({ name }) => name)).toEqual(['a', 'z']);
    expect(product().entities['order']?.fields).toMatchObject({
      status: { default: 'draft' },
      kind: { default: 'b' },
      total: { type: 'integer' },
    });
  });
});

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['an entity that is not there', { entity: 'ordr' }, ['2:9 there is no entity "ordr"']],
  ['a field that is not there', { field: 'statu' }, ['3:8 order has no field "statu"']],
  ['the key', { field: 'id' }, ['3:8 the key cannot be governed']],
  ['a field of another type', { field: 'total' }, ['3:8 a field of type integer cannot hold states']],
  ['a masked field', { field: 'hidden' }, ['3:8 a masked field cannot hold states: rejections would show them']],
  ['a field with another default', { field: 'taken' }, ['4:10 the default of order.taken is another']],
  [
    'states that the field does not take',
    { field: 'kind' },
    [
      '5:11 order.kind cannot hold "draft": it must be one of a, b',
      '5:56 order.kind cannot hold "done": it must be one of a, b',
    ],
  ],
  [
    'a state that is too long for its field',
    { states: '{ draft: {}, very long state: {} }' },
    ['5:22 order.status cannot hold "very long state": it must have at most 10 characters'],
  ],
  ['an initial state that is not there', { initial: 'drft' }, ['4:10 there is no state "drft"']],
  [
    'a target that is not there',
    { states: '{ draft: { events: { go: { target: dne } } }, done: {} }' },
    ['5:44 there is no state "dne"'],
  ],
  [
    'events of a final state',
    { states: '{ draft: { type: final, events: { go: { target: draft } } } }' },
    ['5:33 "draft" is final and cannot have events'],
  ],
  ['an unknown key', { start: 'draft' }, ['6:1 unknown key "start"']],
  ['an unknown type', { states: '{ draft: { type: end } }' }, ['5:26 type must be one of final, not "end"']],
  ['a bad name of a state', { states: '{ draft: {}, _x: {} }' }, ['5:22 "_x" is not a valid name here']],
  [
    'a guard that is no text',
    { states: '{ draft: { events: { go: { target: draft, guard: true } } } }' },
    ['5:58 guard must be a CEL expression, not true'],
  ],
  [
    'scripts that are none',
    { states: '{ draft: { entry: 5, exit: 7, events: { go: { target: draft, actions: true } } } }' },
    [
      '5:27 entry must be a script, or the name of a .js file beside this one, not 5',
      '5:36 exit must be a script, or the name of a .js file beside this one, not 7',
      '5:79 actions must be a script, or the name of a .js file beside this one, not true',
    ],
  ],
  [
    'files of scripts that are not there or lie outside',
    { states: '{ draft: { entry: ../product.js, events: { go: { target: draft, actions: ./none.js } } } }' },
    ['5:27 ../product.js lies outside', expect.stringContaining('cannot read')],
  ],
])('refused: %s', (_name, changes, expected) => {
  write('stateflows/a.yaml', flow(changes));
  expect(problems()).toEqual(expected);
});

test('refused: two of one name, two on one field, a .yml file', () => {
  write('stateflows/a.yaml', flow());
  write('stateflows/b.yaml', flow());
  write('stateflows/c.yml', flow());
  expect(problems()).toEqual([
    '1:7 the stateflow "lending" is declared twice',
    '3:8 order.status is governed already, by "lending"',
    '0:0 only .yaml files are read',
  ]);
});

test('a faulty entity says nothing of its stateflow: its own faults come first', () => {
  write('entities/order.yaml', 'entities:\n  order:\n    fields:\n      status: { type: strin }\n');
  write('stateflows/a.yaml', flow());
  expect(problems()).toEqual(['4:23 type must be one of ' + FIELD_TYPES + ', not "strin"']);
});

const FIELD_TYPES =
  'string, text, integer, number, decimal, boolean, date, datetime, ulid, uuid, json, enum, ref, file, bytes';
