import { expect, test } from 'vitest';
import { anchorOfCode, refusalsPage, routesPage } from '#runtime/describe/pages.ts';
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { routeDirectory } from '#runtime/route-directory.ts';
import { bees, door } from './rows.ts';

/** Cells of a Markdown table's rows, by the first cell without its anchor; without the list of shared codes. */
function cells(page: string): Map<string, string[]> {
  const [own] = page.replaceAll(/<a id="[^"]*"><\/a>/g, '').split('\n## Codes of several services');
  const rows = own!.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(rows.map((line) => line.slice(2, -2).split(/(?<!\\) \| /)).map(([first, ...rest]) => [first!, rest]));
}

test('the route page has a row for each route with its answers and refusals', () => {
  const rows = cells(routesPage([bees], door));
  expect([...rows.keys()]).toEqual([
    '`GET /bees/{hive}/{path*}`',
    '`PUT\\|PATCH /bees`',
    '`GET /health` (own listener)',
  ]);
  expect(rows.get('`PUT\\|PATCH /bees`')).toEqual([
    'Write a bee',
    'users of the position; keys of the position',
    'door',
    'bees',
    '200, 204',
    '400 `invalid tenant`, 401 `unauthorized`, 403 `v2.no_tenant` `cross_origin` `tenant_suspended` `tenant_read_only`, 408 `body_too_slow`, 413 `body_too_large`, 429 `rate_limited` `tenant_quota`, 503 `suspended` `overloaded` `unavailable`, 507 `tenant_full`',
  ]);
});

test('the refusal page has a row for each code with the routes that use it', () => {
  const rows = cells(refusalsPage([bees], door));
  expect(rows.get('`unauthorized`')).toEqual(['401', 'plain', 'Unauthorized', 'read, write']);
  expect(rows.get('`b.missing`')).toEqual(['404, 410', 'coded', 'no such bee \\| hive', 'read']);
  expect(rows.get('`rate_limited`')).toEqual(['429', 'rate', 'empty', '1 routes']);
  expect(rows.get('`not_found`')).toEqual(['404', 'bare', 'no route', 'what no route answers']);
  expect(rows.size).toBe(Object.keys(bees.refusals).length + Object.keys(door).length);
});

test('every code has an anchor of its own, and a code of several tables leads to each of its rows', () => {
  const page = refusalsPage(routeDirectory, doorRefusals);
  const anchors = [...page.matchAll(/<a id="([^"]+)"><\/a>`/g)].map(([, id]) => id!);
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
  expect(new Set([...anchors, ...headings]).size).toBe(anchors.length + headings.length);
  const tables = [...routeDirectory.map(({ refusals }) => refusals), doorRefusals];
  const codes = tables.flatMap((rows) => Object.keys(rows));
  expect(codes.length).toBeGreaterThan(250);
  for (const code of codes) {
    const line = page.split('\n').find((text) => text.includes(`<a id="${anchorOfCode(code)}"></a>`));
    expect(line?.startsWith(`| <a id="${anchorOfCode(code)}"></a>\`${code}\` |`), code).toBe(true);
  }
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
  const twice = codes.filter((code, at) => codes.indexOf(code) !== at);
  expect(links.length).toBeGreaterThanOrEqual(2 * twice.length);
  expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});

test('a route that always refuses says what it answers; every row without replies is one', () => {
  const rows = cells(routesPage(routeDirectory, doorRefusals));
  const answers = (request: string) => rows.get(`\`${request}\``)?.[4];
  expect(answers('DELETE /auth/apikey')).toBe('always 400 `missing_id`');
  expect(answers('DELETE /auth/apikey/')).toBe('always 400 `missing_id`');
  for (const { routes } of routeDirectory)
    for (const [name, { replies, always, refusals }] of Object.entries(routes)) {
      expect([name, Object.keys(replies).length === 0]).toEqual([name, always !== undefined]);
      if (always !== undefined) expect(refusals).toContain(always);
    }
});
