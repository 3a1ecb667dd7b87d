/** A route that needs no credential costs the node time: each such row says under which rate profile. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { routeDirectory } from '#runtime/route-directory.ts';

const rows = routeDirectory.flatMap(({ name, routes }) =>
  Object.entries(routes).map(([route, row]): [string, RouteRow] => [`${name}.${route}`, row]),
);
const withoutProfile = (all: readonly [string, RouteRow][]): string[] =>
  all.filter(([, row]) => row.callers.auth !== 'required' && row.rate === undefined).map(([name]) => name);

test('every row that takes calls without a credential names a rate profile', () => {
  expect(withoutProfile(rows)).toEqual([]);
});

test('a row without one would be seen', () => {
  const [[name, row]] = rows.filter(([, { callers }]) => callers.auth === 'none') as [[string, RouteRow]];
  const { rate: _rate, ...bare } = row;
  expect(withoutProfile([[name, bare]])).toEqual([name]);
});

test('a route that changes something without a credential is limited without a word in the platform file', () => {
  const installed = { ...limits.rates, intake_ip: true };
  const open = rows
    .filter(([name]) => name.startsWith('identity.') || name.startsWith('intake.'))
    .filter(([, row]) => row.callers.auth === 'none' && row.body !== 'none' && !((row.rate ?? '') in installed))
    .map(([name]) => name);
  expect(open).toEqual([]);
});

test('bodies of /auth that are read before a credential are small: one that comes in pieces waits for its handler', () => {
  const isRead = ({ body }: RouteRow): boolean => body !== 'none' && body !== 'stream';
  const auth = rows.filter(([, row]) => row.path.startsWith('/auth/') && isRead(row));
  expect(auth.length).toBeGreaterThan(8);
  for (const [name, row] of auth) expect(row.bodyBytesMax, name).toBeLessThanOrEqual(16 * 1024);
});

test('answers that the door gives again depend on nothing but the path: no credential, no position, no body, no header but that of a copy', () => {
  const kept = rows.filter(([, { keptMs }]) => keptMs !== undefined);
  expect(kept.map(([name]) => name)).toEqual(['vault.ocspGet']);
  for (const [name, row] of kept) {
    expect(row.methods, name).toEqual(['GET']);
    expect([row.callers.auth, row.position, row.body, row.cookies], name).toEqual(['none', 'none', 'none', undefined]);
    expect(row.headers ?? [], name).toEqual(['if-none-match']);
  }
});
