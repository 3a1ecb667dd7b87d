/** Threads number rows alike, whether they compile those of all services or of one. */
import { expect, test } from 'vitest';
import { atNumbers, compileRows } from '#runtime/compile-rows.ts';
import { compileRoutes, firstRoutes } from '#runtime/compile-routes.ts';
import { configuredIntake } from '#runtime/configured-intake.ts';
import { routeDirectory } from '#runtime/route-directory.ts';
import { resolveText } from '#test/kit/platform-text.ts';

test.each(['', 'audit: { enabled: true }'])('each service alone has the rows that it has among all (%s)', (audit) => {
  const platform = resolveText(`hives: { tenant: [] }\n${audit}`);
  const all = compileRoutes(platform);
  expect(all.map(({ no }) => no)).toEqual(all.map((_, at) => at));
  for (const { name, routes } of routeDirectory) {
    const table = name === 'intake' ? configuredIntake(platform) : routes;
    const own = atNumbers(compileRows(platform, name, table, firstRoutes()[name]!));
    const expected = all.filter(({ service }) => service === name);
    expect(expected.length).toBeGreaterThan(0);
    for (const row of expected) expect(own[row.no]).toEqual(row);
    expect(own.filter(() => true)).toHaveLength(expected.length);
  }
});
