/** Which routes read the cookies of a site: docs/contract/identity-cookies.md §1. */
import { expect, test } from 'vitest';
import { readsCookies } from '#actors/protocol/cookies.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { linkedReply } from '#actors/identity/oauth/shapes.ts';
import { tokenReply } from '#actors/identity/user/shapes.ts';
import { routeDirectory } from '#runtime/route-directory.ts';

const rows = routeDirectory.flatMap(({ name: service, routes }) =>
  Object.values(routes).map((row: RouteRow) => ({ service, row })),
);

test('no route of operators, of the node itself, of the anonymous mirror, of forms, of the audit logs or of the vault reads one', () => {
  const reading = rows.filter(({ row }) => readsCookies(row));
  expect(new Set(reading.map(({ service }) => service))).toEqual(new Set(['identity', 'data', 'bff', 'content']));
  const paths = reading.map(({ row }) => row.path);
  expect(paths).toContain('/data/rest/{entity}');
  expect(paths.filter((path) => /superadmin|internal|\/anon|bootstrap|jwks|health|ready/.test(path))).toEqual([]);
});

test('every route that hands a login’s tokens out can give them in cookies, and no other can', () => {
  const giving = rows.filter(({ row }) => row.cookies === 'gives').map(({ row }) => row.path);
  const tokens: readonly unknown[] = [tokenReply, linkedReply];
  const handing = rows
    .filter(({ row }) => Object.values(row.replies).some((reply) => tokens.includes(reply)))
    .map(({ row }) => row.path);
  expect(giving.toSorted()).toEqual(handing.toSorted());
  expect(giving).toContain('/auth/login');
  expect(giving).toContain('/auth/oauth/{provider}/callback');
});

test('a logout ends them', () => {
  expect(rows.filter(({ row }) => row.cookies === 'ends').map(({ row }) => row.path)).toEqual(['/auth/logout']);
});
