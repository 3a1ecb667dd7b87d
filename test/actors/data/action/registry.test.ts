/** Actions as they are compiled and listed: docs/contract/data-admin.md §8.1, docs/contract/data-behaviour.md §2.4. */
import { beforeAll, describe, expect, test } from 'vitest';
import { callAction, callEntityAction } from '#actors/data/action/call-action.ts';
import { actionSteps, listActions } from '#actors/data/action/registry.ts';
import { atOnce } from '#actors/kit/pace/steps.ts';
import { DATA, partOf, wakeActions } from '#actors/data/part.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import type { ActionDefinition, ActionSectionDefinition, ProductDefinition } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';

const BOOK = entityOf('book', { title: { type: 'string' }, pages: { type: 'integer' } });
const rule = (text: string) => ({ language: 'cel' as const, rule: text, where: 'actions/a.yaml:2:2' });

const section = (text: string, more: Partial<ActionSectionDefinition> = {}): ActionSectionDefinition => ({
  params: {},
  sql: { text, file: 'actions/a.yaml', line: 5, column: 7 },
  where: 'actions/a.yaml:4:3',
  ...more,
});

const actionOf = (
  name: string,
  sections: ActionDefinition['sections'],
  more: Partial<ActionDefinition> = {},
): ActionDefinition => ({ name, description: '', entities: null, sections, where: 'actions/a.yaml:1:1', ...more });

const withActions = (...actions: ActionDefinition[]): ProductDefinition => ({ ...productOf([BOOK]), actions });

function compile(...actions: ActionDefinition[]) {
  return atOnce(actionSteps(withActions(...actions)));
}

beforeAll(() => loadSqlParser());

describe('what is refused at load, with file, line and column', () => {
  test.each<[string, ActionDefinition, RegExp]>([
    [
      'a table that is not there',
      actionOf('a', { read: section('select id from boook') }),
      /^actions\/a\.yaml:5:22: .*boook/,
    ],
    [
      'a column that is not there',
      actionOf('a', { read: section('select id,\n titel from book') }),
      /^actions\/a\.yaml:6:8: .*titel/,
    ],
    ['what does not parse', actionOf('a', { read: section('selec id from book') }), /^actions\/a\.yaml:5:7: /],
    [
      'two statements',
      actionOf('a', { read: section('select id from book; delete from book') }),
      /^actions\/a\.yaml:5:/,
    ],
    [
      'a parameter that is not declared',
      actionOf('a', { read: section('select id from book where title = :tytle') }),
      /^actions\/a\.yaml:4:3: .*:tytle, which params does not declare/,
    ],
    [
      'a read section that writes',
      actionOf('a', { read: section('delete from book') }),
      /the read section of a writes/,
    ],
    [
      'a rule over a row',
      actionOf('a', { read: section('select id from book') }, { access: rule('row.title == "x"') }),
      /^actions\/a\.yaml:2:2: .*may not use row/,
    ],
    [
      'a rule that does not compile',
      actionOf('a', { read: section('select id from book', { access: rule('principal.') }) }),
      /^actions\/a\.yaml:2:2: /,
    ],
  ])('%s', (_what, definition, message) => {
    expect(() => compile(definition)).toThrow(message);
  });
});

test('the catalogue: one entry each, sorted as they were loaded, never a statement', () => {
  const params = { title: { type: 'string', list: false, required: true, default: undefined } } as const;
  const actions = compile(
    actionOf(
      'a',
      {
        read: section('select id, title from book where title = :title', { params }),
        update: section('update book set pages = 1', { access: rule('true') }),
      },
      { access: rule('true'), description: 'Books', entities: ['book'] },
    ),
    actionOf('b', { delete: section('delete from book') }),
  );
  const entries = listActions(actions);
  expect(entries).toEqual([
    {
      name: 'a',
      description: 'Books',
      entities: ['book'],
      source: 'product',
      methods: ['GET', 'PUT', 'PATCH'],
      has_access: true,
      sections: {
        read: { param_count: 1, returning: ['id', 'title'], access_override: false },
        update: { param_count: 0, returning: [], access_override: true },
      },
    },
    {
      name: 'b',
      description: '',
      entities: ['book'],
      source: 'product',
      methods: ['DELETE'],
      has_access: false,
      sections: { delete: { param_count: 0, returning: [], access_override: false } },
    },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/select|from/);
});

test('where the parser cannot be loaded: 500 v2.registry_unavailable by the alias, 500 v2.action_failed by name', async () => {
  const said: string[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (_: object, text: string) => void said.push(text),
  };
  const activation = {
    context: { log },
    product: withActions(),
  } as never;
  DATA.set(activation, { actions: new Map() } as never);
  await wakeActions(activation, () => Promise.reject(new Error('no memory')));
  expect([partOf(activation).actions, said]).toEqual([
    null,
    ['the SQL parser could not be loaded: actions and views are not served'],
  ]);
  const call = { activation, param: () => 'x', method: 'POST' } as unknown as Call;
  expect(callEntityAction(call)).toMatchObject({ status: 500, code: 'v2.registry_unavailable' });
  expect(callAction(call)).toMatchObject({ status: 500, code: 'v2.action_failed' });
});
