/** What several roles of one person let that person do together. */
import { expect, test } from 'vitest';
import { matrixOf } from '#console/people/may.ts';
import type { RoleUse } from '#console/people/shapes.ts';

const role = (name: string, entities: RoleUse['entities']): RoleUse => ({
  role: name,
  origin: 'catalogue',
  about: null,
  entities,
  fields: [],
  runs: [],
});

test('a grant counts more than a rule, entities are in order, operations in their usual one', () => {
  const { operations, rows } = matrixOf([
    role('clerk', [{ entity: 'ticket', granted: ['update'], ruled: ['read', 'purge'] }]),
    role('agent', [
      { entity: 'ticket', granted: ['read'], ruled: ['update'] },
      { entity: 'note', granted: [], ruled: ['create'] },
    ]),
  ]);
  expect(operations).toEqual(['read', 'create', 'update', 'purge']);
  expect(rows.map(({ entity, may }) => [entity, Object.fromEntries(may)])).toEqual([
    ['note', { create: 'ruled' }],
    ['ticket', { read: 'granted', update: 'granted', purge: 'ruled' }],
  ]);
});

test('roles that no definition names let nothing', () => {
  expect(matrixOf([role('guest', [])])).toEqual({ operations: [], rows: [] });
});
