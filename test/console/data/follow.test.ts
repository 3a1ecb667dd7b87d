import { expect, test } from 'vitest';
import { followedOf, merged, unseen } from '#console/data/follow.ts';
import type { Condition } from '#console/data/view.ts';

const field = (name: string, type: string) => ({ name, type, required: false, nullable: true, read_only: false });
const ticket = {
  name: 'ticket',
  primary_key: 'id',
  traits: [],
  changes: true,
  operations: ['read'],
  fields: [field('id', 'string'), field('priority', 'integer'), field('owner', 'string')],
  relations: [{ name: 'holder', kind: 'one', entity: 'person', field: 'owner' }],
} as const;
const of = (...conditions: readonly Condition[]) => followedOf(ticket, { conditions, deleted: false });

test('conditions are those of the list, with values of their types', () => {
  expect(of()).toEqual({});
  expect(of({ field: 'priority', op: 'gte', value: '2' }, { field: 'owner', op: 'null', value: 'false' })).toEqual({
    AND: [{ priority: { gte: 2 } }, { owner: { null: false } }],
  });
});

test('what is not followed is said so', () => {
  expect(followedOf({ ...ticket, changes: false }, { conditions: [], deleted: false })).toBeNull();
  expect(followedOf(ticket, { conditions: [], deleted: true })).toBeNull();
  expect(of({ field: '[owner.name]', op: 'eq', value: 'x' })).toBeNull();
  expect(of({ field: 'priority', op: 'in', value: '1,2' })).toBeNull();
});

test('a row that is told of has its new values, and no name of what it referred to before', () => {
  const shown = { id: '1', priority: 1, owner: 'a', holder: { name: 'Ada' } };
  expect(merged(ticket, shown, { id: '1', priority: 2, owner: 'a', more: 1 })).toEqual({ ...shown, priority: 2 });
  expect(merged(ticket, shown, { id: '1', priority: 1, owner: 'b' })).toEqual({ id: '1', priority: 1, owner: 'b' });
});

test('rows that came and are shown, or went and are not, are no news', () => {
  const told = new Map([
    ['1', 'came'],
    ['2', 'came'],
    ['3', 'went'],
    ['4', 'went'],
  ] as const);
  expect(unseen(told, (id) => ['1', '3'].includes(id))).toBe(2);
});
