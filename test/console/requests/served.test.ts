/** The page's own list of the routes that the console's listener has is that of the listener. */
import { expect, test } from 'vitest';
import { routes } from '#actors/data/routes.ts';
import { isServed, SERVED } from '#console/requests/served.ts';
import { isForConsole } from '#runtime/console/console-routes.ts';

test('equal to what the listener has of the service data', () => {
  const there = Object.values(routes)
    .filter((row) => isForConsole({ service: 'data', row }, true))
    .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path.replace('*}', '}')}`));
  expect([...new Set(there)].toSorted()).toEqual([...SERVED].toSorted());
});

test.each([
  ['GET /data/rest/city', true],
  ['GET /data/rest/city/id/{id}', true],
  ['POST /data/x/reports/daily', true],
  ['DELETE /data/rest/city', false],
  ['GET /data/rest/city/id/{id}/versions', false],
  ['GET /data/changes', false],
])('%s: %s', (id, value) => expect(isServed({ id })).toBe(value));
