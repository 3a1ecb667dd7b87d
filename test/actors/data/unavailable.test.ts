import { describe, expect, test } from 'vitest';
import type { Call } from '#actors/host/call.ts';
import type { Why } from '#actors/host/why.ts';
import { unavailable } from '#actors/data/unavailable.ts';
import { literal, selectSql } from '#actors/engine/rows/sql.ts';
import { equals, query } from '#actors/engine/rows/query.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';

const answer = (name: string, method: string, why: Why) => {
  const { status, code, headers } = unavailable({ route: { name }, method } as unknown as Call, why);
  return [status, code, headers?.['Retry-After']];
};

describe('when the turn could not run', () => {
  test.each([
    ['list', 'GET', 'overloaded', [503, 'v2.engine_unavailable', '1']],
    ['create', 'POST', 'overloaded', [503, 'v2.engine_unavailable', '1']],
    ['read', 'GET', 'storage_full', [503, 'v2.engine_unavailable', '1']],
    ['create', 'POST', 'storage_full', [500, 'v2.create_failed', '30']],
    ['update_by_id', 'PATCH', 'storage_full', [500, 'v2.update_failed', '30']],
    ['delete', 'DELETE', 'fault', [500, 'v2.delete_failed', undefined]],
    ['list', 'GET', 'fault', [500, 'v2.query_failed', undefined]],
    ['action', 'POST', 'storage_full', [500, 'v2.action_failed', '30']],
    ['action_read', 'GET', 'fault', [500, 'v2.action_failed', undefined]],
    ['list', 'GET', 'too_costly', [422, 'v2.query_failed', undefined]],
    ['action', 'POST', 'too_costly', [500, 'v2.action_failed', undefined]],
    ['health', 'GET', 'fault', [500, 'v2.engine_unavailable', undefined]],
  ] as const)('%s %s %s', (name, method, why, expected) => expect(answer(name, method, why)).toEqual(expected));
});

describe('SQL as PostgreSQL reads it', () => {
  test('literals and names are quoted', () => {
    expect([null, 1.5, true, "o'clock", { a: "'" }].map(literal)).toEqual([
      'NULL',
      '1.5',
      'true',
      "'o''clock'",
      `'{"a":"''"}'`,
    ]);
  });

  test('order says where nulls and texts go', () => {
    const fields = { name: { type: 'string' }, size: { type: 'integer', required: true } } as const;
    const model = new Engine(productOf([entityOf('thing', fields)])).models.get('thing')!;
    const order = [
      { kind: 'order', field: 'name', descending: false },
      { kind: 'order', field: 'size', descending: true },
    ] as const;
    expect(selectSql(model, query('thing', { where: [equals('name', "a'b")], order, limit: 2, offset: 4 }))).toBe(
      `SELECT "id", "name", "size" FROM "thing" WHERE "name" = 'a''b' ` +
        `ORDER BY "name" COLLATE "C" NULLS FIRST, "size" DESC, "id" DESC LIMIT 2 OFFSET 4`,
    );
  });
});
