import { expect, test } from 'vitest';
import { anyone } from '#actors/protocol/callers.ts';
import { defineRefusals } from '#actors/protocol/refusal.ts';
import type { RouteRow, RouteTable } from '#actors/protocol/route.ts';
import { limits } from '#config/limits.ts';
import { routeDirectory } from '#runtime/route-directory.ts';
import { TABLES, type TableRow } from '#storage/catalogue.ts';
import { projectFiles } from './project.ts';
import { scan } from './source.ts';
import { checkDistinct, checkRoutes, checkSpread, checkTables } from './tables.ts';

/** They limit nothing until the platform file gives them numbers: their services have no limiter by default (docs/decisions/runtime.md RT-12). */
const openProfiles = ['identity', 'data', 'bff', 'content', 'vault']
  .map((service) => `${service}_anonymous`)
  .concat('probe');
/** The declared profiles, and intake's own, whose numbers stand in its part of the platform file. */
const rates = [...Object.keys(limits.rates), ...openProfiles, 'intake_ip', 'intake_global'];

test.each(routeDirectory)('routes, refusals and rates of $name agree', ({ routes, refusals }) => {
  expect(checkRoutes(routes, refusals, rates)).toEqual([]);
});

test.each(routeDirectory)('no two tables of $name declare the same name', ({ name }) => {
  for (const kind of ['refusals', 'routes']) {
    const files = projectFiles(new RegExp(`^actors/${name}/(?:.*/)?(?:[a-z-]+-)?${kind}\\.ts$`));
    expect(checkSpread(files)).toEqual([]);
  }
});

test('a name that is declared twice is found, quoted or not, in one file or two', () => {
  const table = (names: readonly string[]) =>
    `defineRefusals({\n${names.map((name) => `  ${name}: { statuses: [400] },\n`).join('')}});\n`;
  const file = (path: string, ...names: readonly string[]) => ({ path, text: table(names) });
  expect(checkSpread([file('a', 'gone', "'v2.gone'"), file('b', 'lost')])).toEqual([]);
  expect(checkSpread([file('a', 'gone'), file('b', 'lost', 'gone')])).toEqual(['gone: in a and b']);
  expect(checkSpread([file('a', "'v2.gone'"), file('b', "'v2.gone'")])).toEqual(['v2.gone: in a and b']);
});

test('no two services answer the same request', () => {
  expect(checkDistinct(routeDirectory)).toEqual([]);
});

test('the directory names every room that has routes', () => {
  const [directory] = projectFiles(/^runtime\/route-directory\.ts$/);
  const imported = new Set(scan(directory!.text).imports.map(({ specifier }) => specifier));
  const rooms = projectFiles(/^actors\/[^/]+\/routes\.ts$/).map(({ path }) => `#${path}`);
  expect(rooms.filter((room) => !imported.has(room))).toEqual([]);
});

test('LMDB tables have numbers of their own, in their owners ranges', () => {
  expect(checkTables(TABLES)).toEqual([]);
});

const row: RouteRow = {
  methods: ['GET'],
  path: '/a/{id}',
  position: 'none',
  callers: anyone(),
  body: 'none',
  ack: 'memory',
  replies: {},
  refusals: ['gone'],
  summary: '',
};
const refusals = defineRefusals({ gone: { statuses: [410], family: 'bare', cause: '' } });
const faults = (change: object) => checkRoutes({ a: { ...row, ...change } }, refusals, ['slow']);

test('a sound table has no faults', () => {
  expect(faults({})).toEqual([]);
  for (const path of ['/', '/a', '/.well-known/jwks.json', '/f/{id}', '/store/{app_id}/{path*}', '/{path*}'])
    expect(faults({ path })).toEqual([]);
});

test.each([
  ['a refusal that no route lists', { refusals: [] }, 'gone: no route lists it'],
  ['a refusal that is not declared', { refusals: ['gone', 'lost'] }, 'a: lost is not declared'],
  ['a refusal listed twice', { refusals: ['gone', 'gone'] }, 'a: lists a refusal twice'],
  ['an unknown rate', { rate: 'fast' }, 'a: rate fast is not declared'],
  ['an unknown method', { methods: ['TRACE'] }, 'a: methods TRACE'],
  ['a path without a slash', { path: 'a' }, 'a: path a'],
  ['a path with an empty segment', { path: '/a//b' }, 'a: path /a//b'],
  ['a rest that is not last', { path: '/{a*}/b' }, 'a: path /{a*}/b'],
  ['a shape without a body', { request: {} }, 'a: a request shape without a body'],
])('caught: %s', (_name, change, expected) => {
  expect(faults(change)).toEqual([expected]);
});

test('caught: two routes that answer the same request', () => {
  const own = { ...row, path: '/health', listener: 'own' } as const;
  const one = { name: 'one', routes: { a: row, own } satisfies RouteTable };
  const more = { b: { ...row, path: '/a/{other}' }, c: { ...row, path: '/a/{rest*}' }, own, again: own };
  expect(checkDistinct([one, { name: 'two', routes: more }])).toEqual([
    'GET /a/{}: a and b',
    'two GET /health: own and again',
  ]);
});

test('caught: a table without rows', () => {
  expect(checkRoutes({}, {}, [])).toEqual(['no routes']);
});

const table: TableRow = { no: 10, key: '', version: 1, owner: 'identity', holds: '' };

test.each([
  ['a number given twice', { a: table, b: table }, 'b: number 10 belongs to a'],
  ['a number of another owner', { a: { ...table, no: 30 } }, "a: number 30 is not identity's"],
  ['a version below 1', { a: { ...table, version: 0 } }, 'a: version 0'],
])('caught: %s', (_name, tables, expected) => {
  expect(checkTables(tables)).toEqual([expected]);
});
