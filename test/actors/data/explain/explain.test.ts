/** What explain says is what a request meets: the oracle is the request itself, sent by the same user. */
import { describe, expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import type { Method } from '#actors/protocol/method.ts';
import { explain, type Explained } from '#actors/data/explain/explain.ts';
import { rowRouteOf } from '#actors/data/explain/row-route.ts';
import { routes } from '#actors/data/routes.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';

const SECRET = 'the-value-of-a-row';
const FIELDS = {
  owner: { type: 'string', index: true },
  text: { type: 'string' },
  phone: { type: 'string', mask: 'last4' },
  open: { type: 'boolean', default: true },
} as const;
const RULES = [
  'true',
  'false',
  "'agent' in principal.roles",
  'row.owner == principal.subject',
  "row.open || 'agent' in principal.roles",
  'row.text.size() > 100 && row.nothing',
  'request.data.all(name, name in ["text"])',
  "request.method != 'PUT'",
] as const;
const OPERATIONS = ['read', 'create', 'update', 'delete', 'purge', 'restore'] as const;

const userOf = (subject: string, roles: readonly string[]): Principal => ({
  ...ANONYMOUS,
  type: 'user',
  subject,
  tenant: 'acme:atlas:dev:main',
  roles,
  superadmin: roles.includes('superadmin'),
});

const asked = (
  tenant: DataTenant,
  user: Principal,
  method: string,
  target: string,
  data: object | null = null,
): Explained => {
  const { subject: id, roles } = user;
  const work = new Work(tenant.activation);
  return explain(work, { user: { id, roles }, method, target, data, asked_by: 'root', reason: 'a test' });
};

const ruleSet = fc.record(
  Object.fromEntries(
    OPERATIONS.map((operation) => [operation, fc.constantFrom(undefined, 'true', 'true', 'true', ...RULES)]),
  ),
) as fc.Arbitrary<Readonly<Record<string, string | undefined>>>;

const world = fc.record({
  access: ruleSet,
  rowRule: fc.constantFrom(undefined, undefined, undefined, ...RULES.slice(0, 6)),
  softDelete: fc.boolean(),
  rows: fc.array(fc.record({ owner: fc.constantFrom('eve', 'mallory'), open: fc.boolean(), deleted: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  user: fc.constantFrom('eve', 'mallory'),
  roles: fc.subarray(['agent', 'superadmin']),
  request: fc.constantFrom(
    'list',
    'ordered',
    'filtered',
    'search',
    'words',
    'read',
    'update',
    'put',
    'delete',
    'purge',
    'restore',
    'create',
  ),
  at: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, { arbitrary: fc.nat(3), weight: 2 }),
  withBody: fc.boolean(),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

interface Asked {
  readonly method: Method;
  readonly target: string;
  readonly body?: object;
}

function requestOf({ request, user }: World, id: string): Asked {
  const row = `/data/rest/note/id/${id}`;
  const requests: Readonly<Record<World['request'], Asked>> = {
    list: { method: 'GET', target: '/data/rest/note?stats=true' },
    ordered: { method: 'GET', target: '/data/rest/note?stats=true&orderby=-owner,text&limit=2' },
    filtered: { method: 'GET', target: '/data/rest/note?stats=true&owner=eve&phone=1' },
    search: {
      method: 'POST',
      target: '/data/rest/note/search?stats=true',
      body: { filter: { owner: { in: ['eve', 'ann'] } } },
    },
    words: { method: 'POST', target: '/data/rest/note/search?stats=true', body: { query: 'some words' } },
    read: { method: 'GET', target: row },
    update: { method: 'PATCH', target: row, body: { text: 'else' } },
    put: { method: 'PUT', target: '/data/rest/note', body: { id, text: 'else' } },
    delete: { method: 'DELETE', target: row },
    purge: { method: 'DELETE', target: `${row}?purge=true` },
    restore: { method: 'POST', target: `${row}/restore` },
    create: { method: 'POST', target: '/data/rest/note', body: { owner: user, text: 'new' } },
  };
  return requests[request];
}

async function opened({ access, rowRule, softDelete, rows }: World): Promise<{ tenant: DataTenant; ids: string[] }> {
  const rules = Object.fromEntries(Object.entries(access).filter(([, rule]) => rule !== undefined)) as Record<
    string,
    string
  >;
  const options = {
    access: rules,
    traits: softDelete ? (['soft_delete'] as const) : [],
    search: { fields: ['text'], language: 'none', stopWords: [] },
    ...(rowRule !== undefined && { rowRule }),
  };
  const tenant = await DataTenant.open(productOf([entityOf('note', FIELDS, options)]));
  const ids: string[] = [];
  const internal = { principal: { ...ANONYMOUS, type: 'internal' as const, superadmin: true } };
  for (const { owner, open, deleted } of rows) {
    const made = await tenant.send(
      'POST',
      '/data/rest/note',
      { owner, open, text: SECRET, phone: '5551234' },
      internal,
    );
    expect(made.status).toBe(201);
    const { id } = made.body.data[0] as { id: string };
    if (deleted) await tenant.send('DELETE', `/data/rest/note/id/${id}`, undefined, internal);
    ids.push(id);
  }
  return { tenant, ids };
}

test('its status, its row and its plan are those of the request itself, and no value of a row is in it', async () => {
  const seen = {
    statuses: new Map<unknown, number>(),
    plans: new Map<unknown, number>(),
    visible: 0,
    hidden: 0,
    open: 0,
  };
  const count = (map: Map<unknown, number>, key: unknown): void => void map.set(key, (map.get(key) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { tenant, ids } = await opened(given);
      const user = userOf(given.user, given.roles);
      const id = ids[given.at] ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV';
      const { method, target, body } = requestOf(given, id);
      const isRead = given.request === 'search' || given.request === 'words' || body === undefined;
      const explained = asked(
        tenant,
        user,
        method,
        target,
        given.withBody || isRead || given.request === 'put' ? (body ?? null) : null,
      );
      expect(JSON.stringify(explained)).not.toContain(SECRET);
      const read = await tenant.send('GET', `/data/rest/note/id/${id}`, undefined, { principal: user });
      const real = await tenant.send(method, target, body, { principal: user });
      const { answer, row, plan } = explained;
      count(seen.statuses, answer.status);
      if (answer.status === null) seen.open++;
      // The changed row is judged anew, which explain leaves open: 403 after an admitted row is such a case.
      else if (answer.status !== 200 || real.status !== 403 || row === null || given.rowRule === undefined)
        expect([given.request, real.status], JSON.stringify([explained, real.body])).toEqual([
          given.request,
          answer.status,
        ]);
      if (answer.status === 201) expect(real.status).toBe(201);
      if (
        row !== null &&
        !(method === 'PUT' && JSON.stringify(given).includes('request.')) &&
        !JSON.stringify([given.access['read'], given.rowRule]).includes('request.')
      ) {
        expect(row.visible, JSON.stringify([explained, read.body])).toBe(read.status === 200);
        if (row.visible) seen.visible++;
        else seen.hidden++;
      }
      if (plan !== null && real.status === 200) {
        const { narrowed_by: _, ...picked } = plan;
        expect(picked).toEqual(real.body.stats.plan);
        count(seen.plans, picked['access']);
      }
    }),
    { numRuns: 2000 },
  );
  for (const status of [200, 201, 403, 404, 422, null])
    expect(seen.statuses.get(status), String(status)).toBeGreaterThan(0);
  for (const access of ['index', 'table', 'text']) expect(seen.plans.get(access), access).toBeGreaterThan(20);
  expect([seen.visible > 50, seen.hidden > 50, seen.open > 20]).toEqual([true, true, true]);
}, 120_000);

describe('words', () => {
  const given = {
    access: { read: "'agent' in principal.roles", update: 'row.text.missing == 1' },
    rowRule: 'row.owner == principal.subject',
  };
  const shop = async () =>
    opened({ ...given, softDelete: true, rows: [{ owner: 'eve', open: true, deleted: false }] } as unknown as World);

  test('say rule, place, and why; a list which index it uses and by which fields the rules narrow it', async () => {
    const { tenant } = await shop();
    const { rules, answer, plan } = asked(tenant, userOf('eve', ['agent']), 'GET', '/data/rest/note');
    expect(rules.map(({ name, verdict, rule }) => [name, verdict, rule])).toEqual([
      ['access.read', 'allows', given.access.read],
      ['row_rule', 'by_row', given.rowRule],
    ]);
    expect(answer).toEqual({ status: 200, why: 'the rows that the rules admit' });
    expect(plan).toMatchObject({ access: 'index', index: ['owner'], narrowed_by: ['owner'] });
  });

  test.each([
    ['GET', '', [], 403, 'access.read: the rule gives false for this user'],
    [
      'DELETE',
      '/id/{id}',
      ['agent'],
      403,
      'access.delete: there is no rule access.delete, and an operation without one is denied',
    ],
    ['PATCH', '/id/{id}', ['agent'], 403, 'access.update does not admit the row as it is'],
    ['GET', '/id/{id}', ['agent'], 200, 'access.read and row_rule admit it'],
    ['GET', '/id/nothing', ['agent'], 404, 'there is no row with this id, or it cannot be read'],
    ['GET', '?phone=1', ['agent'], 403, 'phone is masked: a query by it is not allowed'],
    ['GET', '?fone=1', ['agent'], 422, 'note has no field fone'],
  ] as const)('%s note%s as %j', async (method, path, roles, status, why) => {
    const { tenant, ids } = await shop();
    const { answer } = asked(tenant, userOf('eve', roles), method, `/data/rest/note${path.replace('{id}', ids[0]!)}`);
    expect(answer.status).toBe(status);
    expect(answer.why).toContain(why);
  });

  test('a row of another is not visible, and the reason is the row rule', async () => {
    const { tenant, ids } = await shop();
    const { row, answer } = asked(tenant, userOf('mallory', ['agent']), 'GET', `/data/rest/note/id/${ids[0]!}`);
    expect(row).toEqual({ id: ids[0], visible: false, why: 'row_rule does not admit the row to this user' });
    expect(answer.status).toBe(404);
  });

  test('of a row that the asker may not read no condition is told', async () => {
    const { tenant, ids } = await shop();
    const { subject: id, roles } = userOf('eve', ['agent']);
    const told = (asker: Principal) => {
      const wish = { method: 'GET', target: `/data/rest/note/id/${ids[0]!}`, data: null, asked_by: 'root', reason: '' };
      const { rules } = explain(new Work(tenant.activation), { ...wish, user: { id, roles }, asker });
      return rules.map(({ parts, admits }) => [admits, parts?.map(({ gives }) => gives) ?? null]);
    };
    expect(told(userOf('eve', ['agent']))).toEqual([
      [true, ['true']],
      [true, ['true']],
    ]);
    expect(told(userOf('mallory', ['agent']))).toEqual([
      [true, null],
      [true, null],
    ]);
  });

  test.each([
    ['GET', '/data/rest/nothing', 'has no entity "nothing"'],
    ['GET', '/data/actions/report', 'GET /data/actions/report is no route of rows; explain knows'],
    ['POST', '/data/rest/note/id/1', 'is no route of rows'],
    ['GET', '/data/anon/rest/note', 'is no route of rows'],
    ['GET', '/data/rest/%zz', 'the path is not percent-encoded'],
    ['GET', 'data/rest/note', 'is no route of rows'],
  ])('%s %s is refused', async (method, target, why) => {
    const { tenant } = await shop();
    expect(() => asked(tenant, userOf('eve', []), method, target)).toThrow(why);
  });

  test('an ask is in the node’s log where there is no audit log', async () => {
    const { tenant } = await shop();
    const lines: unknown[] = [];
    Object.assign(tenant.activation.context.log, { info: (fields: object) => lines.push(fields) });
    asked(tenant, userOf('eve', []), 'GET', '/data/rest/note');
    expect(lines).toEqual([
      { user: 'eve', asked_by: 'root', reason: 'a test', method: 'GET', entity: 'note', id: null },
    ]);
  });
});

test('every route of rows is found by each of its methods, decoded, with its query', () => {
  const found = (Object.entries(routes) as [string, { path: string; methods: readonly string[] }][]).flatMap(
    ([name, { path, methods }]) =>
      methods.flatMap((method) => {
        try {
          const target = `${path.replace('{entity}', 'note').replace('{id}', 'a%2Fb')}?limit=1`;
          const { route, entity, id, query } = rowRouteOf(method, target);
          expect([route, entity, id, query.get('limit')]).toEqual([
            name,
            'note',
            path.includes('{id}') ? 'a/b' : null,
            '1',
          ]);
          return [`${method} ${name}`];
        } catch (error) {
          expect((error as Error).message).toContain('is no route of rows');
          return [];
        }
      }),
  );
  expect(found.sort()).toEqual(
    [
      'GET list',
      'GET read',
      'POST search',
      'POST create',
      'PUT update',
      'PATCH update',
      'PUT update_by_id',
      'PATCH update_by_id',
      'DELETE delete',
      'POST restore',
    ].sort(),
  );
});
